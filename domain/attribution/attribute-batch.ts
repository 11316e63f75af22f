import { randomUUID } from 'node:crypto';
import { type ClickHouse, dropPartition } from '@tributary/clickhouse';
import { isServed } from '@tributary/domain/tenants';
import type { Postgres } from '@tributary/postgres';
import type { Batch } from '@tributary/work';
import { sql } from 'kysely';
import { announceAttributed, findCredited } from './announce.ts';
import { noteFreshness } from './freshness.ts';
import { stage } from './stage.ts';
import { statementTables } from './statement.ts';

export interface Engines {
  readonly app: Postgres;
  readonly clickhouse: ClickHouse;
}

/**
 * Works out some dirty conversions of a profile. Killed at any point it can simply be run again: nothing is taken off the list before
 * ClickHouse has all of it.
 */
export async function attributeBatch({ app, clickhouse }: Engines, taken: Batch, now: () => Date): Promise<void> {
  const { key: profileId } = taken;
  if (!(await app.forProfile(profileId).transaction((tx) => isServed(tx, profileId)))) return forgetDirty(app, taken);
  const batchId = randomUUID();
  // Before the snapshot, so that a later snapshot always has a higher version.
  const version = await nextVersion(app, profileId);
  const ids = taken.items.map(({ id }) => id);
  const { dirty } = await stage(app, clickhouse, profileId, batchId, { dirty: ids });
  if (dirty.length === 0) return;
  const batch = { profile_id: profileId, batch_id: batchId, version };
  await clickhouse.command('attribution_bury', batch);
  await clickhouse.command('attribution_attribute', {
    ...batch,
    target: 'attribution_results',
    bucket: 0,
    applied_at: now(),
    ...statementTables,
  });
  // From the results, before they are compared: killed in between, the batch finds the same ones again.
  const credited = await findCredited(clickhouse, 'attribution_results', batch);
  await applyResults(clickhouse, profileId, version, now());
  await finish(app, taken, dirty, credited, now());
  await dropBatch(clickhouse, batchId);
}

/** Of a profile that is being deleted nothing is worked out any more. */
async function forgetDirty(app: Postgres, { key: profileId, items }: Batch): Promise<void> {
  await app.forProfile(profileId).transaction((tx) =>
    sql`DELETE FROM dirty_conversions WHERE profile_id = ${profileId}
      AND outcome_id = ANY (${items.map(({ id }) => id)}::uuid[])`.execute(tx),
  );
}

export async function nextVersion(app: Postgres, profileId: string): Promise<string> {
  const { rows } = await app
    .forProfile(profileId)
    .transaction((tx) => sql<{ version: string }>`SELECT nextval('dirty_revision') AS version`.execute(tx));
  return rows[0]?.version ?? '0';
}

/** The order matters: an earlier row must be in the history before it is overwritten. */
export async function applyResults(
  clickhouse: ClickHouse,
  profileId: string,
  version: string,
  appliedAt: Date,
): Promise<void> {
  const results = { profile_id: profileId, version, applied_at: appliedAt };
  await clickhouse.command('attribution_keep_history', results);
  await clickhouse.command('attribution_apply', results);
  await dropPartition(clickhouse, 'attribution_results', version);
}

export async function dropBatch(clickhouse: ClickHouse, batchId: string): Promise<void> {
  await dropPartition(clickhouse, 'attribution_conversions', batchId);
  await dropPartition(clickhouse, 'attribution_links', batchId);
  await dropPartition(clickhouse, 'attribution_touches', batchId);
}

/** Takes off the list what has not been marked again meanwhile. */
async function finish(
  app: Postgres,
  { key: profileId, isMore, hold }: Batch,
  dirty: readonly { readonly outcome_id: string; readonly revision: string }[],
  credited: readonly string[],
  now: Date,
): Promise<void> {
  const ids = dirty.map(({ outcome_id }) => outcome_id);
  const revisions = dirty.map(({ revision }) => revision);
  await app.forProfile(profileId).transaction(async (tx) => {
    await hold(tx);
    const { rows } = await sql<{ outcome_id: string }>`
      DELETE FROM dirty_conversions d USING unnest(${ids}::uuid[], ${revisions}::bigint[]) AS done (outcome_id, revision)
      WHERE d.profile_id = ${profileId} AND d.outcome_id = done.outcome_id AND d.revision = done.revision
      RETURNING d.outcome_id`.execute(tx);
    const settled = rows.map(({ outcome_id }) => outcome_id);
    // What was remembered before the snapshot is buried. Whoever moved it since marked it dirty again, and it stays remembered.
    await sql`DELETE FROM moved_conversions WHERE profile_id = ${profileId} AND outcome_id = ANY (${settled}::uuid[])`.execute(
      tx,
    );
    await announceAttributed(tx, profileId, credited, now);
    await noteFreshness(tx, profileId, isMore ? 'behind' : 'current', now);
  });
}
