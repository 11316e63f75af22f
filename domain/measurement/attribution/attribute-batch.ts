import { randomUUID } from 'node:crypto';
import { type ClickHouse, dropPartition } from '@tributary/clickhouse';
import type { Postgres, Tx } from '@tributary/postgres';
import type { Group } from '@tributary/work';
import { sql } from 'kysely';
import { announceAttributed, findCredited } from './announce.ts';
import { recordFreshness } from './freshness.ts';
import { type StagedProfile, stageBatch } from './stage-batch.ts';
import { allBuckets, statementTables } from './statement.ts';

export interface Engines {
  readonly app: Postgres;
  readonly clickhouse: ClickHouse;
}

/**
 * A profile with at least this many waiting conversions counts as behind. With fewer it merely shared a batch with other profiles, and its
 * next batch follows at once.
 */
const behindThreshold = 1_000;

/**
 * Attributes dirty conversions of many profiles with one read of the ledger and one run of each statement, regardless of their number. Safe
 * to run again after a crash: no dirty mark is deleted before ClickHouse has all results.
 */
export async function attributeTogether({ app, clickhouse }: Engines, group: Group, now: () => Date): Promise<void> {
  const { batches } = group;
  const batchId = randomUUID();
  // Taken before the ledger is read, so that a later read always has a higher version.
  const version = await nextVersion(app);
  const staged = await stageBatch(app, clickhouse, batchId, batches);
  const profiles = [...staged.values()].filter(({ is_served, dirty }) => is_served && dirty);
  if (profiles.length > 0) {
    const batch = { batch_id: batchId, version };
    if (profiles.some(({ has_buried }) => has_buried)) await clickhouse.command('attribution_bury', batch);
    await clickhouse.command('attribution_attribute', {
      ...batch,
      target: 'attribution_results',
      ...allBuckets,
      applied_at: now(),
      ...statementTables,
    });
    // Reads the results before they are compared and dropped, and publishes before any dirty mark is deleted. After a crash in between, the
    // next run finds the same shares, and the stamp on the definition prevents a second event.
    await announceCredited(app, clickhouse, staged, version, now());
    await applyResults(clickhouse, version, now());
  }
  const behind = await group.settle((tx, held) => settle(tx, held, staged));
  for (const { key, items, isMore } of batches) {
    if (!staged.get(key)?.is_served || isMore === behind.has(key) || (isMore && items.length < behindThreshold))
      continue;
    await app.forProfile(key).transaction((tx) => recordFreshness(tx, key, isMore ? 'behind' : 'current', now()));
  }
  if (profiles.length > 0)
    await dropBatch(
      clickhouse,
      batchId,
      profiles.some(({ touches }) => touches),
    );
}

/** All versions come from one server: results of several runs coexist in ClickHouse, and the highest version wins. */
export async function nextVersion({ home }: Postgres): Promise<string> {
  const { rows } = await home.unbound.query(sql<{ version: string }>`SELECT nextval('dirty_revision') AS version`);
  return rows[0]?.version ?? '0';
}

/** The order matters: an earlier row must be in the history before it is overwritten. */
export async function applyResults(clickhouse: ClickHouse, version: string, appliedAt: Date): Promise<void> {
  const results = { version, applied_at: appliedAt };
  await clickhouse.command('attribution_keep_history', results);
  await clickhouse.command('attribution_apply', results);
  await dropPartition(clickhouse, 'attribution_results', version);
}

export async function dropBatch(clickhouse: ClickHouse, batchId: string, hasTouches = true): Promise<void> {
  await Promise.all([
    dropPartition(clickhouse, 'attribution_conversions', batchId),
    dropPartition(clickhouse, 'attribution_links', batchId),
    ...(hasTouches ? [dropPartition(clickhouse, 'attribution_touches', batchId)] : []),
  ]);
}

/** Skips the ClickHouse query for profiles whose definitions are all stamped, which is the usual case. */
async function announceCredited(
  app: Postgres,
  clickhouse: ClickHouse,
  staged: ReadonlyMap<string, StagedProfile>,
  version: string,
  now: Date,
): Promise<void> {
  const unstamped = new Map([...staged].map(([key, row]) => [key, new Set(row.unstamped)]));
  const profileIds = [...staged].filter(([, row]) => row.is_served && row.unstamped).map(([key]) => key);
  if (profileIds.length === 0) return;
  const credited = await findCredited(clickhouse, 'attribution_results', { profileIds, version });
  for (const [profileId, definitionIds] of credited) {
    const news = definitionIds.filter((id) => unstamped.get(profileId)?.has(id));
    if (news.length > 0)
      await app.forProfile(profileId).transaction((tx) => announceAttributed(tx, profileId, news, now));
  }
}

/**
 * Deletes the dirty marks that were not renewed since the ledger was read, and all marks of profiles that are being deleted. Skips rows
 * that another transaction is marking right now: they must be attributed again anyway, and the writer need not wait for this batch. Returns
 * the profiles that are recorded as behind.
 */
async function settle(
  tx: Tx,
  held: ReadonlySet<string>,
  staged: ReadonlyMap<string, StagedProfile>,
): Promise<ReadonlySet<string>> {
  const done = [...staged].flatMap(([profileId, { dirty }]) =>
    held.has(profileId) ? (dirty ?? []).map(({ id, revision }) => ({ profileId, id, revision })) : [],
  );
  // Looks up each row by its key. With statistics from when the list was empty, PostgreSQL once compared every row with every id.
  const { rows: settled } = await sql<{ profile_id: string; outcome_id: string }>`
    DELETE FROM dirty_conversions WHERE ctid = ANY (ARRAY(
      SELECT d.place
      FROM unnest(${done.map(({ profileId }) => profileId)}::uuid[], ${done.map(({ id }) => id)}::uuid[], ${done.map(({ revision }) => revision)}::bigint[])
        AS done (profile_id, outcome_id, revision)
      CROSS JOIN LATERAL (
        SELECT ctid AS place FROM dirty_conversions
        WHERE profile_id = done.profile_id AND revision = done.revision AND outcome_id >= done.outcome_id AND outcome_id <= done.outcome_id
        ORDER BY outcome_id LIMIT 1 FOR UPDATE SKIP LOCKED) d))
    RETURNING profile_id, outcome_id`.execute(tx);
  // Deletes moved conversions of the settled outcomes: their earlier times are buried. An outcome that moved again since is dirty again,
  // and its row stays.
  await sql`
    DELETE FROM moved_conversions WHERE ctid = ANY (ARRAY(
      SELECT m.place
      FROM unnest(${settled.map((one) => one.profile_id)}::uuid[], ${settled.map((one) => one.outcome_id)}::uuid[]) AS s (profile_id, outcome_id)
      CROSS JOIN LATERAL (
        SELECT ctid AS place FROM moved_conversions WHERE profile_id = s.profile_id AND outcome_id = s.outcome_id OFFSET 0) m))`.execute(
    tx,
  );
  const { rows } = await sql<{ profile_id: string }>`
    SELECT profile_id FROM attribution_freshness
    WHERE state = 'behind' AND profile_id = ANY (${[...held]}::uuid[])`.execute(tx);
  return new Set(rows.map(({ profile_id }) => profile_id));
}
