import type { Tx } from '@tributary/postgres';
import { sql } from 'kysely';
import { type Kept, live, type Named, type Part } from './person-tree.ts';

/** A merge that joins two customers. */
export interface StandingMerge extends Named {
  readonly id: string;
  readonly isConfirmed?: boolean;
}

/** A message that named two customers, in the order of messages. */
export interface SaidTogether extends Named {
  readonly saidAt: Date;
  readonly source: string;
  readonly requestId: string | null;
  readonly saidKinds: readonly string[];
}

/** Who would be who without some merges. */
export interface Change {
  /** Those whom it changes, by the ids that they have now. */
  readonly people: readonly string[];
  /** Whom they all are then. */
  readonly parts: readonly Part[];
  /** What joins those parts, in the order in which it was said. */
  readonly joining: readonly SaidTogether[];
  /** What of it joined nobody until now. */
  readonly added: readonly SaidTogether[];
  /** Merges that join nobody then, beside those that are undone. */
  readonly ended: readonly StandingMerge[];
  /** Of each customer, the person that it is now. */
  readonly personOf: ReadonlyMap<string, string>;
  readonly mergedInto: ReadonlyMap<string, string | null>;
}

/**
 * Looks at some people and at all whom a message ever named together with them. Who of those is somebody else then is looked at in the same way, until
 * there is nobody more whom it changes.
 */
export async function changeWithout(
  tx: Tx,
  profileId: string,
  people: readonly string[],
  undone: readonly StandingMerge[],
): Promise<Change> {
  const change = changeOf(await lookAround(tx, profileId, people), people, undone);
  return change.people.length === people.length ? change : changeWithout(tx, profileId, change.people, undone);
}

/** What is stored of some people, and of all whom a message named together with them. */
export interface Around {
  readonly customers: readonly Customer[];
  readonly said: readonly SaidTogether[];
  readonly merges: readonly StandingMerge[];
  readonly kept: Kept;
}

function changeOf(around: Around, people: readonly string[], undone: readonly StandingMerge[]): Change {
  const personOf = new Map(around.customers.map(({ id, personId }) => [id, personId]));
  const now = live(around.customers, around.said, around.kept);
  const sizes = Map.groupBy(personOf.values(), (id) => id);
  const isWhole = ({ memberIds: [first = '', ...others] }: Part) =>
    others.every((id) => personOf.get(id) === personOf.get(first)) &&
    others.length + 1 === sizes.get(personOf.get(first) ?? '')?.length;
  // Of whom more was decided than what is kept says, nothing is decided anew.
  const isOpen = new Set(people);
  for (const part of now.parts) if (isWhole(part)) for (const id of part.memberIds) isOpen.add(personOf.get(id) ?? id);
  const customers = around.customers.filter(({ personId }) => isOpen.has(personId));
  const apart = [...around.kept.apart, ...undone.map(({ one, other }) => [one, other] as const)];
  const { parts, joining } = live(customers, around.said, { ...around.kept, apart });
  const changed = new Set(people);
  for (const part of parts) if (!isWhole(part)) for (const id of part.memberIds) changed.add(personOf.get(id) ?? id);
  const isChanged = (id: string) => changed.has(personOf.get(id) ?? '');
  const theirs = joining.filter(({ one }) => isChanged(one));
  const standing = around.merges.filter(({ one }) => isChanged(one));
  const [joinedNow, joinedThen] = [new Set(standing.map(pairOf)), new Set(theirs.map(pairOf))];
  const without = new Set(undone.map(({ id }) => id));
  return {
    people: [...changed].sort(),
    parts: parts.filter(({ rootId }) => isChanged(rootId)),
    joining: theirs,
    added: theirs.filter((pair) => !joinedNow.has(pairOf(pair))),
    ended: standing.filter((merge) => !without.has(merge.id) && !joinedThen.has(pairOf(merge))),
    personOf,
    mergedInto: new Map(around.customers.map(({ id, mergedInto }) => [id, mergedInto])),
  };
}

/** The two of a pair, whichever is named first. */
export const pairOf = ({ one, other }: Named): string => [one, other].sort().join(' ');

export interface Customer {
  readonly id: string;
  readonly personId: string;
  readonly createdAt: Date;
  readonly mergedInto: string | null;
  readonly nationalId: string | null;
  readonly isKeyed: boolean;
}

