import { randomUUID } from 'node:crypto';
import { type ClickHouse, dropPartition } from '@tributary/clickhouse';
import type { Postgres, Tx } from '@tributary/postgres';
import type { Group } from '@tributary/work';
import { sql } from 'kysely';
import { announceAttributed, findCredited } from './announce.ts';
import { noteFreshness } from './freshness.ts';
import { type StagedProfile, stageBatch } from './stage-batch.ts';
import { allBuckets, statementTables } from './statement.ts';

export interface Engines {
  readonly app: Postgres;
  readonly clickhouse: ClickHouse;
}

/** Who has more waiting than this is behind. With less it only shared a batch with many others, and its next comes at once. */
const crowd = 1_000;

/**
 * Works out dirty conversions of many profiles: one look at the ledger and one run of each statement, however many there are. Killed at any
 * point it can simply be run again: nothing is taken off the lists before ClickHouse has all of it.
 */
export async function attributeTogether({ app, clickhouse }: Engines, group: Group, now: () => Date): Promise<void> {
  const { batches } = group;
  const batchId = randomUUID();
  // Before the look at the ledger, so that a later look always has a higher version.
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
    // From the results, before they are compared and dropped. Told before anything is taken off the lists: who is killed in between finds
    // the same shares again, and the stamp on the definition keeps them from being told twice.
    await announceCredited(app, clickhouse, staged, version, now());
    await applyResults(clickhouse, version, now());
  }
  const behind = await group.settle((tx, held) => settle(tx, held, staged));
  for (const { key, items, isMore } of batches) {
    if (!staged.get(key)?.is_served || isMore === behind.has(key) || (isMore && items.length < crowd)) continue;
    await app.forProfile(key).transaction((tx) => noteFreshness(tx, key, isMore ? 'behind' : 'current', now()));
  }
  if (profiles.length > 0)
    await dropBatch(
      clickhouse,
      batchId,
      profiles.some(({ touches }) => touches),
    );
}

/** From one server for all of them: results of several lie side by side in ClickHouse, and those of later versions count. */
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

/** Most profiles have nothing left to tell of, and then ClickHouse is not asked. */
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
 * Takes off the lists what has not been marked again meanwhile, and of profiles that are being deleted whatever there is. What somebody
 * is just marking is left: it will have to be worked out again anyway, and they need not wait for all these profiles. Resolves to the
 * profiles that are said to be behind.
 */
async function settle(
  tx: Tx,
  held: ReadonlySet<string>,
  staged: ReadonlyMap<string, StagedProfile>,
): Promise<ReadonlySet<string>> {
  const done = [...staged].flatMap(([profileId, { dirty }]) =>
    held.has(profileId) ? (dirty ?? []).map(({ id, revision }) => ({ profileId, id, revision })) : [],
  );
  // From each id to its row by the key, whatever statistics say of a list that was empty a moment ago: guessing from them, PostgreSQL
  // once held every row against every id.
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
  // What was remembered before the look at the ledger is buried. Whoever moved it since marked it dirty again, and it stays remembered.
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
