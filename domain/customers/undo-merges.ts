import type { Tx } from '@tributary/postgres';
import { byAge, type Identifier, maxTermsOfCustomer, searchTerms } from '@tributary/rules';
import { sql } from 'kysely';
import { type Facts, filledFacts, type ToldFact } from './customer-book.ts';
import { findIdentifiers } from './erase.ts';
import { openCustomers } from './open-customers.ts';
import { findCustomer } from './people.ts';
import { type Part, partsOf } from './person-tree.ts';
import { holdCustomers } from './store.ts';
import type { Tombstones } from './tombstones.ts';

/** A merge as it is undone. */
export interface MergeToUndo {
  readonly id: string;
  readonly loserId: string;
  readonly undoneAt: Date | null;
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
  readonly movedIdentifiers: number;
}

/** Another merge or undo came between our look and our lock. */
class PersonMoved extends Error {}

/**
 * Takes merges of one person back, in the caller's transaction. The merges of a person are a tree; without some of its edges it falls into
 * parts, and each part is who it would be had those merges never been: the oldest of it, with what was said of its customers. What
 * other rooms keep follows by triggers, when the part is let go.
 *
 * Locked as every writer of identities does: the person's identifiers, then the person. Whoever waits for one of them sees all of it or nothing.
 */
export async function undoMerges(tx: Tx, merges: readonly MergeToUndo[], undoing: Undoing): Promise<Undone> {
  const { profileId } = undoing;
  const survivorId = await lockPerson(tx, merges, undoing);
  const nodes = await readPerson(tx, profileId, survivorId);
  const edges = await readEdges(tx, profileId, [...nodes.keys()]);
  const without = new Set(merges.map(({ id }) => id));
  const left = edges.filter(({ id }) => !without.has(id));
  const parts = partsOf([...nodes.values()], left);
  const separated = parts.filter(({ rootId }) => rootId !== survivorId);
  await reparent(tx, profileId, parts, nodes, survivorId);
  let movedIdentifiers = 0;
  for (const part of separated) movedIdentifiers += await moveIdentifiers(tx, profileId, part, survivorId);
  for (const part of parts) await writeRecord(tx, profileId, part, nodes, left);
  await keepApart(tx, edges, parts, without, undoing);
  await sql`SELECT set_config('tributary.undone_merge', ${merges.length === 1 ? (merges[0]?.id ?? '') : ''}, true)`.execute(
    tx,
  );
  // One after another: each takes what is its own of what the survivor holds.
  for (const { rootId } of separated)
    await sql`UPDATE customers SET merged_into = NULL WHERE profile_id = ${profileId} AND id = ${rootId}`.execute(tx);
  return { survivorId, separatedIds: separated.map(({ rootId }) => rootId), movedIdentifiers };
}

