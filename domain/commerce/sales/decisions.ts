import type { ProfileContext } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { groupSales, pairKey, type RecordMatch } from '@tributary/rules';
import type { MatchDecision } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { findDecisions, markUnmatched } from './store.ts';

/** The ids of two records in ascending order, as matches and decisions store them. */
export interface Pair {
  readonly first: string;
  readonly second: string;
}

export interface Actor {
  readonly actorKind: string;
  readonly actorId: string;
}

export const toActor = ({ caller }: Pick<ProfileContext, 'caller'>): Actor => ({
  actorKind: caller.userId ? 'user' : caller.kind,
  actorId: caller.userId ?? caller.credentialId,
});

interface NewDecision extends Actor {
  readonly decision: MatchDecision;
  readonly at: Date;
  readonly batchId: string | null;
}

/** Stores one decision for several pairs and marks their records, so that the queue matches them again. */
export async function saveDecisions(
  tx: Tx,
  profileId: string,
  pairs: readonly Pair[],
  entry: NewDecision,
): Promise<void> {
  const { decision, actorKind, actorId, at, batchId } = entry;
  await sql`
    INSERT INTO sale_decisions AS d (profile_id, first_id, second_id, decision, actor_kind, actor_id, decided_at, batch_id)
    SELECT ${profileId}::uuid, p.first, p.second, ${decision}, ${actorKind}, ${actorId}, ${at}::timestamptz, ${batchId}::uuid
    FROM unnest(${pairs.map(({ first }) => first)}::uuid[], ${pairs.map(({ second }) => second)}::uuid[]) AS p (first, second)
    ORDER BY 2, 3
    ON CONFLICT (profile_id, first_id, second_id) DO UPDATE SET decision = excluded.decision, actor_kind = excluded.actor_kind,
      actor_id = excluded.actor_id, decided_at = excluded.decided_at, batch_id = excluded.batch_id`.execute(tx);
  await markPairs(tx, profileId, pairs);
}

export async function deleteDecision(tx: Tx, profileId: string, pair: Pair): Promise<void> {
  await sql`
    DELETE FROM sale_decisions WHERE profile_id = ${profileId} AND first_id = ${pair.first} AND second_id = ${pair.second}`.execute(
    tx,
  );
  await markPairs(tx, profileId, [pair]);
}

/** Removes a batch's decisions, except those that a member changed since. Resolves to their number. */
export async function deleteBatch(tx: Tx, profileId: string, batchId: string): Promise<number> {
  const { rows } = await sql<Pair>`
    DELETE FROM sale_decisions WHERE profile_id = ${profileId} AND batch_id = ${batchId}
    RETURNING first_id AS first, second_id AS second`.execute(tx);
  await markPairs(tx, profileId, rows);
  return rows.length;
}

const markPairs = (tx: Tx, profileId: string, pairs: readonly Pair[]) =>
  markUnmatched(
    tx,
    profileId,
    pairs.flatMap(({ first, second }) => [first, second]),
  );

/**
 * Finds the pairs that contradict other confirmed pairs: confirming them would put two records of one source, or a
 * rejected pair, into one sale.
 */
export async function findContradicted(
  tx: Tx,
  profileId: string,
  pairs: readonly Pair[],
): Promise<ReadonlySet<string>> {
  const confirmed = new Map<string, Pair>();
  const ids = new Set(pairs.flatMap(({ first, second }) => [first, second]));
  for (let frontier = [...ids]; frontier.length > 0; ) {
    const found = await findConfirmed(tx, profileId, frontier);
    for (const pair of found) confirmed.set(pairKey(pair.first, pair.second), pair);
    frontier = [...new Set(found.flatMap(({ first, second }) => [first, second]))].filter((id) => !ids.has(id));
    for (const id of frontier) ids.add(id);
  }
  const sources = await findSources(tx, profileId, [...ids]);
  const decisions = new Map(await findDecisions(tx, profileId, [...ids]));
  for (const { first, second } of pairs) decisions.set(pairKey(first, second), 'confirmed');
  const { states } = groupSales(
    sources.map(({ id, source }) => ({
      id,
      key: id,
      source,
      kind: 'server',
      at: 0,
      isIdentified: true,
      isExcluded: false,
    })),
    // Earlier confirmations have precedence.
    [
      ...[...confirmed.values()].map((pair) => toConfirmedMatch(pair, 0)),
      ...pairs
        .filter(({ first, second }) => !confirmed.has(pairKey(first, second)))
        .map((pair) => toConfirmedMatch(pair, 1)),
    ],
    { decisions, overlap: () => 'unknown' },
  );
  return new Set([...states].filter(([, state]) => state === 'suggested').map(([key]) => key));
}

const toConfirmedMatch = ({ first, second }: Pair, apartMs: number): RecordMatch => ({
  first,
  second,
  evidence: 'decision',
  reference: null,
  isCertain: false,
  isLikely: false,
  decision: 'confirmed',
  apartMs,
});

async function findConfirmed(tx: Tx, profileId: string, ids: readonly string[]): Promise<Pair[]> {
  const { rows } = await sql<Pair>`
    SELECT first_id AS first, second_id AS second FROM sale_decisions
    WHERE profile_id = ${profileId} AND decision = 'confirmed' AND first_id = ANY (${[...ids]}::uuid[])
    UNION
    SELECT first_id, second_id FROM sale_decisions
    WHERE profile_id = ${profileId} AND decision = 'confirmed' AND second_id = ANY (${[...ids]}::uuid[])`.execute(tx);
  return rows;
}

async function findSources(tx: Tx, profileId: string, ids: readonly string[]) {
  const { rows } = await sql<{ id: string; source: string }>`
    SELECT outcome_id AS id, source FROM sale_records WHERE profile_id = ${profileId} AND outcome_id = ANY (${[...ids]}::uuid[])`.execute(
    tx,
  );
  return rows;
}

export interface Batch extends Actor {
  readonly id: string;
  readonly decision: MatchDecision;
  readonly matches: number;
  readonly at: Date;
}

export async function saveBatch(tx: Tx, profileId: string, batch: Batch): Promise<void> {
  const { id, decision, matches, actorKind, actorId, at } = batch;
  await sql`
    INSERT INTO sale_batches (profile_id, id, decision, matches, actor_kind, actor_id, decided_at)
    VALUES (${profileId}, ${id}, ${decision}, ${matches}, ${actorKind}, ${actorId}, ${at})`.execute(tx);
}

/** Marks a batch as undone. Resolves to whether that is a change; undefined if there is no such batch. */
export async function endBatch(tx: Tx, profileId: string, id: string, now: Date): Promise<boolean | undefined> {
  const { rows } = await sql<{ undoneAt: Date | null }>`
    SELECT undone_at AS "undoneAt" FROM sale_batches WHERE profile_id = ${profileId} AND id = ${id} FOR UPDATE`.execute(
    tx,
  );
  const [batch] = rows;
  if (!batch) return undefined;
  if (batch.undoneAt) return false;
  await sql`UPDATE sale_batches SET undone_at = ${now} WHERE profile_id = ${profileId} AND id = ${id}`.execute(tx);
  return true;
}