export async function lookAround(tx: Tx, profileId: string, people: readonly string[]): Promise<Around> {
  const customers = await readAround(tx, profileId, people);
  const ids = customers.map(({ id }) => id);
  const { rows: merges } = await sql<StandingMerge & SaidTogether>`
    SELECT id, coalesce(named_one, loser_id) AS one, coalesce(named_other, survivor_id) AS other, merged_at AS "saidAt", source, request_id AS "requestId",
      said_kinds AS "saidKinds", confirmed_by IS NOT NULL AS "isConfirmed"
    FROM merges WHERE profile_id = ${profileId} AND coalesce(named_one, loser_id) = ANY (${ids}::uuid[]) AND undone_at IS NULL
    ORDER BY merged_at, id`.execute(tx);
  const { rows: together } = await sql<SaidTogether>`
    SELECT one, other, said_at AS "saidAt", source, request_id AS "requestId", said_kinds AS "saidKinds" FROM said_together
    WHERE profile_id = ${profileId} AND one = ANY (${ids}::uuid[]) AND other = ANY (${ids}::uuid[]) ORDER BY said_at, number`.execute(
    tx,
  );
  const { rows: apart } = await sql<Named>`
    SELECT one, other FROM kept_apart WHERE profile_id = ${profileId} AND one = ANY (${ids}::uuid[]) AND other = ANY (${ids}::uuid[])`.execute(
    tx,
  );
  // Merges of before this was kept say it themselves.
  const known = new Set(together.map(pairOf));
  const standing = new Set(merges.map(pairOf));
  const said = [...merges.filter((merge) => !known.has(pairOf(merge))), ...together].map((pair) => ({
    ...pair,
    isStanding: standing.has(pairOf(pair)),
  }));
  return {
    customers,
    merges,
    said: said.toSorted((a, b) => a.saidAt.getTime() - b.saidAt.getTime()),
    kept: {
      apart: apart.map(({ one, other }) => [one, other]),
      nationalIds: new Map(customers.flatMap(({ id, nationalId }) => (nationalId === null ? [] : [[id, nationalId]]))),
      keyed: new Set(customers.flatMap(({ id, isKeyed }) => (isKeyed ? [id] : []))),
    },
  };
}

/** All customers who are these people, or people that a message named together with them. */
async function readAround(tx: Tx, profileId: string, people: readonly string[]): Promise<Customer[]> {
  // Whatever the planner expects of a recursion, each step looks up its rows: the alternative reads all customers of the profile.
  const lookUp = (columns: string, condition: string) =>
    sql`LATERAL (SELECT ${sql.raw(columns)} FROM customers c WHERE c.profile_id = ${profileId} AND ${sql.raw(condition)} OFFSET 0) c`;
  const named = (column: 'one' | 'other', by: 'one' | 'other') =>
    sql`LATERAL (SELECT t.${sql.raw(column)} AS id FROM said_together t WHERE t.profile_id = ${profileId} AND t.${sql.raw(by)} = theirs.id OFFSET 0) t`;
  const identifier = (kind: string, column: string) => sql`(
      SELECT ${sql.raw(column)} FROM identifiers i
      WHERE i.profile_id = ${profileId} AND i.customer_id = everybody.person AND i.kind = ${kind} AND coalesce(i.moved_from, i.customer_id) = c.id
      LIMIT 1)`;
  // PostgreSQL expects ten thousand rows of the recursion and would compile the statement for a second; it returns a handful.
  await sql`SELECT set_config('jit', 'off', true)`.execute(tx);
  const { rows } = await sql<Customer>`
    WITH RECURSIVE theirs AS (
      SELECT unnest(${people}::uuid[]) AS id
      UNION ALL
      SELECT c.id FROM theirs CROSS JOIN ${lookUp('c.id', 'c.merged_into = theirs.id')}
    ), named AS (
      SELECT t.id FROM theirs CROSS JOIN ${named('other', 'one')}
      UNION
      SELECT t.id FROM theirs CROSS JOIN ${named('one', 'other')}
    ), became AS (
      SELECT c.id, c.merged_into FROM named CROSS JOIN ${lookUp('c.id, c.merged_into', 'c.id = named.id')}
      UNION
      SELECT c.id, c.merged_into FROM became CROSS JOIN ${lookUp('c.id, c.merged_into', 'c.id = became.merged_into')}
    ), everybody AS (
      SELECT id, id AS person FROM became WHERE merged_into IS NULL
      UNION
      SELECT id, id FROM unnest(${people}::uuid[]) AS one (id)
      UNION
      SELECT c.id, everybody.person FROM everybody CROSS JOIN ${lookUp('c.id', 'c.merged_into = everybody.id')}
    )
    SELECT c.id, everybody.person AS "personId", c.created_at AS "createdAt", c.merged_into AS "mergedInto",
      ${identifier('national_id', 'i.value')} AS "nationalId",
      coalesce(${identifier('external_customer_id', 'true')}, false) AS "isKeyed"
    FROM everybody CROSS JOIN ${lookUp('c.id, c.created_at, c.merged_into', 'c.id = everybody.id')}
    ORDER BY c.id`.execute(tx);
  return rows;
}
