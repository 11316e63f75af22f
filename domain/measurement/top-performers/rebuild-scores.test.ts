import { type ClickHouse, raw } from '@tributary/clickhouse';
import { buildProfile, openTestWithClickHouse, processQueue } from '@tributary/testkit';
import { schedule, startQueueWorker } from '@tributary/work';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { rebuildScores } from './rebuild-scores.job.ts';
import { scores } from './scores.queue.ts';
import { windowsOf } from './windows.ts';

// A profile has four windows, each with statements over all its data.

const { kit, clickhouse } = await openTestWithClickHouse();
let profiles: string[];
beforeEach(async () => {
  const owner = await Promise.all(Array.from({ length: 2 }, () => buildProfile(kit.app)));
  profiles = owner.map(({ id }) => id);
  for (const id of profiles)
    await kit.app
      .forProfile(id)
      .transaction((tx) => sql`INSERT INTO profiles_with_ads (profile_id) VALUES (${id})`.execute(tx));
});

const queueAt = (at: string, client = clickhouse) => scores({ app: kit.app, clickhouse: client }, () => new Date(at));

/** Runs the nightly job and then the queue. Returns the number of scored profiles. */
const rebuild = async (at: string) => {
  await rebuildScores(kit.system, new Date(at));
  return processQueue(kit.system, 'scores', queueAt(at));
};

/** The day of the last rebuild of each profile, according to ClickHouse. */
const rebuilt = async () => {
  const rows = await clickhouse.query(
    raw<{ profile_id: string; at: string }>(
      "SELECT profile_id, max(version) AS at FROM ad_scores WHERE score_window = '7d' GROUP BY profile_id",
    ),
    {},
  );
  const days = new Map(rows.map((row) => [row.profile_id, new Date(Number(row.at)).toISOString().slice(0, 16)]));
  return profiles.map((id) => days.get(id) ?? null);
};

test('[top-033] scores every profile once per night, however often the job runs', async () => {
  expect(schedule.filter(({ job }) => job === 'rebuildScores')).toMatchObject([
    { cron: expect.stringMatching(/^\d+ \d+ \* \* \*$/) },
  ]);
  expect(await rebuild('2026-06-15T02:40:00Z')).toBeGreaterThanOrEqual(2);
  const all = (at: string) => profiles.map(() => at);
  expect(await rebuilt()).toEqual(all('2026-06-15T02:40'));
  expect(await rebuild('2026-06-15T09:00:00Z')).toBe(0);
  expect(await rebuilt()).toEqual(all('2026-06-15T02:40'));
  await rebuild('2026-06-16T02:40:00Z');
  expect(await rebuilt()).toEqual(all('2026-06-16T02:40'));
});

/** The real engine, except that one profile fails. */
const without = (profileId: string): ClickHouse => ({
  ...clickhouse,
  query: async (query, parameters, options) => {
    if ((parameters as { profile_id?: string }).profile_id === profileId) throw new Error('out of order');
    return clickhouse.query(query, parameters, options);
  },
});

test('a failing profile does not affect the others, and is retried', async () => {
  const [unlucky = ''] = profiles;
  const at = '2026-06-17T02:40:00Z';
  await rebuildScores(kit.system, new Date(at));
  const failed: string[] = [];
  const start = (client: ClickHouse) =>
    startQueueWorker({
      system: kit.system,
      systemUrl: kit.database.systemUrl,
      handlers: { scores: queueAt(at, client) },
      blame: () => 'away',
      onFailure: ({ key = '' }) => failed.push(key),
    });
  const first = start(without(unlucky));
  const rest = profiles.slice(1).map(() => '2026-06-17T02:40');
  await expect.poll(rebuilt).toEqual([null, ...rest]);
  await expect.poll(() => failed.length).toBeGreaterThan(0);
  expect(new Set(failed)).toEqual(new Set([unlucky]));
  await first.stop();
  const second = start(clickhouse);
  await expect.poll(rebuilt).toEqual(['2026-06-17T02:40', ...rest]);
  await second.stop();
});

test('continues with the remaining profiles after a stop', async () => {
  const at = '2026-06-18T02:40:00Z';
  const all = await rebuildScores(kit.system, new Date(at));
  const [first = ''] = profiles;
  expect(await processQueue(kit.system, 'scores', queueAt(at), first)).toBe(1);
  expect(await rebuildScores(kit.system, new Date('2026-06-18T03:00:00Z'))).toBe(all - 1);
  expect(await processQueue(kit.system, 'scores', queueAt('2026-06-18T03:00:00Z'))).toBe(all - 1);
});

test('windows end with the last complete day in the profile’s time zone', () => {
  const at = new Date('2026-06-15T02:40:00Z');
  expect(windowsOf(at, 'UTC')).toEqual([
    { name: '7d', firstDay: '2026-06-08', lastDay: '2026-06-14' },
    { name: '14d', firstDay: '2026-06-01', lastDay: '2026-06-14' },
    { name: '28d', firstDay: '2026-05-18', lastDay: '2026-06-14' },
    { name: 'lifetime', firstDay: '2000-01-01', lastDay: '2026-06-14' },
  ]);
  expect(windowsOf(at, 'America/Santiago')[0]).toEqual({ name: '7d', firstDay: '2026-06-07', lastDay: '2026-06-13' });
  expect(windowsOf(new Date('2026-06-15T13:00:00Z'), 'Pacific/Auckland')[0]?.lastDay).toBe('2026-06-15');
});
