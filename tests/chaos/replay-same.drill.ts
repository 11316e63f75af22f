import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClickHouseFailure, createClickHouse, migrate, raw } from '@tributary/clickhouse';
import { replay } from '@tributary/domain/measurement/attribution/module.ts';
import {
  buildApiKey,
  buildProfile,
  type Drill,
  Killable,
  openApi,
  openDrillKit,
  openLedger,
  placesOfWorkers,
} from '@tributary/testkit';
import { dayMs } from '@tributary/vocabulary';
import { type RawBuilder, sql } from 'kysely';
import { randomChanges } from './random-changes.ts';

const sizes = {
  small: { people: 150, changes: 600, kills: 1 },
  full: { people: 5_000, changes: 40_000, kills: 20 },
} as const;
/** Definitions change only in this first part of the run. */
const definedUntil = 0.5;

/**
 * Sends payments, refunds, changed times, merges, late visits, new links and changed definitions in random order, while the worker and
 * ClickHouse are killed alternately. The incremental results must equal those of a full replay.
 */
export const drill: Drill = {
  name: 'replay-same',
  promise:
    'Incremental attribution in any order and a full replay give the same rows, and no row remains of dropped conversions.',
  usesLedgers: true,

  async run({ size, progress, processes }) {
    const { people, changes, kills } = sizes[size];
    const kit = await openDrillKit('drill-replay-same', ['postgres', 'redis', 'clickhouse']);
    const settings = { ...kit.clickhouse, database: 'replay_same', requestTimeoutMs: 60_000 };
    await migrate(settings);
    const clickhouse = createClickHouse(settings);
    const app = openLedger(kit.database.appUrl, 4);
    const api = await openApi(kit);
    const script = join(import.meta.dirname, 'attribution-worker.ts');
    const addresses = [kit.database.appUrl, kit.database.systemUrl, settings.url, settings.database];
    const workers = placesOfWorkers(processes.worker).map((here) => new Killable(script, [...addresses, here]));
    const each = (act: (worker: Killable) => Promise<unknown>) => Promise.all(workers.map(act));
    try {
      // One profile on each PostgreSQL server.
      const shops: ({ profileId: string } & ReturnType<typeof randomChanges>)[] = [];
      for (const server of app.shards.values()) {
        const { id: profileId } = await buildProfile(server);
        // Each key has a rate limit of its own. Together the limits are high enough for the drill.
        const keys = await Promise.all(
          Array.from({ length: 20 }, () =>
            buildApiKey(server, profileId, { scopes: ['attribution:write', 'goals:write'] }),
          ),
        );
        const shared = { api, clickhouse, people: Math.ceil(people / app.shards.size) };
        shops.push({ profileId, ...randomChanges({ ...shared, app: server, profileId, keys }) });
      }
      const inEachLedger = <Row>(statement: RawBuilder<Row>) =>
        Promise.all(
          shops.map(async ({ profileId }) => {
            const { rows } = await app.forProfile(profileId).transaction((tx) => statement.execute(tx));
            return rows[0];
          }),
        );
      await each((worker) => worker.start());

      let done = 0;
      const change = async () => {
        while (done < changes) {
          const { name, act } = (shops[done % shops.length] as (typeof shops)[number]).next();
          // A changed definition marks every conversion dirty and would hide a missing mark, so the later part has none.
          if (name === 'define' && done > changes * definedUntil) continue;
          done += 1;
          await act();
          progress(done, changes, `${killed.worker} + ${killed.clickhouse} kills, ${crashes} falls`);
        }
      };
      const killed = { worker: 0, clickhouse: 0 };
      const { shards } = kit.engines;
      const kill = async () => {
        if (killed.worker <= killed.clickhouse) {
          const worker = workers[killed.worker % workers.length];
          await worker?.kill();
          await worker?.start();
          killed.worker += 1;
        } else {
          const shard = shards[killed.clickhouse % shards.length];
          await shard?.kill('clickhouse');
          await shard?.start(['clickhouse']);
          killed.clickhouse += 1;
        }
      };
      // The embedded ClickHouse exits when another shard resets a connection, which a server only logs. It works again after a restart.
      let crashes = 0;
      const restartCrashed = async () => {
        for (const shard of shards) {
          if ((await shard.status('clickhouse')).state !== 'stopped') continue;
          await shard.start(['clickhouse']);
          crashes += 1;
        }
      };
      const retryAfterCrash = async <Result>(act: () => Promise<Result>): Promise<Result> => {
        for (let falls = 0; ; falls += 1) {
          try {
            return await act();
          } catch (error) {
            if (!(error instanceof ClickHouseFailure && error.transient) || shards.length === 1 || falls === 20)
              throw error;
            await sleep(1_000);
            await restartCrashed();
          }
        }
      };
      let isOver = false;
      const killer = async () => {
        for (let tick = 1; !isOver; tick += 1) {
          await sleep(20);
          if (tick % 50 === 0) await restartCrashed();
          const made = killed.worker + killed.clickhouse;
          if (made < kills * 2 && done < changes && done / changes >= (made + 0.5) / (kills * 2 + 1)) await kill();
        }
      };
      const countDirty = async () => {
        const waiting = await inEachLedger(
          sql<{
            n: string;
          }>`SELECT (SELECT count(*) FROM dirty_conversions) + (SELECT count(*) FROM dirty_customers) AS n`,
        );
        return waiting.reduce((sum, row) => sum + Number(row?.n), 0);
      };
      const changeAll = async () => {
        try {
          await Promise.all([change(), change(), change()]);
          for (let waited = 0; (await countDirty()) > 0 && waited < 300_000; waited += 200) await sleep(200);
        } finally {
          isOver = true;
        }
      };
      await Promise.all([changeAll(), killer()]);
      const unprocessed = await countDirty();
      await each((worker) => worker.kill());

      const all = raw<{ conversion_id: string }>(
        `SELECT * EXCEPT (version, cause, cause_ref, applied_at) FROM attributed_conversions FINAL ORDER BY conversion_time, conversion_id`,
      );
      const read = async () => {
        const rows = await retryAfterCrash(() => clickhouse.query(all, {}));
        return new Map(rows.map((row) => [row.conversion_id, JSON.stringify(row)] as const));
      };
      const replayed = async (buckets: number) => {
        const rest = {
          cause: 'drill',
          now: () => new Date(Date.now() + 10 * dayMs),
          signal: new AbortController().signal,
          buckets,
        };
        for (const { profileId } of shops)
          await retryAfterCrash(() => replay({ app, clickhouse }, { profileId, ...rest }));
        return read();
      };
      const incremental = await read();
      const once = await replayed(5);
      const twice = await replayed(2);
      const differ = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>) =>
        [...new Set([...a.keys(), ...b.keys()])].filter((id) => a.get(id) !== b.get(id));
      const different = differ(incremental, once);

      // After definitions stop counting for attribution, no rows may remain.
      await inEachLedger(sql`UPDATE definitions SET is_attribution_eligible = false`);
      const dropped = (await replayed(3)).size;
      return {
        passed:
          unprocessed === 0 &&
          different.length === 0 &&
          differ(once, twice).length === 0 &&
          dropped === 0 &&
          incremental.size > 0,
        changes: done,
        ...summed(shops.map(({ counts }) => counts)),
        conversions: incremental.size,
        with_touches: [...incremental.values()].filter((row) => !row.includes('"touch_count":0,')).length,
        different_from_replay: different.length,
        replays_differ: differ(once, twice).length,
        left_of_dropped: dropped,
        worker_kills: killed.worker,
        clickhouse_kills: killed.clickhouse,
        ...(crashes > 0 && { clickhouse_fell: crashes }),
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

function summed(counts: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [name, count] of counts.flatMap((one) => Object.entries(one))) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}
