import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClickHouse, migrate, raw } from '@tributary/clickhouse';
import { replay } from '@tributary/domain/attribution/room.ts';
import { createPostgres } from '@tributary/postgres';
import { buildApiKey, buildProfile, type Drill, Killable, openApi, openDrillKit } from '@tributary/testkit';
import { dayMs } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { randomChanges } from './random-changes.ts';

const sizes = {
  small: { people: 150, changes: 600, kills: 1 },
  full: { people: 5_000, changes: 40_000, kills: 20 },
} as const;
/** Definitions change in this part of it only. */
const definedUntil = 0.5;

/**
 * Payments, refunds, changed times, merges, late visits, new links and changed definitions in random order, while the worker and
 * ClickHouse are killed in turn. What was worked out on the way must be what a replay of everything yields.
 */
export const drill: Drill = {
  name: 'replay-same',
  promise: 'Worked out bit by bit in any order, or all at once: the same rows, and nothing left of what was dropped.',

  async run({ size, progress, processes }) {
    const { people, changes, kills } = sizes[size];
    const kit = await openDrillKit('drill-replay-same', ['postgres', 'redis', 'clickhouse']);
    const settings = { ...kit.clickhouse, database: 'replay_same', requestTimeoutMs: 60_000 };
    await migrate(settings);
    const clickhouse = createClickHouse(settings);
    const app = createPostgres({ url: kit.database.appUrl, poolSize: 4 });
    const api = await openApi(kit);
    const script = join(import.meta.dirname, 'attribution-worker.ts');
    const addresses = [kit.database.appUrl, kit.database.systemUrl, settings.url, settings.database];
    const workers = Array.from({ length: processes.worker }, () => new Killable(script, addresses));
    const each = (act: (worker: Killable) => Promise<unknown>) => Promise.all(workers.map(act));
    try {
      const { id: profileId } = await buildProfile(app);
      // Each key has an allowance of its own; together they are not in the way.
      const keys = await Promise.all(
        Array.from({ length: 20 }, () => buildApiKey(app, profileId, { scopes: ['attribution:write', 'goals:write'] })),
      );
      const ledger = app.forProfile(profileId);
      await each((worker) => worker.start());

      const { next, counts } = randomChanges({ app, api, clickhouse, profileId, people, keys });

      let done = 0;
      const change = async () => {
        while (done < changes) {
          const { name, act } = next();
          // It makes every conversion dirty, and so hides whatever somebody forgot to: the later part goes without.
          if (name === 'define' && done > changes * definedUntil) continue;
          done += 1;
          await act();
          progress(done, changes, `${killed.worker} + ${killed.clickhouse} kills`);
        }
      };
      const killed = { worker: 0, clickhouse: 0 };
      const killer = async () => {
        while (killed.worker + killed.clickhouse < kills * 2 && done < changes) {
          await sleep(20);
          if (done / changes < (killed.worker + killed.clickhouse + 0.5) / (kills * 2 + 1)) continue;
          if (killed.worker <= killed.clickhouse) {
            const worker = workers[killed.worker % workers.length];
            await worker?.kill();
            await worker?.start();
            killed.worker += 1;
          } else {
            const shard = kit.engines.shards[killed.clickhouse % kit.engines.shards.length];
            await shard?.kill('clickhouse');
            await shard?.start(['clickhouse']);
            killed.clickhouse += 1;
          }
        }
      };
      await Promise.all([change(), change(), change(), killer()]);

      const left = async () =>
        Number(
          (
            await ledger.transaction((tx) =>
              sql<{
                n: string;
              }>`SELECT (SELECT count(*) FROM dirty_conversions) + (SELECT count(*) FROM dirty_customers) AS n`.execute(
                tx,
              ),
            )
          ).rows[0]?.n,
        );
      for (let waited = 0; (await left()) > 0 && waited < 300_000; waited += 200) await sleep(200);
      const undone = await left();
      await each((worker) => worker.kill());

      const read = async () =>
        new Map(
          (
            await clickhouse.query(
              raw<{ conversion_id: string }>(
                `SELECT * EXCEPT (version, cause, cause_ref, applied_at) FROM attributed_conversions FINAL WHERE profile_id = '${profileId}' ORDER BY conversion_time, conversion_id`,
              ),
              {},
            )
          ).map((row) => [row.conversion_id, JSON.stringify(row)] as const),
        );
      const replayed = async (buckets: number) => {
        await replay(
          { app, clickhouse },
          {
            profileId,
            cause: 'drill',
            now: () => new Date(Date.now() + 10 * dayMs),
            signal: new AbortController().signal,
            buckets,
          },
        );
        return read();
      };
      const incremental = await read();
      const once = await replayed(5);
      const twice = await replayed(2);
      const differ = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>) =>
        [...new Set([...a.keys(), ...b.keys()])].filter((id) => a.get(id) !== b.get(id));
      const different = differ(incremental, once);

      // A definition that no longer counts: nothing may be left.
      await ledger.transaction((tx) => sql`UPDATE definitions SET is_attribution_eligible = false`.execute(tx));
      const dropped = (await replayed(3)).size;
      return {
        passed:
          undone === 0 &&
          different.length === 0 &&
          differ(once, twice).length === 0 &&
          dropped === 0 &&
          incremental.size > 0,
        changes: done,
        ...counts,
        conversions: incremental.size,
        with_touches: [...incremental.values()].filter((row) => !row.includes('"touch_count":0,')).length,
        different_from_replay: different.length,
        replays_differ: differ(once, twice).length,
        left_of_dropped: dropped,
        worker_kills: killed.worker,
        clickhouse_kills: killed.clickhouse,
        ...(different[0] && {
          first: { incremental: incremental.get(different[0]), replayed: once.get(different[0]) },
        }),
      };
    } finally {
      await each((worker) => worker.kill());
      await Promise.all([clickhouse.close(), app.close(), api.close()]);
      await kit.close();
    }
  },
};
