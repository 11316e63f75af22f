import type { Tx } from '@tributary/postgres';
import { sql } from 'kysely';
import { type JoinConstraints, type MentionedPair, type Part, replayMessages } from './merge-groups.ts';

/** A merge that is not undone. */
export interface ActiveMerge extends MentionedPair {
  readonly id: string;
  readonly isConfirmed?: boolean;
}

/** A message that named two customers. */
export interface CoMentionRow extends MentionedPair {
  readonly saidAt: Date;
  readonly source: string;
  readonly requestId: string | null;
  readonly saidKinds: readonly string[];
}

/** The differences between the current customers and those without some merges. */
export interface Change {
  /** The affected customers, by their current ids. */
  readonly survivorIds: readonly string[];
  /** The resulting groups. */
  readonly parts: readonly Part[];
  /** The messages that join those parts, in time order. */
  readonly joining: readonly CoMentionRow[];
  /** Those of `joining` that joined nothing until now. */
  readonly added: readonly CoMentionRow[];
  /** Further merges that no longer join anything. */
  readonly ended: readonly ActiveMerge[];
  /** The current survivor of each customer. */
  readonly personOf: ReadonlyMap<string, string>;
  readonly mergedInto: ReadonlyMap<string, string | null>;
}

/**
 * Computes the change for some customers and all that a message ever named together with them. Repeats with the customers that change too,
 * until no more are affected.
 */
export async function changeWithout(
  tx: Tx,
  profileId: string,
  survivorIds: readonly string[],
  undone: readonly ActiveMerge[],
): Promise<Change> {
  const change = computeChange(await loadNeighbourhood(tx, profileId, survivorIds), survivorIds, undone);
  return change.survivorIds.length === survivorIds.length
    ? change
    : changeWithout(tx, profileId, change.survivorIds, undone);
}

/** Stored data of some customers, and of all that a message named together with them. */
export interface Neighbourhood {
  readonly customers: readonly Customer[];
  readonly coMentions: readonly CoMentionRow[];
  readonly merges: readonly ActiveMerge[];
  readonly constraints: JoinConstraints;
}

function computeChange(nearby: Neighbourhood, survivorIds: readonly string[], undone: readonly ActiveMerge[]): Change {
  const personOf = new Map(nearby.customers.map(({ id, personId }) => [id, personId]));
  const now = replayMessages(nearby.customers, nearby.coMentions, nearby.constraints);
  const sizes = Map.groupBy(personOf.values(), (id) => id);
  const isWhole = ({ memberIds: [first = '', ...others] }: Part) =>
    others.every((id) => personOf.get(id) === personOf.get(first)) &&
    others.length + 1 === sizes.get(personOf.get(first) ?? '')?.length;
  // Customers whose current state does not follow from the stored messages stay unchanged.
  const isOpen = new Set(survivorIds);
  for (const part of now.parts) if (isWhole(part)) for (const id of part.memberIds) isOpen.add(personOf.get(id) ?? id);
  const customers = nearby.customers.filter(({ personId }) => isOpen.has(personId));
  const apart = [...nearby.constraints.apart, ...undone.map(({ one, other }) => [one, other] as const)];
  const { parts, joining } = replayMessages(customers, nearby.coMentions, { ...nearby.constraints, apart });
  const changed = new Set(survivorIds);
  for (const part of parts) if (!isWhole(part)) for (const id of part.memberIds) changed.add(personOf.get(id) ?? id);
  const isChanged = (id: string) => changed.has(personOf.get(id) ?? '');
  const affected = joining.filter(({ one }) => isChanged(one));
  const activeMerges = nearby.merges.filter(({ one }) => isChanged(one));
  const [joinedNow, joinedThen] = [new Set(activeMerges.map(pairKey)), new Set(affected.map(pairKey))];
  const without = new Set(undone.map(({ id }) => id));
  return {
    survivorIds: [...changed].sort(),
    parts: parts.filter(({ rootId }) => isChanged(rootId)),
    joining: affected,
    added: affected.filter((pair) => !joinedNow.has(pairKey(pair))),
    ended: activeMerges.filter((merge) => !without.has(merge.id) && !joinedThen.has(pairKey(merge))),
    personOf,
    mergedInto: new Map(nearby.customers.map(({ id, mergedInto }) => [id, mergedInto])),
  };
}

