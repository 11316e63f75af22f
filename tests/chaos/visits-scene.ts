import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ClickHouse, createClickHouse, migrate, raw } from '@tributary/clickhouse';
import { Supervisor } from '@tributary/engines';
import { createPostgres, type Postgres } from '@tributary/postgres';
import { connectStream, isPassed, type Stream, type StreamPosition } from '@tributary/stream';
import {
  buildProfile,
  buildTrackingKey,
  type DrillEngines,
  freePort,
  oneOfEach,
  openDrillEngines,
  openLedger,
  type Processes,
  placesOfWorkers,
} from '@tributary/testkit';
import { createVault, ensureKeys, KeyRing, loadKeys } from '@tributary/vault';
import { sql } from 'kysely';
import { Agent, request } from 'undici';
import { AppProcess } from './app-process.ts';

/** The real collector and worker on a drill's own engines, and a profile with a tracking key for senders. */
export interface VisitsScene {
  readonly engines: DrillEngines;
  /** The environment of its processes. */
  readonly environment: Readonly<Record<string, string>>;
  /** The first collector and the first worker. */
  readonly collector: AppProcess;
  readonly worker: AppProcess;
  readonly collectors: readonly AppProcess[];
  readonly workers: readonly AppProcess[];
  readonly postgres: Postgres;
  readonly clickhouse: ClickHouse;
  readonly stream: Stream;
  readonly ring: KeyRing;
  /** One shop on each PostgreSQL server. */
  readonly shops: readonly Shop[];
  /** The profile and the tracking key of the last shop. */
  readonly profileId: string;
  readonly key: string;
  /** Resolves to the status, or to undefined without a response. */
  post(body: string): Promise<number | undefined>;
  /** Messages in the stream that the worker has not acknowledged. */
  backlog(): Promise<number>;
  /** Resolves when the backlog is empty. */
  drained(timeoutMs: number): Promise<void>;
  counts(): Promise<{ visits: number; distinct: number; touches: number; bad: number; deadLetters: number }>;
  close(): Promise<void>;
}

interface Shop {
  readonly profileId: string;
  readonly key: string;
}

const prefix = 'drill';
const consumerName = 'ingestion';

type Environment = Readonly<Record<string, string>>;

/**
 * `settings` are merged over the scene's environment. A function derives them from it, for example addresses that lead through a proxy.
 * `prepare` is called before the engines start.
 */