/** Resolves to who the merged are by now, locked together with everything they are known by. */
async function lockPerson(tx: Tx, merges: readonly MergeToUndo[], { profileId, tombstones }: Undoing): Promise<string> {
  const [first] = merges as readonly [MergeToUndo];
  const { rows } = await sql<{ one: string }>`
    SELECT coalesce(named_one, loser_id) AS one FROM merges WHERE profile_id = ${profileId} AND id = ${first.id}`.execute(
    tx,
  );
  const named = rows[0]?.one ?? first.loserId;
  const survivorId = (await findCustomer(tx, profileId, named)) ?? named;
  const before = await findIdentifiers(tx, profileId, [survivorId]);
  await openCustomers(tx, profileId, before, tombstones);
  await holdCustomers(tx, profileId, [survivorId]);
  const after = await findIdentifiers(tx, profileId, [survivorId]);
  const isSame = after.length === before.length && (await findCustomer(tx, profileId, named)) === survivorId;
  if (!isSame) throw new PersonMoved();
  return survivorId;
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

interface Node {
  readonly id: string;
  readonly createdAt: Date;
  readonly mergedInto: string | null;
  readonly facts: Facts;
}

async function readPerson(tx: Tx, profileId: string, survivorId: string): Promise<Map<string, Node>> {
  const { rows } = await sql<Omit<Node, 'facts'> & { own: Stored<Facts> }>`
    SELECT id, created_at AS "createdAt", merged_into AS "mergedInto", coalesce(own, jsonb_build_object('firstName', first_name,
      'lastName', last_name, 'primaryEmail', primary_email, 'primaryPhone', primary_phone, 'sources', to_jsonb(sources),
      'firstSeenAt', first_seen_at, 'lastSeenAt', last_seen_at)) AS own
    FROM customers WHERE profile_id = ${profileId} AND id = ANY (merged_under(${profileId}, ${survivorId}))`.execute(
    tx,
  );
  return new Map(
    rows.map(({ own, ...row }) => [
      row.id,
      { ...row, facts: { ...own, firstSeenAt: new Date(own.firstSeenAt), lastSeenAt: new Date(own.lastSeenAt) } },
    ]),
  );
}

/** As JSON keeps it. */
type Stored<T> = { readonly [Key in keyof T]: T[Key] extends Date ? string : T[Key] };

interface Edge {
  readonly id: string;
  readonly one: string;
  readonly other: string;
  readonly loserId: string;
  readonly mergedAt: Date;
}

/**
 * Merges of before their two ends were kept joined whom they name. Asked for by an end and not by the loser: whoever was merged for somebody
 * else may be their own again, and the merge stands between those whom it named.
 */
async function readEdges(tx: Tx, profileId: string, customerIds: readonly string[]): Promise<Edge[]> {
  const { rows } = await sql<Edge>`
    SELECT id, coalesce(named_one, loser_id) AS one, coalesce(named_other, survivor_id) AS other, loser_id AS "loserId", merged_at AS "mergedAt"
    FROM merges WHERE profile_id = ${profileId} AND coalesce(named_one, loser_id) = ANY (${customerIds}::uuid[]) AND undone_at IS NULL
    ORDER BY merged_at`.execute(tx);
  return rows;
}

/** Everybody goes under somebody older of their own part, and those who will be let go under the survivor itself. */
async function reparent(
  tx: Tx,
  profileId: string,
  parts: readonly Part[],
  nodes: ReadonlyMap<string, Node>,
  survivorId: string,
): Promise<void> {
  const moves = parts.flatMap(({ rootId, memberIds }) => {
    const members = new Set(memberIds);
    return memberIds.flatMap((id) => {
      if (id === survivorId) return [];
      const under = nodes.get(id)?.mergedInto ?? survivorId;
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

/** What a part is made of: the facts of its oldest, filled up from the others as its merges did. */
async function writeRecord(
  tx: Tx,
  profileId: string,
  { rootId, memberIds }: Part,
  nodes: ReadonlyMap<string, Node>,
  edges: readonly Edge[],
): Promise<void> {
  const own = nodes.get(rootId)?.facts as Facts;
  const members = memberIds.flatMap((id) => nodes.get(id) ?? []);
  const { whole, kept } = livedAgain(members, edges);
  const terms = termsOf(kept, await findIdentifiers(tx, profileId, [rootId]));
  await sql`
    UPDATE customers SET first_name = ${whole.firstName}, last_name = ${whole.lastName}, primary_email = ${whole.primaryEmail},
      primary_phone = ${whole.primaryPhone}, sources = ${[...whole.sources]}::text[], terms = ${terms}::text[],
      first_seen_at = ${whole.firstSeenAt}, last_seen_at = ${whole.lastSeenAt},
      own = ${members.length === 1 ? null : JSON.stringify(own)}::jsonb
    WHERE profile_id = ${profileId} AND id = ${rootId}`.execute(tx);
}

/** Whom some customers have become. */
type Person = Pick<Node, 'id' | 'createdAt'> & { facts: Facts };

/**
 * The merges once more, and what was said since the first of them, in their order: a merge fills the older one up from the younger, and what is
 * said of somebody fills up whom they are by then. Resolves to the whole person, and to all that was ever kept on the way.
 */
function livedAgain(members: readonly Node[], edges: readonly Edge[]): { whole: Facts; kept: Facts[] } {
  const people = new Map(
    members.map(({ id, createdAt, facts }): [string, Person] => [id, { id, createdAt, facts: factsAtFirst(facts) }]),
  );
  const personOf = (id: string) => people.get(id) as Person;
  const kept = [...people.values()].map(({ facts }) => facts);
  const merges = edges
    .filter(({ one, other }) => people.has(one) && people.has(other))
    .map(({ one, other, loserId, mergedAt }) => ({
      at: mergedAt.getTime(),
      // What joins is kept afterwards. Of several whom one message joins, the oldest comes first.
      order: people.get(loserId)?.createdAt.getTime() ?? 0,
      live() {
        const [older, younger] = [personOf(one), personOf(other)].sort(byAge) as [Person, Person];
        const whole = { ...older, facts: filledFacts(older.facts, younger.facts) };
        for (const [id, { id: is }] of people) if (is === older.id || is === younger.id) people.set(id, whole);
        return whole;
      },
    }));
  const sayings = members.flatMap(({ id, facts }) =>
    (Object.entries(facts.saidAt ?? {}) as [ToldFact, string][]).map(([fact, at]) => ({
      at: Date.parse(at),
      order: Number.POSITIVE_INFINITY,
      live() {
        const whole = personOf(id);
        whole.facts = { ...whole.facts, [fact]: whole.facts[fact] ?? facts[fact] };
        return whole;
      },
    })),
  );
  const history = [...merges, ...sayings].sort((a, b) => a.at - b.at || (a.order === b.order ? 0 : a.order - b.order));
  for (const { live } of history) kept.push(live().facts);
  return { whole: personOf(members[0]?.id ?? '').facts, kept };
}

/** What was known of somebody before anybody was merged with them. */
function factsAtFirst({ saidAt = {}, ...facts }: Facts): Facts {
  return { ...facts, ...Object.fromEntries(Object.keys(saidAt).map((fact) => [fact, null])) };
}

/** Whoever is one person is found by every name that was said of them. */
function termsOf(people: readonly Facts[], identifiers: readonly Identifier[]): string[] {
  const valuesOf = (wanted: Identifier['kind']) =>
    identifiers.filter(({ kind }) => kind === wanted).map(({ value }) => value);
  const terms = people.flatMap(({ firstName, lastName }) =>
    searchTerms({
      firstName: firstName ?? undefined,
      lastName: lastName ?? undefined,
      emails: valuesOf('email'),
      phones: valuesOf('phone'),
    }),
  );
  return [...new Set(terms)].slice(0, maxTermsOfCustomer);
}

/** The next message that names both must not join them again. */
async function keepApart(
  tx: Tx,
  edges: readonly Edge[],
  parts: readonly Part[],
  without: ReadonlySet<string>,
  { profileId, at, by, reason }: Undoing,
): Promise<void> {
  await sql`
    UPDATE merges SET undone_at = ${at}, undone_by = ${by}, reason = ${reason}
    WHERE profile_id = ${profileId} AND id = ANY (${[...without]}::uuid[])`.execute(tx);
  const partOf = new Map(parts.flatMap(({ rootId, memberIds }) => memberIds.map((id) => [id, rootId] as const)));
  const undone = edges.filter(({ id }) => without.has(id));
  await sql`
    INSERT INTO kept_apart (profile_id, one, other, one_is, other_is, merge_id, kept_at)
    SELECT ${profileId}, u.one, u.other, u.one, u.other, u.merge_id, ${at}
    FROM unnest(${undone.map(({ one }) => one)}::uuid[], ${undone.map(({ other }) => other)}::uuid[],
      ${undone.map(({ id }) => id)}::uuid[]) AS u (one, other, merge_id)
    ON CONFLICT DO NOTHING`.execute(tx);
  const members = [...partOf.keys()];
  const roots = members.map((id) => partOf.get(id));
  for (const side of ['one', 'other'])
    await sql`
      UPDATE kept_apart a SET ${sql.ref(`${side}_is`)} = p.root
      FROM unnest(${members}::uuid[], ${roots}::uuid[]) AS p (id, root)
      WHERE a.profile_id = ${profileId} AND a.${sql.ref(side)} = p.id`.execute(tx);
}
