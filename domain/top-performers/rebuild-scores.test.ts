import { type ClickHouse, raw } from '@tributary/clickhouse';
import { buildProfile, openTestWithClickHouse } from '@tributary/testkit';
import { schedule } from '@tributary/work';
import { sql } from 'kysely';
import { beforeEach, expect, test, vi } from 'vitest';
import { rebuildScores } from './rebuild-scores.job.ts';
import { windowsOf } from './windows.ts';

// A profile is four windows, and each of them statements over all of it.
vi.setConfig({ testTimeout: 60_000 });

const { kit, clickhouse } = await openTestWithClickHouse();
let profiles: string[];
beforeEach(async () => {
  const owner = await Promise.all(Array.from({ length: 2 }, () => buildProfile(kit.app)));
  profiles = owner.map(({ id }) => id);
  for (const id of profiles)
    await kit.app
      .forProfile(id)
      .transaction((tx) => sql`INSERT INTO delivery_copies (profile_id, is_due) VALUES (${id}, false)`.execute(tx));
});

const rebuild = (at: string, client = clickhouse, signal = new AbortController().signal) =>
  rebuildScores({ app: kit.app, system: kit.system, clickhouse: client, now: () => new Date(at) }, signal);

/** The day on which each of the profiles was last rebuilt, as the columns show it. */
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

test('[top-033] every night scores every profile once, however often the job runs', async () => {
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

/** The real engine, but for one profile. */
const without = (profileId: string): ClickHouse => ({
  ...clickhouse,
  query: async (query, parameters, options) => {
    if ((parameters as { profile_id?: string }).profile_id === profileId) throw new Error('out of order');
    return clickhouse.query(query, parameters, options);
  },
});

test('a profile that fails costs the others nothing, and has its turn at the next try', async () => {
  const [unlucky = ''] = profiles;
  await expect(rebuild('2026-06-17T02:40:00Z', without(unlucky))).rejects.toThrow('1 profiles could not be scored');
  expect(await rebuilt()).toEqual([null, ...profiles.slice(1).map(() => '2026-06-17T02:40')]);
  // Somebody may still be at work on it.
  expect(await rebuild('2026-06-17T02:45:00Z')).toBe(0);
  expect(await rebuild('2026-06-17T02:51:00Z')).toBe(1);
  expect((await rebuilt())[0]).toBe('2026-06-17T02:51');
});

test('stopped, it goes on with those that are left', async () => {
  const stop = new AbortController();
  let inserts = 0;
  const stopping: ClickHouse = {
    ...clickhouse,
    insert: async (table, rows, options) => {
      await clickhouse.insert(table, rows, options);
      inserts += 1;
      // In the middle of the second profile.
      if (inserts === 6) stop.abort();
    },
  };
  await expect(rebuild('2026-06-18T02:40:00Z', stopping, stop.signal)).rejects.toThrow();
  const done = Number(
    (
      await kit.system.unbound.query(
        sql<{ n: string }>`SELECT count(*) AS n FROM score_rebuilds WHERE rebuilt_at >= '2026-06-18'`,
      )
    ).rows[0]?.n,
  );
  expect(done).toBe(1);
  const all = Number(
    (await kit.system.unbound.query(sql<{ n: string }>`SELECT count(*) AS n FROM score_rebuilds`)).rows[0]?.n,
  );
  expect(await rebuild('2026-06-18T03:00:00Z')).toBe(all - 1);
});

test('windows end with the last day that is over where the profile is', () => {
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