export async function openVisitsScene(
  set: string,
  settings: Environment | ((own: Environment) => Promise<Environment>) = {},
  prepare: () => Promise<void> = async () => {},
  processes: Processes = oneOfEach,
): Promise<VisitsScene> {
  // An interrupted run may have left its data behind.
  await new Supervisor(set).destroy();
  await prepare();
  const engines = await openDrillEngines(set, ['postgres', 'redis', 'nats', 'clickhouse']);
  const clickhouseSettings = { ...engines.clickhouse, database: 'drill' };
  await migrate(clickhouseSettings);
  const masterKey = randomBytes(32);
  const master = createVault([{ id: 'k1', bytes: masterKey }]);
  const operator = createPostgres({ url: engines.database.ownerUrl, poolSize: 1 });
  await ensureKeys(operator.unbound, master, new Date());
  await operator.close();
  const postgres = openLedger(engines.database.appUrl, 4);
  const shops: Shop[] = [];
  for (const server of postgres.shards.values()) {
    const { id: profileId } = await buildProfile(server, { plan: 'scale' });
    shops.push({ profileId, key: (await buildTrackingKey(server, profileId)).key });
  }
  const ports: number[] = [];
  while (ports.length < processes.collector) ports.push(await freePort());
  const own = {
    DATABASE_APP_URL: engines.database.appUrl,
    DATABASE_SYSTEM_URL: engines.database.systemUrl,
    DATABASE_COLLECTOR_URL: engines.database.collectorUrl,
    CLICKHOUSE_URL: engines.clickhouseUrl,
    CLICKHOUSE_DATABASE: 'drill',
    NATS_URL: engines.natsUrl,
    STREAM_PREFIX: prefix,
    STREAM_COUNT: String(processes.stream),
    // All streams share the disk space of one small server.
    STREAM_MAX_MEGABYTES: String(Math.floor(8_192 / processes.stream)),
    REDIS_URL: engines.redisUrl,
    ENCRYPTION_KEYS: `k1:${masterKey.toString('base64')}`,
    COLLECTOR_PORT: String(ports[0]),
    COLLECTOR_REQUESTS_PER_MINUTE: '100000000',
  };
  const environment = { ...own, ...(typeof settings === 'function' ? await settings(own) : settings) };
  const [first, ...further] = ports.map(
    (port, n) =>
      new AppProcess(
        'collector',
        'collector listens',
        n === 0 ? environment : { ...environment, COLLECTOR_PORT: String(port) },
      ),
  );
  const collector = first as AppProcess;
  const collectors = [collector, ...further];
  const workers = placesOfWorkers(processes.worker).map(
    (LEDGER_SHARD) => new AppProcess('worker', 'worker runs', { ...environment, LEDGER_SHARD }),
  );
  await Promise.all([...collectors, ...workers].map((one) => one.start()));
  const stream = await connectStream({ url: engines.natsUrl, prefix, count: processes.stream });
  const clickhouse = createClickHouse(clickhouseSettings);
  const ring = new KeyRing(master, () => loadKeys(postgres.unbound));
  await ring.refresh();
  const agent = new Agent({ connections: 64, pipelining: 1 });
  let posted = 0;
  const backlog = () => stream.waiting(consumerName);
  return {
    engines,
    environment,
    collector,
    worker: workers[0] as AppProcess,
    collectors,
    workers,
    postgres,
    clickhouse,
    stream,
    ring,
    shops,
    ...(shops.at(-1) as Shop),
    async post(body) {
      posted += 1;
      try {
        const response = await request(`http://127.0.0.1:${ports[posted % ports.length]}/v1/visits`, {
          method: 'POST',
          headers: { 'content-type': 'text/plain', 'user-agent': userAgent, origin: 'https://shop.example' },
          body,
          dispatcher: agent,
          headersTimeout: 15_000,
        });
        await response.body.dump();
        return response.statusCode;
      } catch {
        return undefined;
      }
    },
    backlog,
    async drained(timeoutMs) {
      const deadline = performance.now() + timeoutMs;
      let end: StreamPosition | undefined;
      const isDrained = async () => {
        end ??= await stream.end();
        return isPassed(await stream.consumedThrough(consumerName), end);
      };
      while (!(await isDrained().catch(() => false))) {
        if (performance.now() > deadline)
          throw new Error(`${await backlog()} messages are still in the log after ${timeoutMs} ms.`);
        await sleep(100);
      }
    },
    counts: () => countStores({ clickhouse, postgres, stream, shops }),
    async close() {
      await Promise.all([...collectors.map((one) => one.kill()), ...workers.map((one) => one.kill()), agent.close()]);
      await stream.close();
      await Promise.all([postgres.close(), clickhouse.close()]);
      await engines.close();
    },
  };
}

/** Counts the rows in each store. */
export async function countStores({
  clickhouse,
  postgres,
  stream,
  shops,
}: Pick<VisitsScene, 'clickhouse' | 'postgres' | 'stream'> & {
  readonly shops: readonly Pick<Shop, 'profileId'>[];
}) {
  const [visits] = await clickhouse.query(
    raw<{ rows: string; ids: string }>('SELECT count() AS rows, uniqExact(visit_id) AS ids FROM visits FINAL'),
    {},
  );
  const [touches] = await clickhouse.query(raw<{ rows: string }>('SELECT count() AS rows FROM touches FINAL'), {});
  let bad = 0;
  for (const { profileId } of shops) {
    const { rows } = await postgres
      .forProfile(profileId)
      .transaction((tx) =>
        sql<{ n: string }>`SELECT count(*) AS n FROM bad_visits WHERE replayed_at IS NULL`.execute(tx),
      );
    bad += Number(rows[0]?.n);
  }
  return {
    visits: Number(visits?.rows),
    distinct: Number(visits?.ids),
    touches: Number(touches?.rows),
    bad,
    deadLetters: await stream.deadLetters.count(),
  };
}

const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
