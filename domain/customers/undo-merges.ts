import type { Tx } from '@tributary/postgres';
import { sql } from 'kysely';
import { findIdentifiers } from './erase.ts';
import { openCustomers } from './open-customers.ts';
import { writeRecord } from './person-records.ts';
import type { Part } from './person-tree.ts';
import { findSurvivors, holdCustomers } from './store.ts';
import type { Tombstones } from './tombstones.ts';
import { type Change, changeWithout, type StandingMerge } from './without-merges.ts';

/** A merge as it is undone. */
export interface MergeToUndo {
  readonly id: string;
}

export interface Undoing {
  readonly profileId: string;
  readonly at: Date;
  readonly by: string;
  readonly reason: string;
  readonly tombstones: Tombstones;
}

/** Who was one person, and who they are now: the one whose id stays, and those that are their own again. */
export interface Undone {
  readonly survivorId: string;
  readonly separatedIds: readonly string[];
  /** Others who are one person without those merges: a message had named both, and did not join them because of the merges. */
  readonly joinedIds: readonly string[];
  readonly movedIdentifiers: number;
}

/** Another merge or undo came between our look and our lock. */
export class PersonMoved extends Error {}

/**
 * Takes merges of one person back, in the caller's transaction. Everybody is then who they would be had those merges never been: what messages said of
 * whom together is lived again without them. The person falls into parts, each of them the oldest of it with what was said of its customers;
 * and a part may be one with somebody else, from whom only the merge kept it. What other rooms keep follows by triggers.
 *
 * Locked as every writer of identities does: the people's identifiers, then the people. Whoever waits for one of them sees all of it or nothing.
 */
export async function undoMerges(tx: Tx, merges: readonly MergeToUndo[], undoing: Undoing): Promise<Undone> {
  const { profileId } = undoing;
  const { undone, change } = await lockChange(tx, merges, undoing);
  const { people, personOf, parts, joining } = change;
  await sql`SELECT set_config('tributary.undone_merge', ${merges.length === 1 ? (merges[0]?.id ?? '') : ''}, true)`.execute(
    tx,
  );
  await endMerges(tx, change, undone, undoing);
  let movedIdentifiers = 0;
  for (const personId of people) movedIdentifiers += await split(tx, profileId, personId, change);
  const joinedIds: string[] = [];
  for (const part of parts) joinedIds.push(...(await join(tx, part, change, undoing)));
  for (const part of parts) await writeRecord(tx, profileId, part, joining);
  await keepApart(tx, undone, parts, undoing);
  const wasOne = new Set(undone.map(({ one }) => personOf.get(one) ?? one));
  const theirs = parts.filter(({ memberIds }) => memberIds.some((id) => wasOne.has(personOf.get(id) ?? '')));
  const [survivorId, ...separatedIds] = theirs
    .toSorted((a, b) => Number(holdsAny(b, wasOne)) - Number(holdsAny(a, wasOne)))
    .map(({ rootId }) => rootId) as [string, ...string[]];
  return { survivorId, separatedIds, joinedIds, movedIdentifiers };
}

const holdsAny = ({ memberIds }: Part, ids: ReadonlySet<string>) => memberIds.some((id) => ids.has(id));

async function readUndone(tx: Tx, profileId: string, merges: readonly MergeToUndo[]): Promise<StandingMerge[]> {
  const { rows } = await sql<StandingMerge>`
    SELECT id, coalesce(named_one, loser_id) AS one, coalesce(named_other, survivor_id) AS other FROM merges
    WHERE profile_id = ${profileId} AND id = ANY (${merges.map(({ id }) => id)}::uuid[]) AND undone_at IS NULL ORDER BY id`.execute(
    tx,
  );
  return rows;
}

