import type { Tx } from '@tributary/postgres';
import { sql } from 'kysely';
import { findIdentifiers } from './erase.ts';
import type { Part } from './merge-groups.ts';
import { writeRecord } from './merged-records.ts';
import { openCustomers } from './open-customers.ts';
import { blockCustomerWrites, findSurvivors } from './store.ts';
import type { Tombstones } from './tombstones.ts';
import { type ActiveMerge, type Change, changeWithout } from './without-merges.ts';

export interface MergeToUndo {
  readonly id: string;
}

export interface UndoOptions {
  readonly profileId: string;
  readonly at: Date;
  readonly by: string;
  readonly reason: string;
  readonly tombstones: Tombstones;
}

/** The result of an undo: the customer that keeps the id, and those that are separate again. */
export interface Undone {
  readonly survivorId: string;
  readonly separatedIds: readonly string[];
  /** Customers merged by the undo: a message named both, and only the undone merges had prevented it from joining them. */
  readonly joinedIds: readonly string[];
  readonly movedIdentifiers: number;
}

/** Thrown when a concurrent merge or undo changed the customers between reading and locking them. */
export class PersonMoved extends Error {}

/**
 * Undoes merges of one customer, in the caller's transaction. The result is as if the merges had never happened: messages that named several
 * customers are replayed without them. The customer splits into parts, each represented by its oldest member with the facts of its members.
 * A part may be merged with another customer if only the undone merge had prevented that. Triggers update the tables of other modules.
 *
 * Locks identifiers, then customers, like every writer of identities, so that waiting writers see all of the change or none.
 */
export async function undoMerges(tx: Tx, merges: readonly MergeToUndo[], options: UndoOptions): Promise<Undone> {
  const { profileId } = options;
  const { undone, change } = await lockChange(tx, merges, options);
  const { survivorIds, personOf, parts, joining } = change;
  await sql`SELECT set_config('tributary.undone_merge', ${merges.length === 1 ? (merges[0]?.id ?? '') : ''}, true)`.execute(
    tx,
  );
  await endMerges(tx, change, undone, options);
  let movedIdentifiers = 0;
  for (const personId of survivorIds) movedIdentifiers += await split(tx, profileId, personId, change);
  const joinedIds: string[] = [];
  for (const part of parts) joinedIds.push(...(await join(tx, part, change, options)));
  for (const part of parts) await writeRecord(tx, profileId, part, joining);
  await keepApart(tx, undone, parts, options);
  const formerIds = new Set(undone.map(({ one }) => personOf.get(one) ?? one));
  const affected = parts.filter(({ memberIds }) => memberIds.some((id) => formerIds.has(personOf.get(id) ?? '')));
  const [survivorId, ...separatedIds] = affected
    .toSorted((a, b) => Number(holdsAny(b, formerIds)) - Number(holdsAny(a, formerIds)))
    .map(({ rootId }) => rootId) as [string, ...string[]];
  return { survivorId, separatedIds, joinedIds, movedIdentifiers };
}

const holdsAny = ({ memberIds }: Part, ids: ReadonlySet<string>) => memberIds.some((id) => ids.has(id));

async function readUndone(tx: Tx, profileId: string, merges: readonly MergeToUndo[]): Promise<ActiveMerge[]> {
  const { rows } = await sql<ActiveMerge>`
    SELECT id, coalesce(named_one, loser_id) AS one, coalesce(named_other, survivor_id) AS other FROM merges
    WHERE profile_id = ${profileId} AND id = ANY (${merges.map(({ id }) => id)}::uuid[]) AND undone_at IS NULL ORDER BY id`.execute(
    tx,
  );
  return rows;
}

