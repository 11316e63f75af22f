import { raw } from '@tributary/clickhouse';
import type { EngineName } from '@tributary/engines';
import { createRedis, redisReady } from '@tributary/redis';
import { connectStream } from '@tributary/stream';
import { hourMs } from '@tributary/vocabulary';
import pg from 'pg';
import { onDisk } from './faults-disks.ts';
import type { FaultsScene } from './faults-scene.ts';

/** One way in which an engine, or the machine, can fail. */
export interface Fault {
  readonly name: string;
  readonly isSmall: boolean;
  /** Whether engines need disks of their own for it. */
  readonly isOfDisk?: true;
  begin(scene: FaultsScene): Promise<void> | void;
  /** Whether it is felt: a fault that nobody meets proves nothing. */
  isFelt(scene: FaultsScene, since: Mark): Promise<boolean> | boolean;
  end(scene: FaultsScene): Promise<void> | void;
}

/** How things stood when the fault began. */
export interface Mark {
  readonly workerLines: number;
  readonly refused: number;
  readonly refusedNow: () => number;
}

const names: readonly EngineName[] = ['postgres', 'clickhouse', 'nats', 'redis'];

/** Those that are small run in CI. */
export const faults: readonly Fault[] = [
  // First: a turn that could not be given back meanwhile ends by itself while the others run.
  {
    name: 'postgres is read-only',
    isSmall: true,
    begin: (scene) => alterDatabase(scene, 'SET default_transaction_read_only = on'),
    isFelt: (scene, since) => since.refusedNow() > since.refused && isAway(scene, 'postgres_writes'),
    end: (scene) => alterDatabase(scene, 'RESET default_transaction_read_only'),
  },
  ...names.map(
    (engine): Fault => ({
      name: `${engine} is frozen`,
      isSmall: engine === 'redis' || engine === 'postgres',
      begin: ({ engines }) => engines.supervisor.pause(engine),
      isFelt: (scene) => isAway(scene, engine),
      end: ({ engines }) => engines.supervisor.resume(engine),
    }),
  ),
  ...names.map(
    (engine): Fault => ({
      name: `${engine} has no name`,
      isSmall: engine === 'nats',
      begin: (scene) => scene.unname(engine),
      isFelt: (scene) => isAway(scene, engine),
      end: (scene) => scene.rename(engine),
    }),
  ),
  {
    name: 'clickhouse refuses writes',
    isSmall: true,
    begin: ({ clickhouse }) =>
      clickhouse.command(raw('ALTER TABLE visits MODIFY SETTING parts_to_throw_insert = 1'), {}),
    isFelt: ({ worker }, { workerLines }) =>
      worker.lines.slice(workerLines).some((line) => line.includes('visits wait')),
    end: ({ clickhouse }) => clickhouse.command(raw('ALTER TABLE visits RESET SETTING parts_to_throw_insert'), {}),
  },
  {
    name: 'nats refuses writes',
    isSmall: false,
    begin: (scene) => limitLog(scene, 1),
    isFelt: (_scene, since) => since.refusedNow() > since.refused,
    end: (scene) => limitLog(scene, -1),
  },
  {
    name: 'redis is read-only',
    isSmall: false,
    begin: (scene) => tellRedis(scene, ['REPLICAOF', '127.0.0.1', '1']),
    isFelt: (scene) => isAway(scene, 'redis'),
    end: (scene) => tellRedis(scene, ['REPLICAOF', 'NO', 'ONE']),
  },
  ...onDisk.map(
    (engine): Fault => ({
      name: `${engine} is out of disk`,
      isSmall: false,
      isOfDisk: true,
      begin: ({ disks }) => disks.fill(engine),
      async isFelt({ worker, disks }, since) {
        const isFelt =
          engine === 'clickhouse'
            ? worker.lines.slice(since.workerLines).some((line) => line.includes('visits wait'))
            : since.refusedNow() > since.refused;
        // Merges of ClickHouse that were under way may have made room since.
        if (!isFelt) await disks.fill(engine);
        return isFelt;
      },
      // PostgreSQL ends itself when its log has no room, and is started again as compose.yaml would. A merge of ClickHouse that was under way
      // may have left a part that cannot be read: it looks its parts over when it starts.
      async end({ disks, engines: { supervisor } }) {
        await disks.widen(engine);
        await (engine === 'clickhouse' ? supervisor.restart(engine) : supervisor.start([engine]));
      },
    }),
  ),
  {
    name: 'redis is out of memory',
    isSmall: false,
    begin: (scene) => tellRedis(scene, ['CONFIG', 'SET', 'maxmemory', '1']),
    isFelt: (scene) => isAway(scene, 'redis'),
    end: (scene) => tellRedis(scene, ['CONFIG', 'SET', 'maxmemory', '256mb']),
  },
  ...[1, -1].map(
    (sign): Fault => ({
      name: `our clock is an hour ${sign > 0 ? 'ahead' : 'behind'}`,
      isSmall: false,
      begin: (scene) => scene.moveClock(sign * hourMs),
      isFelt: (scene) => isAway(scene, 'clock'),
      end: (scene) => scene.moveClock(0),
    }),
  ),
];

/** As /readyz of whoever uses the engine most says. */
async function isAway({ apiUrl, collectorUrl }: FaultsScene, engine: string): Promise<boolean> {
  const url = engine === 'nats' ? collectorUrl : apiUrl;
  const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(4_000) });
  const { engines } = (await answer.json()) as { engines: Record<string, string> };
  return engines[engine] === 'away';
}

/** Connections that stand keep what they began with, so they are ended. */
async function alterDatabase({ engines, environment }: FaultsScene, change: string): Promise<void> {
  const { ports, password } = await engines.supervisor.place('postgres');
  const admin = new pg.Client({
    connectionString: `postgres://postgres:${password}@127.0.0.1:${ports.main}/postgres`,
    connectionTimeoutMillis: 10_000,
    query_timeout: 10_000,
  });
  await admin.connect();
  try {
    const database = new URL(environment.DATABASE_APP_URL ?? '').pathname.slice(1);
    await admin.query(`ALTER DATABASE "${database}" ${change}`);
    await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [database]);
  } finally {
    await admin.end();
  }
}

/** To fewer bytes than it holds: then it takes no more, and keeps what it has. */
async function limitLog({ engines, environment }: FaultsScene, maxBytes: number): Promise<void> {
  const stream = await connectStream({ url: engines.natsUrl, prefix: environment.STREAM_PREFIX ?? '', maxBytes });
  try {
    await stream.ensureStreams();
  } finally {
    await stream.close();
  }
}

async function tellRedis({ engines }: FaultsScene, [word = '', ...rest]: readonly string[]): Promise<void> {
  const redis = createRedis({ url: engines.redisUrl, prefix: 'drill' });
  try {
    await redisReady(redis, 10_000);
    await redis.call(word, ...rest);
  } finally {
    redis.disconnect();
  }
}