/** What changes without the merges, with everybody whom it changes locked, and everything they are known by. */
async function lockChange(
  tx: Tx,
  merges: readonly MergeToUndo[],
  { profileId, tombstones }: Undoing,
): Promise<{ undone: StandingMerge[]; change: Change }> {
  const look = async () => {
    const undone = await readUndone(tx, profileId, merges);
    const survivors = await findSurvivors(
      tx,
      profileId,
      undone.map(({ one }) => one),
    );
    const change = await changeWithout(tx, profileId, [...new Set(survivors.values())], undone);
    return { undone, change, identifiers: await findIdentifiers(tx, profileId, change.people) };
  };
  const before = await look();
  await openCustomers(tx, profileId, before.identifiers, tombstones);
  await holdCustomers(tx, profileId, before.change.people);
  const after = await look();
  const signatureOf = ({ undone, change, identifiers }: typeof before) =>
    JSON.stringify([undone, change.people, change.parts, identifiers.length]);
  // Somebody else may also have undone one of them between the caller's look and ours.
  const isMoved = after.undone.length < merges.length || signatureOf(after) !== signatureOf(before);
  if (isMoved) throw new PersonMoved();
  return after;
}

/** Runs work that undoes merges from the start where somebody else changed the person between look and lock. */
export async function untilUndone<A>(work: () => Promise<A>): Promise<A> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PersonMoved) || attempt === 20) throw error;
    }
  }
}

/** Those that are undone, and those that join nobody without them: what they said is kept, and counts again should it join. */
async function endMerges(
  tx: Tx,
  { ended }: Change,
  undone: readonly StandingMerge[],
  { profileId, at, by, reason }: Undoing,
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

/** Whoever of a person is of another part becomes somebody of their own. Resolves to how many identifiers went with them. */
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
  // One after another: each takes what is its own of what the survivor holds.
  for (const { rootId } of separated)
    await sql`UPDATE customers SET merged_into = NULL WHERE profile_id = ${profileId} AND id = ${rootId}`.execute(tx);
  return movedIdentifiers;
}

/** Everybody goes under somebody older of their own part, and those who will be let go under the survivor itself. */
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
      const under = mergedInto.get(id) ?? survivorId;
      const wanted = id === rootId ? survivorId : members.has(under) ? under : rootId;
      return wanted === under ? [] : [{ id, wanted }];
    });
  });
  if (moves.length === 0) return;
  await sql`
    UPDATE customers c SET merged_into = m.wanted
    FROM unnest(${moves.map(({ id }) => id)}::uuid[], ${moves.map(({ wanted }) => wanted)}::uuid[]) AS m (id, wanted)
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

/** People who are one person without the merges. Resolves to those who went into another. */
async function join(
  tx: Tx,
  { rootId, memberIds }: Part,
  { added }: Change,
  { profileId, at }: Undoing,
): Promise<string[]> {
  const members = new Set(memberIds);
  const said = added.filter(({ one }) => members.has(one));
  if (said.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM customers
    WHERE profile_id = ${profileId} AND id = ANY (${memberIds}::uuid[]) AND id <> ${rootId} AND merged_into IS NULL`.execute(
    tx,
  );
  const losers = rows.map(({ id }) => id);
  const free = new Set(memberIds.filter((id) => id !== rootId));
  for (const { one, other, source, requestId, saidKinds } of said) {
    // Who goes into another, and where a message only takes another's place in joining them, whom it named.
    const loserId = [...losers, other, one, ...free].find((id) => free.has(id)) ?? other;
    free.delete(loserId);
    // The latest of theirs: by that it is found when what they have follows.
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
  // What was somebody else's is theirs.
  await sql`
    DELETE FROM identity_conflicts c USING identifiers i
    WHERE c.profile_id = ${profileId} AND c.customer_id = ANY (${memberIds}::uuid[])
      AND i.profile_id = ${profileId} AND i.kind = c.kind AND i.value = c.value AND i.customer_id = ${rootId}`.execute(
    tx,
  );
  return losers;
}

/** The next message that names both must not join them again. */
async function keepApart(
  tx: Tx,
  undone: readonly StandingMerge[],
  parts: readonly Part[],
  { profileId, at }: Undoing,
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