/** A key of the pair, independent of its order. */
export const pairKey = ({ one, other }: MentionedPair): string => [one, other].sort().join(' ');

export interface Customer {
  readonly id: string;
  readonly personId: string;
  readonly createdAt: Date;
  readonly mergedInto: string | null;
  readonly nationalId: string | null;
  readonly isKeyed: boolean;
}

export async function loadNeighbourhood(
  tx: Tx,
  profileId: string,
  survivorIds: readonly string[],
): Promise<Neighbourhood> {
  const customers = await readNeighbours(tx, profileId, survivorIds);
  const ids = customers.map(({ id }) => id);
  const { rows: merges } = await sql<ActiveMerge & CoMentionRow>`
    SELECT id, coalesce(named_one, loser_id) AS one, coalesce(named_other, survivor_id) AS other, merged_at AS "saidAt", source, request_id AS "requestId",
      said_kinds AS "saidKinds", confirmed_by IS NOT NULL AS "isConfirmed"
    FROM merges WHERE profile_id = ${profileId} AND coalesce(named_one, loser_id) = ANY (${ids}::uuid[]) AND undone_at IS NULL
    ORDER BY merged_at, id`.execute(tx);
  const { rows: together } = await sql<CoMentionRow>`
    SELECT one, other, said_at AS "saidAt", source, request_id AS "requestId", said_kinds AS "saidKinds" FROM said_together
    WHERE profile_id = ${profileId} AND one = ANY (${ids}::uuid[]) AND other = ANY (${ids}::uuid[]) ORDER BY said_at, number`.execute(
    tx,
  );
  const { rows: apart } = await sql<MentionedPair>`
    SELECT one, other FROM kept_apart WHERE profile_id = ${profileId} AND one = ANY (${ids}::uuid[]) AND other = ANY (${ids}::uuid[])`.execute(
    tx,
  );
  // Older merges have no stored message: derive it from the merge.
  const stored = new Set(together.map(pairKey));
  const active = new Set(merges.map(pairKey));
  const coMentions = [...merges.filter((merge) => !stored.has(pairKey(merge))), ...together].map((pair) => ({
    ...pair,
    hasActiveMerge: active.has(pairKey(pair)),
  }));
  return {
    customers,
    merges,
    coMentions: coMentions.toSorted((a, b) => a.saidAt.getTime() - b.saidAt.getTime()),
    constraints: {
      apart: apart.map(({ one, other }) => [one, other]),
      nationalIds: new Map(customers.flatMap(({ id, nationalId }) => (nationalId === null ? [] : [[id, nationalId]]))),
      keyed: new Set(customers.flatMap(({ id, isKeyed }) => (isKeyed ? [id] : []))),
    },
  };
}

/** Members of these customers, and of customers that a message named together with them. */
async function readNeighbours(tx: Tx, profileId: string, survivorIds: readonly string[]): Promise<Customer[]> {
  // OFFSET 0 forces an index lookup per step. Otherwise the planner may scan all customers of the profile.
  const lookUp = (columns: string, condition: string) =>
    sql`LATERAL (SELECT ${sql.raw(columns)} FROM customers c WHERE c.profile_id = ${profileId} AND ${sql.raw(condition)} OFFSET 0) c`;
  const named = (column: 'one' | 'other', by: 'one' | 'other') =>
    sql`LATERAL (SELECT t.${sql.raw(column)} AS id FROM said_together t WHERE t.profile_id = ${profileId} AND t.${sql.raw(by)} = theirs.id OFFSET 0) t`;
  const identifier = (kind: string, column: string) => sql`(
      SELECT ${sql.raw(column)} FROM identifiers i
      WHERE i.profile_id = ${profileId} AND i.customer_id = everybody.person AND i.kind = ${kind} AND coalesce(i.moved_from, i.customer_id) = c.id
      LIMIT 1)`;
  // The planner expects 10,000 rows from the recursion and would spend a second on JIT compilation, for a handful of rows.
  await sql`SELECT set_config('jit', 'off', true)`.execute(tx);
  const { rows } = await sql<Customer>`
    WITH RECURSIVE theirs AS (
      SELECT unnest(${survivorIds}::uuid[]) AS id
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
      SELECT id, id FROM unnest(${survivorIds}::uuid[]) AS one (id)
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
