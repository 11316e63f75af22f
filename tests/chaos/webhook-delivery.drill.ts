import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Postgres } from '@tributary/postgres';
import {
  buildProfile,
  type Drill,
  Killable,
  openDrillEngines,
  openLedger,
  p95,
  placesOfWorkers,
  serverInTurn,
} from '@tributary/testkit';
import { type RawBuilder, sql } from 'kysely';
import { happen, openReceiver, subscribe } from './webhook-scene.ts';

const sizes = {
  small: { events: 500, kills: 2, subscribers: 6, rounds: 5 },
  full: { events: 100_000, kills: 20, subscribers: 100, rounds: 50 },
} as const;

/** Half of the attempts fail, but the failures of an event never use up all attempts of the schedule. */
const maxFailures = 8;
/** How many times faster the drill's clock runs, so that hours of backoff take seconds. */
const speed = 50_000;

/**
 * Three workers deliver events to receivers that fail half of the time, and are killed repeatedly with SIGKILL. Then many subscribers get events
 * while one of them is dead and one is slow. The delays of the others are compared with their delays when all subscribers are healthy.
 */
export const drill: Drill = {
  name: 'webhook-delivery',
  promise:
    'Every event reaches its subscriber although receivers fail and workers are killed, and a dead or slow subscriber delays no other.',
  usesLedgers: true,

  async run({ size, progress, processes }) {
    const { events, kills, subscribers, rounds } = sizes[size];
    const engines = await openDrillEngines('drill-webhook-delivery', ['postgres']);
    const { database } = engines;
    const app = openLedger(database.appUrl, 8);
    const system = openLedger(database.systemUrl, 2);
    try {
      const delivered = await deliverUnderKills(app, system, { events, kills, database, progress });
      const well = await measureDelay(app, system, {
        subscribers,
        rounds,
        database,
        isBroken: false,
        workers: processes.worker,
      });
      const broken = await measureDelay(app, system, {
        subscribers,
        rounds,
        database,
        isBroken: true,
        workers: processes.worker,
      });
      const ratio = broken / well;
      return {
        // Delays are judged only at full size, which runs alone: on a busy machine they mean nothing.
        passed: delivered.missing === 0 && delivered.kills === kills && (size === 'small' || ratio <= 1.2),
        ...delivered,
        subscribers,
        p95_ms_all_well: Math.round(well),
        p95_ms_one_dead_one_slow: Math.round(broken),
        ratio: Number(ratio.toFixed(2)),
      };
    } finally {
      await Promise.all([app.close(), system.close()]);
      await engines.close();
    }
  },
};

interface Urls {
  readonly appUrl: string;
  readonly systemUrl: string;
}

function workersAt({ appUrl, systemUrl }: Urls, count: number, pace: number): Killable[] {
  const script = join(import.meta.dirname, 'webhook-worker.ts');
  const [began, timeoutMs] = [String(Date.now()), '2000'];
  return placesOfWorkers(count).map(
    (here) => new Killable(script, [appUrl, systemUrl, began, String(pace), timeoutMs, here]),
  );
}

/** Runs a statement on every PostgreSQL server. */
const queryAll = ({ shards }: Postgres, statement: RawBuilder<unknown>) =>
  Promise.all([...shards.values()].map(({ unbound }) => unbound.query(statement)));

async function deliverUnderKills(
  app: Postgres,
  system: Postgres,
  options: { events: number; kills: number; database: Urls; progress: (done: number, total: number) => void },
) {
  const { events, kills, database, progress } = options;
  const failures = new Map<string, number>();
  const received = new Map<string, number>();
  let attempts = 0;
  const receiver = await openReceiver((_path, id, response) => {
    attempts += 1;
    const failed = failures.get(id) ?? 0;
    if (!received.has(id) && failed < maxFailures && Math.random() < 0.5) {
      failures.set(id, failed + 1);
      response.writeHead(500).end();
      return;
    }
    received.set(id, (received.get(id) ?? 0) + 1);
    response.writeHead(204).end();
  });
  const profiles = await Promise.all(Array.from({ length: 6 }, (_, n) => buildProfile(serverInTurn(app, n))));
  for (const { id } of profiles) await subscribe(app, id, `${receiver.origin}/hook`);
  const workers = workersAt(database, 3, speed);
  await Promise.all(workers.map((worker) => worker.start()));
  // Queues use PostgreSQL's clock, which is not faster here: makes queues due that wait for hours of the drill's clock.
  const makeDue = setInterval(
    () =>
      void queryAll(system, sql`UPDATE work_turns SET due = now() WHERE queue = 'webhooks' AND holder IS NULL`).catch(
        () => {},
      ),
    500,
  );
  const written: string[] = [];
  const write = (async () => {
    for (let at = 0; written.length < events; at += 1)
      written.push(
        ...(await happen(app, profiles[at % profiles.length]?.id ?? '', Math.min(50, events - written.length))),
      );
  })();
  let killed = 0;
  while (received.size < events || killed < kills) {
    await sleep(50);
    progress(received.size, events);
    if (killed < kills && received.size >= (events * (killed + 0.5)) / (kills + 1)) {
      const worker = workers[killed % workers.length];
      await worker?.kill();
      await worker?.start();
      killed += 1;
    }
  }
  await write;
  clearInterval(makeDue);
  await Promise.all(workers.map((worker) => worker.kill()));
  receiver.close();
  const missing = written.filter((id) => !received.has(id)).length;
  const repeated = [...received.values()].filter((count) => count > 1).length;
  return { events, missing, attempts, taken_more_than_once: repeated, kills: killed, workers: workers.length };
}

/** Measures the p95 delay from the announcement of an event to its delivery, at healthy subscribers. */
async function measureDelay(
  app: Postgres,
  system: Postgres,
  options: { subscribers: number; rounds: number; database: Urls; isBroken: boolean; workers: number },
): Promise<number> {
  const { subscribers, rounds, database, isBroken } = options;
  const workers = workersAt(database, options.workers, 1);
  const announcedAt = new Map<string, number>();
  const waited: number[] = [];
  const receiver = await openReceiver((path, id, response) => {
    if (path === '/dead') return;
    const since = announcedAt.get(id);
    if (path === '/well' && since !== undefined) waited.push(performance.now() - since);
    if (path === '/slow') setTimeout(() => response.writeHead(204).end(), 1_500);
    else response.writeHead(204).end();
  });
  const profiles = await Promise.all(Array.from({ length: subscribers }, (_, n) => buildProfile(serverInTurn(app, n))));
  const paths = profiles.map((_, index) =>
    isBroken && index === 0 ? '/dead' : isBroken && index === 1 ? '/slow' : '/well',
  );
  for (const [index, { id }] of profiles.entries()) await subscribe(app, id, `${receiver.origin}${paths[index]}`);
  await Promise.all(workers.map((worker) => worker.start()));
  for (let round = 0; round < rounds; round += 1) {
    for (const { id } of profiles) {
      const at = performance.now();
      for (const event of await happen(app, id, 2)) announcedAt.set(event, at);
    }
    await sleep(200);
  }
  const wanted = paths.filter((path) => path === '/well').length * rounds * 2;
  for (let tries = 0; waited.length < wanted && tries < 600; tries += 1) await sleep(50);
  await Promise.all(workers.map((worker) => worker.kill()));
  receiver.close();
  await queryAll(system, sql`UPDATE webhook_work SET due_at = 'infinity'`);
  await queryAll(system, sql`DELETE FROM work_turns WHERE queue = 'webhooks'`);
  return waited.length < wanted ? Number.POSITIVE_INFINITY : p95(waited);
}