/** Computes the change without the merges, and locks all affected customers and their identifiers. */
async function lockChange(
  tx: Tx,
  merges: readonly MergeToUndo[],
  { profileId, tombstones }: UndoOptions,
): Promise<{ undone: ActiveMerge[]; change: Change }> {
  const read = async () => {
    const undone = await readUndone(tx, profileId, merges);
    const survivors = await findSurvivors(
      tx,
      profileId,
      undone.map(({ one }) => one),
    );
    const change = await changeWithout(tx, profileId, [...new Set(survivors.values())], undone);
    return { undone, change, identifiers: await findIdentifiers(tx, profileId, change.survivorIds) };
  };
  const before = await read();
  await openCustomers(tx, profileId, before.identifiers, tombstones);
  await blockCustomerWrites(tx, profileId, before.change.survivorIds);
  const after = await read();
  const signatureOf = ({ undone, change, identifiers }: typeof before) =>
    JSON.stringify([undone, change.survivorIds, change.parts, identifiers.length]);
  // Another transaction may also have undone one of them since the caller read them.
  const isMoved = after.undone.length < merges.length || signatureOf(after) !== signatureOf(before);
  if (isMoved) throw new PersonMoved();
  return after;
}

/** Retries work that undoes merges when a concurrent change is detected between reading and locking. */
export async function retryUndo<A>(work: () => Promise<A>): Promise<A> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PersonMoved) || attempt === 20) throw error;
    }
  }
}

/** Ends the undone merges, and merges that no longer join anything without them. The messages of the latter are kept for later replays. */
async function endMerges(
  tx: Tx,
  { ended }: Change,
  undone: readonly ActiveMerge[],
  { profileId, at, by, reason }: UndoOptions,
): Promise<void> {
  const ids = [...undone, ...ended].map(({ id }) => id);
  if (ended.length > 0)
    await sql`
      INSERT INTO said_together (profile_id, one, other, said_at, source, request_id, said_kinds)
      SELECT profile_id, coalesce(named_one, loser_id), coalesce(named_other, survivor_id), merged_at, source, request_id, said_kinds
      FROM merges WHERE profile_id = ${profileId} AND id = ANY (${ended.map(({ id }) => id)}::uuid[])
      ON CONFLICT DO NOTHING`.execute(tx);
  await sql`
    UPDATE merges SET undone_at = ${at}, undone_by = ${by}, reason = ${reason}
    WHERE profile_id = ${profileId} AND id = ANY (${ids}::uuid[])`.execute(tx);
}

/** Separates the members of a customer that belong to other parts. Resolves to the number of moved identifiers. */
async function split(
  tx: Tx,
  profileId: string,
  personId: string,
  { parts, personOf, mergedInto }: Change,
): Promise<number> {
  const pieces = parts.flatMap(({ memberIds }) => {
    const mine = memberIds.filter((id) => personOf.get(id) === personId);
    return mine.length > 0
      ? [{ rootId: mine.includes(personId) ? personId : (mine[0] as string), memberIds: mine }]
      : [];
  });
  const separated = pieces.filter(({ rootId }) => rootId !== personId);
  await reparent(tx, profileId, pieces, mergedInto, personId);
  let movedIdentifiers = 0;
  for (const piece of separated) movedIdentifiers += await moveIdentifiers(tx, profileId, piece, personId);
  // Sequential, because each update moves its rows away from the survivor.
  for (const { rootId } of separated)
    await sql`UPDATE customers SET merged_into = NULL WHERE profile_id = ${profileId} AND id = ${rootId}`.execute(tx);
  return movedIdentifiers;
}

/** Points each member to an older member of its own part, and the roots of separated parts to the survivor. */
async function reparent(
  tx: Tx,
  profileId: string,
  parts: readonly Part[],
  mergedInto: ReadonlyMap<string, string | null>,
  survivorId: string,
): Promise<void> {
  const moves = parts.flatMap(({ rootId, memberIds }) => {
    const members = new Set(memberIds);
    return memberIds.flatMap((id) => {
      if (id === survivorId) return [];
      const currentParent = mergedInto.get(id) ?? survivorId;
      const parentId = id === rootId ? survivorId : members.has(currentParent) ? currentParent : rootId;
      return parentId === currentParent ? [] : [{ id, parentId }];
    });
  });
  if (moves.length === 0) return;
  await sql`
    UPDATE customers c SET merged_into = m.parent_id
    FROM unnest(${moves.map(({ id }) => id)}::uuid[], ${moves.map(({ parentId }) => parentId)}::uuid[]) AS m (id, parent_id)
    WHERE c.profile_id = ${profileId} AND c.id = m.id`.execute(tx);
}

