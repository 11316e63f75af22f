import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClickHouse, raw } from '@tributary/clickhouse';
import { allBuckets, statementTables } from '@tributary/domain/measurement/attribution/module.ts';

/** A catch-all customer, as a shop's point of sale records walk-in sales. */
export const everybody = {
  touches: 50_000,
  conversions: 1_000,
  maxMemoryBytes: 2_000_000_000,
  maxSeconds: 10,
} as const;

const profileId = '00000000-0000-4000-8000-00000000000a';
const batchId = '00000000-0000-4000-8000-00000000000b';
const start = "toDateTime64('2026-01-01 00:00:00', 3, 'UTC')";

export interface Everybody {
  readonly seconds: number;
  /** By conversion, in order of time. */
  readonly touchCounts: readonly number[];
  readonly longestPath: number;
}

/** Attributes this customer with a memory limit, above which ClickHouse fails. */
export async function attributeEverybody(client: ClickHouse): Promise<Everybody> {
  const { touches, conversions, maxMemoryBytes } = everybody;
  const run = (text: string) => client.command(raw(text), {});
  await run(`INSERT INTO touches (profile_id, visitor_id, occurred_at, touch_id, session_id, channel, source)
    SELECT '${profileId}', '${profileId}', ${start} + number * 150, generateUUIDv4(1), generateUUIDv4(2), if(number % 3 = 0, 'direct', 'paid_social'), 'x'
    FROM numbers(${touches})`);
  await run(`INSERT INTO attribution_links (batch_id, profile_id, visitor_id, person_id)
    VALUES ('${batchId}', '${profileId}', '${profileId}', '${profileId}')`);
  await run(`INSERT INTO attribution_conversions (batch_id, profile_id, conversion_id, conversion_time, person_id, is_eligible, lookback_days, value, has_value)
    SELECT '${batchId}', '${profileId}', generateUUIDv4(), ${start} + number * 7500, '${profileId}', 1, 90, 99999 + number, 1
    FROM numbers(${conversions})`);

  const file = join(import.meta.dirname, '../../packages/clickhouse/queries/attribution_attribute.sql');
  const statement = raw(`${readFileSync(file, 'utf8').trimEnd()}, max_memory_usage = ${maxMemoryBytes}`);
  const startedAt = performance.now();
  await client.command(statement, {
    batch_id: batchId,
    target: 'attribution_results',
    ...allBuckets,
    version: '1',
    applied_at: new Date(0),
    ...statementTables,
  });
  const seconds = (performance.now() - startedAt) / 1_000;

  const results = await client.query(
    raw<{ touch_count: number; path: string }>(
      `SELECT touch_count, length(touch_ids) AS path FROM attribution_results WHERE profile_id = '${profileId}' ORDER BY conversion_time`,
    ),
    {},
  );
  return {
    seconds,
    touchCounts: results.map(({ touch_count }) => touch_count),
    longestPath: Math.max(...results.map(({ path }) => Number(path))),
  };
}

/** There are 50 touches between two conversions, up to those that the lookback of 90 days contains. */
export const expectedTouchCounts = Array.from({ length: everybody.conversions }, (_, index) =>
  Math.min(index * 50 + 1, (90 * 86_400) / 150 + 1),
);
