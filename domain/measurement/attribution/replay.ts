import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouse } from '@tributary/clickhouse';
import { announce } from '@tributary/domain/tenancy/events';
import type { Postgres, Schema, Tx } from '@tributary/postgres';
import type { CauseKind } from '@tributary/vocabulary';
import { LeaseLost, queues, returnLease, takeLease } from '@tributary/work';
import type { Updateable } from 'kysely';
import { v7 as uuid, v5 as uuidFrom } from 'uuid';
import { announceAttributed, findCredited } from './announce.ts';
import { applyResults, dropBatch, type Engines, nextVersion } from './attribute-batch.ts';
import { recordFreshness } from './freshness.ts';
import { stageAll } from './stage-all.ts';
import { bucketOf, mostBuckets, statementTables } from './statement.ts';

export interface ReplayOptions {
  readonly profileId: string;
  readonly cause: string;
  readonly now: () => Date;
  readonly signal: AbortSignal;
  readonly progress?: (done: number, total: number, conversions: number) => void;
  /** For tests; by default derived from the number of touches. */
  readonly buckets?: number;
}

export interface ReplayResult {
  readonly id: string;
  readonly state: 'done' | 'stopped';
  readonly buckets: number;
  readonly conversions: number;
}

/**
 * Uses as few buckets as memory allows, because each bucket scans the whole table for its customers. One bucket may use this share of the
 * engine's memory. A touch takes about 220 bytes in the benchmark, where one statement holds 20 million of them.
 */
const shareOfMemory = 0.25;
const bytesPerTouch = 250;
const memoryIfUnlimited = 8e9;

/** Longer than any statement may run: renewed between two buckets, the lease cannot expire. */
const leaseSeconds = 120;
/** The queue releases the lease of a busy profile only for milliseconds between two batches, so retry often. */
const leasePollMs = 50;

/**
 * Recomputes all conversions of a profile, bucket by bucket. A stopped replay continues at its next bucket if it is run again within a day.
 * Changes made meanwhile are marked dirty and attributed afterwards under a higher version.
 */
export async function replay(engines: Engines, options: ReplayOptions): Promise<ReplayResult> {
  const { app } = engines;
  const { profileId, signal } = options;
  const ledger = app.forProfile(profileId);
  // Keeps the attribution queue from processing this profile meanwhile.
  const lease = { queue: queues.attribution.name, key: profileId, holder: randomUUID() };
  const keep = () => ledger.transaction((tx) => takeLease(tx, lease, leaseSeconds));
  while (!(await keep())) await sleep(leasePollMs, undefined, { signal });
  try {
    const run = (await resume(engines, options)) ?? (await begin(engines, options));
    return await work(engines, options, run, keep);
  } finally {
    await ledger.transaction((tx) => returnLease(tx, lease));
  }
}

interface Run {
  readonly id: string;
  /** Who requested the replay, or `rules` for a release with new attribution rules. */
  readonly cause: string;
  readonly batchId: string;
  readonly version: string;
  readonly buckets: number;
  readonly firstBucket: number;
  readonly conversionsDone: number;
  /** The profile had no results when the replay began, so there is nothing to compare, to keep in the history or to bury. */
  readonly isFirst: boolean;
}

async function resume({ app, clickhouse }: Engines, { profileId }: ReplayOptions): Promise<Run | undefined> {
  const row = await app
    .forProfile(profileId)
    .transaction((tx) =>
      tx
        .selectFrom('attribution_replays')
        .selectAll()
        .where('profile_id', '=', profileId)
        .where('state', 'in', ['running', 'stopped'])
        .orderBy('requested_at', 'desc')
        .limit(1)
        .executeTakeFirst(),
    );
  if (!row?.batch_id || row.version === null || row.buckets_total === null) return undefined;
  const buckets = row.buckets_total;
  const staged = await clickhouse.query('attribution_staged', {
    profile_id: profileId,
    batch_id: row.batch_id,
    buckets,
  });
  // The staged inputs are gone, or an earlier release staged them by bucket number instead of by hash.
  if (buckets > 1 && !staged.some(({ last_hash }) => last_hash >= buckets)) return undefined;
  if (staged.length === 0) return undefined;
  return {
    id: row.id,
    cause: row.cause,
    batchId: row.batch_id,
    version: row.version,
    buckets,
    firstBucket: row.buckets_done,
    conversionsDone: Number(row.conversions_done),
    isFirst: false,
  };
}

