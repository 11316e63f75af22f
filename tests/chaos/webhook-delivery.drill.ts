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

/** Half of the attempts fail, but no event more often than the schedule has attempts. */
const mostFailures = 8;
/** The drill's days pass so fast, so that hours of waiting are seconds. */
const speed = 50_000;

/**
 * Three workers send events to receivers that fail half the time, and are killed -9 again and again. Then many subscribers get events
 * while one of them is dead and one is slow, and what the others wait is compared with what they wait when all are well.
 */
export const drill: Drill = {
  name: 'webhook-delivery',
  promise:
    'Every event reaches its subscriber though receivers fail and workers die; one that is dead or slow delays nobody else.',
  usesLedgers: true,

  async run({ size, progress, processes }) {
    const { events, kills, subscribers, rounds } = sizes[size];
    const engines = await openDrillEngines('drill-webhook-delivery', ['postgres']);
    const { database } = engines;
    const app = openLedger(database.appUrl, 8);
    const system = openLedger(database.systemUrl, 2);
    try {
      const kept = await deliverUnderKills(app, system, { events, kills, database, progress });
      const well = await waits(app, system, {
        subscribers,
        rounds,
        database,
        isBroken: false,
        workers: processes.worker,
      });
      const broken = await waits(app, system, {
        subscribers,
        rounds,
        database,
        isBroken: true,
        workers: processes.worker,
      });
      const ratio = broken / well;
      return {
        // A busy machine decides nothing: waits are judged at full size, which runs alone.
        passed: kept.missing === 0 && kept.kills === kills && (size === 'small' || ratio <= 1.2),
        ...kept,
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

/** On every server of the ledger. */
const askAll = ({ shards }: Postgres, statement: RawBuilder<unknown>) =>
  Promise.all([...shards.values()].map(({ unbound }) => unbound.query(statement)));

async function deliverUnderKills(
  app: Postgres,
  system: Postgres,
  asked: { events: number; kills: number; database: Urls; progress: (done: number, total: number) => void },
) {
  const { events, kills, database, progress } = asked;
  const failures = new Map<string, number>();
  const taken = new Map<string, number>();
  let attempts = 0;
  const receiver = await openReceiver((_path, id, response) => {
    attempts += 1;
    const failed = failures.get(id) ?? 0;
    if (!taken.has(id) && failed < mostFailures && Math.random() < 0.5) {
      failures.set(id, failed + 1);
      response.writeHead(500).end();
      return;
    }
    taken.set(id, (taken.get(id) ?? 0) + 1);
    response.writeHead(204).end();
  });
  const profiles = await Promise.all(Array.from({ length: 6 }, (_, n) => buildProfile(serverInTurn(app, n))));
  for (const { id } of profiles) await subscribe(app, id, `${receiver.origin}/hook`);
  const workers = workersAt(database, 3, speed);
  await Promise.all(workers.map((worker) => worker.start()));
  // Times are PostgreSQL's: whoever waits for hours of the drill is looked at again.
  const hurry = setInterval(
    () =>
      void askAll(system, sql`UPDATE work_turns SET due = now() WHERE queue = 'webhooks' AND holder IS NULL`).catch(
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
  while (taken.size < events || killed < kills) {
    await sleep(50);
    progress(taken.size, events);
    if (killed < kills && taken.size >= (events * (killed + 0.5)) / (kills + 1)) {
      const worker = workers[killed % workers.length];
      await worker?.kill();
      await worker?.start();
      killed += 1;
    }
  }
  await write;
  clearInterval(hurry);
  await Promise.all(workers.map((worker) => worker.kill()));
  receiver.close();
  const missing = written.filter((id) => !taken.has(id)).length;
  const repeated = [...taken.values()].filter((count) => count > 1).length;
  return { events, missing, attempts, taken_more_than_once: repeated, kills: killed, workers: workers.length };
}

/** What 19 of 20 events wait from the announcement until the receiver has them, at the subscribers that are well. */
async function waits(
  app: Postgres,
  system: Postgres,
  asked: { subscribers: number; rounds: number; database: Urls; isBroken: boolean; workers: number },
): Promise<number> {
  const { subscribers, rounds, database, isBroken } = asked;
  const workers = workersAt(database, asked.workers, 1);
  const began = new Map<string, number>();
  const waited: number[] = [];
  const receiver = await openReceiver((path, id, response) => {
    if (path === '/dead') return;
    const since = began.get(id);
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
      for (const event of await happen(app, id, 2)) began.set(event, at);
    }
    await sleep(200);
  }
  const wanted = paths.filter((path) => path === '/well').length * rounds * 2;
  for (let tries = 0; waited.length < wanted && tries < 600; tries += 1) await sleep(50);
  await Promise.all(workers.map((worker) => worker.kill()));
  receiver.close();
  await askAll(system, sql`UPDATE webhook_work SET due_at = 'infinity'`);
  await askAll(system, sql`DELETE FROM work_turns WHERE queue = 'webhooks'`);
  return waited.length < wanted ? Number.POSITIVE_INFINITY : p95(waited);
}
