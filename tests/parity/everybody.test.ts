import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { raw } from '@tributary/clickhouse';
import { createScratch, type Scratch } from '@tributary/clickhouse/scratch.ts';
import { hourWeights, minuteWeights } from '@tributary/rules';
import { afterAll, beforeAll, expect, test } from 'vitest';

let scratch: Scratch;
beforeAll(async () => {
  scratch = await createScratch();
});
afterAll(() => scratch.drop());

const profileId = '00000000-0000-4000-8000-00000000000a';
const batchId = '00000000-0000-4000-8000-00000000000b';
const touches = 50_000;
const conversions = 1_000;
const start = "toDateTime64('2026-01-01 00:00:00', 3, 'UTC')";

test('a customer with 50,000 touches and 1,000 conversions takes less than 2 GB and 10 seconds', async () => {
  const { client } = scratch;
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
  const statement = raw(`${readFileSync(file, 'utf8').trimEnd()}, max_memory_usage = 2000000000`);
  const startedAt = performance.now();
  await client.command(statement, {
    profile_id: profileId,
    batch_id: batchId,
    target: 'attribution_results',
    bucket: 0,
    version: '1',
    hour_weights: hourWeights,
    minute_weights: minuteWeights,
  });
  const seconds = (performance.now() - startedAt) / 1_000;

  // 50 touches lie between two conversions, and all of them within the 90 days but for the oldest.
  const results = await client.query(
    raw<{ touch_count: number; path: string }>(
      `SELECT touch_count, length(touch_ids) AS path FROM attribution_results WHERE profile_id = '${profileId}' ORDER BY conversion_time`,
    ),
    {},
  );
  const inLookback = (90 * 86_400) / 150 + 1;
  expect(results.map(({ touch_count }) => touch_count)).toEqual(
    Array.from({ length: conversions }, (_, index) => Math.min(index * 50 + 1, inLookback)),
  );
  expect(Math.max(...results.map(({ path }) => Number(path)))).toBe(200);
  expect(seconds).toBeLessThan(10);
}, 60_000);