async function begin({ app, clickhouse }: Engines, { profileId, now, ...options }: ReplayOptions): Promise<Run> {
  const batchId = randomUUID();
  const ledger = app.forProfile(profileId);
  const { id, cause } = await ledger.transaction(async (tx) => {
    await recordFreshness(tx, profileId, 'behind', now());
    const started = { state: 'running', started_at: now() };
    const waiting = await findOfRules(tx, profileId);
    if (waiting) {
      await setReplay(tx, profileId, waiting.id, started);
      return waiting;
    }
    const requested = { id: uuid(), cause: options.cause };
    const row = { profile_id: profileId, ...requested, ...started, requested_at: now() };
    await tx.insertInto('attribution_replays').values(row).execute();
    return requested;
  });
  const buckets = options.buckets ?? (await countBuckets(clickhouse, profileId));
  const isFirst = (await clickhouse.query('attribution_exists', { profile_id: profileId })).length === 0;
  const version = await nextVersion(app);
  await stageAll(app, clickhouse, { profileId, batchId, replayId: id, cause: kindOf(cause) });
  // Only from here on can the replay be resumed: before, its inputs were incomplete.
  await update(ledger.transaction, profileId, id, { batch_id: batchId, version, buckets_total: buckets });
  return { id, cause, batchId, version, buckets, firstBucket: 0, conversionsDone: 0, isFirst };
}

async function countBuckets(clickhouse: ClickHouse, profileId: string): Promise<number> {
  const [size] = await clickhouse.query('attribution_size', { profile_id: profileId });
  const needed = Number(size?.touches ?? 0) * bytesPerTouch;
  const budget = (Number(size?.memory) || memoryIfUnlimited) * shareOfMemory;
  return Math.min(mostBuckets, Math.max(1, Math.ceil(needed / budget)));
}

async function work(
  { app, clickhouse }: Engines,
  { profileId, now, signal, progress = () => {} }: ReplayOptions,
  run: Run,
  keep: () => Promise<boolean>,
): Promise<ReplayResult> {
  const { id, cause, batchId, version, buckets, isFirst } = run;
  const target = isFirst ? 'attributed_conversions' : 'attribution_results';
  const { transaction } = app.forProfile(profileId);
  const staged = await clickhouse.query('attribution_staged', { profile_id: profileId, batch_id: batchId, buckets });
  const sizes = new Map(staged.map(({ nth, conversions }) => [nth, Number(conversions)]));
  let conversions = run.conversionsDone;
  const batch = { batch_id: batchId, version };
  await update(transaction, profileId, id, { state: 'running', finished_at: null });
  for (let bucket = run.firstBucket; bucket < buckets; bucket += 1) {
    if (signal.aborted) {
      await update(transaction, profileId, id, { state: 'stopped' });
      return { id, state: 'stopped', buckets, conversions };
    }
    if (!(await keep())) throw new LeaseLost();
    await clickhouse.command('attribution_attribute', {
      ...{ ...batch, target, ...bucketOf(bucket, buckets), applied_at: now() },
      ...statementTables,
    });
    if (!isFirst) await applyResults(clickhouse, version, now());
    conversions += sizes.get(bucket) ?? 0;
    await update(transaction, profileId, id, { buckets_done: bucket + 1, conversions_done: String(conversions) });
    progress(bucket + 1, buckets, conversions);
  }
  if (!isFirst) {
    const unknown = { profile_id: profileId, cause: kindOf(cause), cause_ref: id };
    await clickhouse.command('attribution_bury_unknown', { ...batch, ...unknown });
    await applyResults(clickhouse, version, now());
  }
  const credited = await findCredited(clickhouse, 'attributed_conversions', { profileIds: [profileId], version });
  await transaction(async (tx) => {
    await setReplay(tx, profileId, id, { state: 'done', finished_at: now() });
    await announceAttributed(tx, profileId, credited.get(profileId) ?? [], now());
    await recordFreshness(tx, profileId, 'current', now());
    await announce(tx, [
      {
        id: uuidFrom(`recompute.completed:${id}`, profileId),
        type: 'recompute.completed',
        data: { profile_id: profileId, replay_id: id, cause, conversions },
        occurredAt: now(),
      },
    ]);
  });
  await dropBatch(clickhouse, batchId);
  return { id, state: 'done', buckets, conversions };
}

/** The replay that a release with new rules queued (`rules_changed()` in its migration) and that has not begun. */
const findOfRules = (tx: Tx, profileId: string) =>
  tx
    .selectFrom('attribution_replays')
    .select(['id', 'cause'])
    .where('profile_id', '=', profileId)
    .where('cause', '=', 'rules')
    .where('state', '=', 'queued')
    .limit(1)
    .executeTakeFirst();

/** The next profile, by id, with such a replay queued or unfinished. */
export async function findNextOfRules(owner: Postgres, after: string): Promise<string | undefined> {
  const found = await owner.allShards.lookUp<{ id: string }>(
    `SELECT profile_id AS id FROM attribution_replays
    WHERE cause = 'rules' AND state <> 'done' AND profile_id > $1::uuid ORDER BY profile_id LIMIT 1`,
    [after],
  );
  return found.map(({ id }) => id).sort()[0];
}

const kindOf = (cause: string): CauseKind => (cause === 'rules' ? 'rules' : 'replay');

type Changes = Updateable<Schema['attribution_replays']>;

const setReplay = (tx: Tx, profileId: string, id: string, changes: Changes) =>
  tx.updateTable('attribution_replays').set(changes).where('profile_id', '=', profileId).where('id', '=', id).execute();

const update = (
  transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
  profileId: string,
  id: string,
  changes: Changes,
) => transaction((tx) => setReplay(tx, profileId, id, changes));
