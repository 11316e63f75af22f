import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { buildProfile, type Drill, openDrillKit, type Testkit, testVault } from '@tributary/testkit';
import { hourMs, minuteMs } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { cpuSeconds } from '../../bench/cpu.ts';
import { nextRunAt } from '../../domain/advertising/connections/schedule.ts';
import { Toy } from '../../domain/advertising/connections/toy.fixture.ts';

const sizes = {
  small: { profiles: 10, connections: 30, stepMinutes: 10 },
  full: { profiles: 1_000, connections: 100, stepMinutes: 1 },
} as const;
const set = 'drill-hourly-syncs';

/** Limit for the syncs due in one minute, relative to the average. A thundering herd is many times as large. */
const maxPeakRatio = 1.25;

/** Simulates an hour of a deployment with very many connections, as fast as one worker can. The provider has no new data. */
export const drill: Drill = {
  name: 'hourly-syncs',
  promise:
    'Each of very many connections is synced once an hour, syncs are spread evenly, and the memory of the worker does not grow.',

  async run({ size, progress }) {
    const { profiles, connections, stepMinutes } = sizes[size];
    const total = profiles * connections;
    const kit = await openDrillKit(set, ['postgres']);
    const toy = await new Toy().open();
    let worker: ChildProcess | undefined;
    try {
      const begin = new Date((Math.floor(Date.now() / hourMs) + 1) * hourMs);
      for (let n = 0; n < profiles; n += 1) {
        await insertConnections(kit, await buildProfile(kit.app), connections, toy, begin);
        progress(n * connections, 2 * total, 'connected');
      }
      await kit.owner.unbound.query(sql`ANALYZE`);
      const script = join(import.meta.dirname, 'hourly-syncs-worker.ts');
      worker = fork(script, [kit.database.appUrl, kit.database.systemUrl, toy.url], {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      });
      await once(worker, 'message');
      const [cpuBefore, startedAt] = [cpuSeconds(set), performance.now()];
      const steps: { due: number; megabytes: number }[] = [];
      let cpuOfWorker = 0;
      for (let minute = stepMinutes; minute <= 60; minute += stepMinutes) {
        const at = begin.getTime() + minute * minuteMs;
        worker.send({ at });
        const [usage] = (await once(worker, 'message')) as [{ megabytes: number; cpuSeconds: number }];
        cpuOfWorker = usage.cpuSeconds;
        const due = await makeDueUntil(kit, new Date(at));
        steps.push({ due, megabytes: usage.megabytes });
        while ((await countDue(kit)) > 0) await sleep(50);
        progress(total + toy.requests.length, 2 * total, `minute ${minute}`);
      }
      const seconds = (performance.now() - startedAt) / 1_000;
      const cpu = cpuSeconds(set) - cpuBefore;
      const syncedOnce = await countSyncedOnce(kit);
      const average = total / steps.length;
      const most = Math.max(...steps.map(({ due }) => due));
      const [early, late] = [steps[Math.floor(steps.length / 4)]?.megabytes ?? 0, steps.at(-1)?.megabytes ?? 0];
      return {
        passed:
          syncedOnce === total &&
          toy.requests.length === total &&
          // With few connections the peak depends on chance, and the memory of a new process still grows.
          (size === 'small' || (most <= average * maxPeakRatio && late <= early * 1.2 + 20)),
        connections: total,
        read_once: syncedOnce,
        asked: toy.requests.length,
        due_in_a_step: { average: Math.round(average), most },
        worker_megabytes: { after_a_quarter: Math.round(early), at_the_end: Math.round(late) },
        connections_per_second: Math.round(total / seconds),
        cpu_ms_a_connection: {
          worker: Math.round((cpuOfWorker / total) * 1e5) / 100,
          // Includes this process, which also runs the fake provider.
          database_and_provider: Math.round((cpu / total) * 1e5) / 100,
        },
      };
    } finally {
      worker?.kill('SIGKILL');
      toy.close();
      await kit.close();
    }
  },
};

type Profile = Awaited<ReturnType<typeof buildProfile>>;

/** Inserts connections of one profile that were synced an hour ago, each due at its own minute. */
const insertConnections = async (
  { app }: Testkit,
  { id, workspaceId }: Profile,
  count: number,
  toy: Toy,
  begin: Date,
) => {
  const ids = Array.from({ length: count }, () => uuid());
  const sealed = ids.map((row) =>
    testVault.seal(JSON.stringify(toy.credentials()), {
      table: 'connections',
      column: 'credentials',
      row,
      profileId: id,
    }),
  );
  const dueAt = ids.map((one) => nextRunAt(one, begin));
  await app.forProfile(id).transaction(async (tx) => {
    await sql`
      INSERT INTO connections (profile_id, id, workspace_id, channel, status, external_id, name, credentials, connected_at)
      SELECT ${id}, c.id, ${workspaceId}, 'social_ads', 'connected', c.id, 'Account', c.credentials, now()
      FROM unnest(${ids}::uuid[], ${sealed}::bytea[]) AS c (id, credentials)`.execute(tx);
    await sql`
      INSERT INTO syncs (profile_id, connection_id, channel, state, due_at)
      SELECT ${id}, s.id, 'social_ads', 'idle', s.due_at FROM unnest(${ids}::uuid[], ${dueAt}::timestamptz[]) AS s (id, due_at)`.execute(
      tx,
    );
  });
};

/** Makes syncs due now that are scheduled up to this time, because PostgreSQL's clock cannot be moved. Resolves to their number. */
async function makeDueUntil({ owner }: Testkit, at: Date): Promise<number> {
  const { rows } = await owner.unbound.query(sql<{ n: number }>`
    WITH made_due AS (
      UPDATE syncs SET due_at = now() WHERE due_at > now() AND due_at <= ${at} AND last_success_at IS NULL RETURNING 1)
    SELECT count(*)::int AS n FROM made_due`);
  return rows[0]?.n ?? 0;
}

async function countDue({ owner }: Testkit): Promise<number> {
  const { rows } = await owner.unbound.query(sql<{ n: number }>`
    SELECT count(*)::int AS n FROM syncs WHERE due_at <= now() AND last_success_at IS NULL`);
  return rows[0]?.n ?? 0;
}

async function countSyncedOnce({ owner }: Testkit): Promise<number> {
  const { rows } = await owner.unbound.query(sql<{ n: number }>`
    SELECT count(*)::int AS n FROM syncs WHERE run = 1 AND state = 'idle' AND last_success_at IS NOT NULL`);
  return rows[0]?.n ?? 0;
}
