import { raw } from '@tributary/clickhouse';
import type { EngineName } from '@tributary/engines';
import { createRedis, redisReady } from '@tributary/redis';
import { connectStream } from '@tributary/stream';
import { hourMs } from '@tributary/vocabulary';
import pg from 'pg';
import { diskEngines } from './faults-disks.ts';
import type { FaultsScene } from './faults-scene.ts';

/** A way in which an engine or the machine can fail. */
export interface Fault {
  readonly name: string;
  readonly isSmall: boolean;
  /** Whether the fault needs separate disks for the engines. */
  readonly needsDisks?: true;
  begin(scene: FaultsScene): Promise<void> | void;
  /** Whether the fault affects the deployment. A fault without an effect proves nothing. */
  hasEffect(scene: FaultsScene, since: Mark): Promise<boolean> | boolean;
  end(scene: FaultsScene): Promise<void> | void;
}

/** State at the beginning of the fault. */
export interface Mark {
  readonly workerLines: number;
  readonly refused: number;
  readonly refusedNow: () => number;
}

const names: readonly EngineName[] = ['postgres', 'clickhouse', 'nats', 'redis'];

/** Faults with `isSmall` run in CI. */
export const faults: readonly Fault[] = [
  // Runs first: leases that could not be released during this fault expire while the other faults run.
  {
    name: 'postgres is read-only',
    isSmall: true,
    begin: (scene) => alterDatabase(scene, 'SET default_transaction_read_only = on'),
    hasEffect: (scene, since) => since.refusedNow() > since.refused && isAway(scene, 'postgres_writes'),
    end: (scene) => alterDatabase(scene, 'RESET default_transaction_read_only'),
  },
  ...names.map(
    (engine): Fault => ({
      name: `${engine} is frozen`,
      isSmall: engine === 'redis' || engine === 'postgres',
      begin: ({ engines }) => engines.supervisor.pause(engine),
      hasEffect: (scene) => isAway(scene, engine),
      end: ({ engines }) => engines.supervisor.resume(engine),
    }),
  ),
  ...names.map(
    (engine): Fault => ({
      name: `${engine} has no name`,
      isSmall: engine === 'nats',
      begin: (scene) => scene.disconnect(engine),
      hasEffect: (scene) => isAway(scene, engine),
      end: (scene) => scene.reconnect(engine),
    }),
  ),
  {
    name: 'clickhouse refuses writes',
    isSmall: true,
    begin: ({ clickhouse }) =>
      clickhouse.command(raw('ALTER TABLE visits MODIFY SETTING parts_to_throw_insert = 1'), {}),
    hasEffect: ({ worker }, { workerLines }) =>
      worker.lines.slice(workerLines).some((line) => line.includes('visits wait')),
    end: ({ clickhouse }) => clickhouse.command(raw('ALTER TABLE visits RESET SETTING parts_to_throw_insert'), {}),
  },
  {
    name: 'nats refuses writes',
    isSmall: false,
    begin: (scene) => limitStream(scene, 1),
    hasEffect: (_scene, since) => since.refusedNow() > since.refused,
    end: (scene) => limitStream(scene, -1),
  },
  {
    name: 'redis is read-only',
    isSmall: false,
    begin: (scene) => runRedisCommand(scene, ['REPLICAOF', '127.0.0.1', '1']),
    hasEffect: (scene) => isAway(scene, 'redis'),
    end: (scene) => runRedisCommand(scene, ['REPLICAOF', 'NO', 'ONE']),
  },
  ...diskEngines.map(
    (engine): Fault => ({
      name: `${engine} is out of disk`,
      isSmall: false,
      needsDisks: true,
      begin: ({ disks }) => disks.fill(engine),
      async hasEffect({ worker, disks }, since) {
        const hasEffect =
          engine === 'clickhouse'
            ? worker.lines.slice(since.workerLines).some((line) => line.includes('visits wait'))
            : since.refusedNow() > since.refused;
        // Running ClickHouse merges may have freed space in the meantime.
        if (!hasEffect) await disks.fill(engine);
        return hasEffect;
      },
      // PostgreSQL exits when there is no space for its WAL and is restarted, as compose.yaml would do. An interrupted ClickHouse merge may
      // have left an unreadable part, which ClickHouse detects at startup.
      async end({ disks, engines: { supervisor } }) {
        await disks.expand(engine);
        await (engine === 'clickhouse' ? supervisor.restart(engine) : supervisor.start([engine]));
      },
    }),
  ),
  {
    name: 'redis is out of memory',
    isSmall: false,
    begin: (scene) => runRedisCommand(scene, ['CONFIG', 'SET', 'maxmemory', '1']),
    hasEffect: (scene) => isAway(scene, 'redis'),
    end: (scene) => runRedisCommand(scene, ['CONFIG', 'SET', 'maxmemory', '256mb']),
  },
  ...[1, -1].map(
    (sign): Fault => ({
      name: `our clock is an hour ${sign > 0 ? 'ahead' : 'behind'}`,
      isSmall: false,
      begin: (scene) => scene.moveClock(sign * hourMs),
      hasEffect: (scene) => isAway(scene, 'clock'),
      end: (scene) => scene.moveClock(0),
    }),
  ),
];

/** Whether /readyz reports the engine as unavailable. Uses the process that depends on the engine most. */
async function isAway({ apiUrl, collectorUrl }: FaultsScene, engine: string): Promise<boolean> {
  const url = engine === 'nats' ? collectorUrl : apiUrl;
  const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(4_000) });
  const { engines } = (await response.json()) as { engines: Record<string, string> };
  return engines[engine] === 'away';
}

/** Changes a setting of the database and ends all connections, because open ones keep the old value. */
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

/** Limits the stream below its current size. It then rejects new messages and keeps the stored ones. */
async function limitStream({ engines, environment }: FaultsScene, maxBytes: number): Promise<void> {
  const stream = await connectStream({ url: engines.natsUrl, prefix: environment.STREAM_PREFIX ?? '', maxBytes });
  try {
    await stream.ensureStreams();
  } finally {
    await stream.close();
  }
}

async function runRedisCommand({ engines }: FaultsScene, [command = '', ...rest]: readonly string[]): Promise<void> {
  const redis = createRedis({ url: engines.redisUrl, prefix: 'drill' });
  try {
    await redisReady(redis, 10_000);
    await redis.call(command, ...rest);
  } finally {
    redis.disconnect();
  }
}