async function moveIdentifiers(
  tx: Tx,
  profileId: string,
  { rootId, memberIds }: Part,
  survivorId: string,
): Promise<number> {
  const { numAffectedRows } = await sql`
    UPDATE identifiers SET customer_id = ${rootId}, moved_from = nullif(moved_from, ${rootId})
    WHERE profile_id = ${profileId} AND customer_id = ${survivorId} AND moved_from = ANY (${memberIds}::uuid[])`.execute(
    tx,
  );
  return Number(numAffectedRows ?? 0);
}

/** Merges customers that are one person without the undone merges. Resolves to those that were merged away. */
async function join(
  tx: Tx,
  { rootId, memberIds }: Part,
  { added }: Change,
  { profileId, at }: UndoOptions,
): Promise<string[]> {
  const members = new Set(memberIds);
  const messages = added.filter(({ one }) => members.has(one));
  if (messages.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM customers
    WHERE profile_id = ${profileId} AND id = ANY (${memberIds}::uuid[]) AND id <> ${rootId} AND merged_into IS NULL`.execute(
    tx,
  );
  const losers = rows.map(({ id }) => id);
  const free = new Set(memberIds.filter((id) => id !== rootId));
  for (const { one, other, source, requestId, saidKinds } of messages) {
    // The customer to merge away; if the message only replaces another one that joined them, a customer that it named.
    const loserId = [...losers, other, one, ...free].find((id) => free.has(id)) ?? other;
    free.delete(loserId);
    // Must be their latest merge: triggers find it by time when they move the rows.
    await sql`
      INSERT INTO merges (profile_id, loser_id, survivor_id, merged_at, source, request_id, said_kinds, named_one, named_other, moved_identifiers)
      VALUES (${profileId}, ${loserId}, ${rootId}, greatest(${at}::timestamptz, (
          SELECT max(merged_at) + interval '1 microsecond' FROM merges WHERE profile_id = ${profileId} AND loser_id = ${loserId})),
        ${source}, ${requestId}, ${saidKinds}::text[], ${one}, ${other},
        (SELECT count(*) FROM identifiers WHERE profile_id = ${profileId} AND customer_id = ${loserId}))`.execute(tx);
  }
  await sql`
    UPDATE identifiers SET customer_id = ${rootId}, moved_from = coalesce(moved_from, customer_id)
    WHERE profile_id = ${profileId} AND customer_id = ANY (${losers}::uuid[])`.execute(tx);
  await sql`
    UPDATE customers SET merged_into = ${rootId} WHERE profile_id = ${profileId} AND id = ANY (${losers}::uuid[])`.execute(
    tx,
  );
  // Conflicts are resolved where the merged customer now holds the identifier.
  await sql`
    DELETE FROM identity_conflicts c USING identifiers i
    WHERE c.profile_id = ${profileId} AND c.customer_id = ANY (${memberIds}::uuid[])
      AND i.profile_id = ${profileId} AND i.kind = c.kind AND i.value = c.value AND i.customer_id = ${rootId}`.execute(
    tx,
  );
  return losers;
}

/** Records that the customers stay apart, so that the next message that names both does not merge them again. */
async function keepApart(
  tx: Tx,
  undone: readonly ActiveMerge[],
  parts: readonly Part[],
  { profileId, at }: UndoOptions,
): Promise<void> {
  await sql`
    INSERT INTO kept_apart (profile_id, one, other, one_is, other_is, merge_id, kept_at)
    SELECT ${profileId}, u.one, u.other, u.one, u.other, u.merge_id, ${at}
    FROM unnest(${undone.map(({ one }) => one)}::uuid[], ${undone.map(({ other }) => other)}::uuid[],
      ${undone.map(({ id }) => id)}::uuid[]) AS u (one, other, merge_id)
    ON CONFLICT DO NOTHING`.execute(tx);
  const members = parts.flatMap(({ rootId, memberIds }) => memberIds.map((id) => ({ id, rootId })));
  for (const side of ['one', 'other'])
    await sql`
      UPDATE kept_apart a SET ${sql.ref(`${side}_is`)} = p.root
      FROM unnest(${members.map(({ id }) => id)}::uuid[], ${members.map(({ rootId }) => rootId)}::uuid[]) AS p (id, root)
      WHERE a.profile_id = ${profileId} AND a.${sql.ref(side)} = p.id`.execute(tx);
}
