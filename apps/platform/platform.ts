import type { ClickHouse, ClickHouseSettings } from '@tributary/clickhouse';
import { LedgerClock } from '@tributary/clock/ledger-clock.ts';
import { loadSettings, type Settings, WrongSettings } from '@tributary/config';
import type { LookUps, Postgres } from '@tributary/postgres';
import type { RedisClient } from '@tributary/redis';
import type { Stream } from '@tributary/stream';
import { createLog, type Log } from '@tributary/telemetry';
import { createVault, KeyRing, loadKeys, type Vault } from '@tributary/vault';
import type { Jobs } from '@tributary/work';
import { TestClock } from './test-clock.ts';

/** The longest delay until a rotated key is used. */
const keyRefreshMs = 30_000;

/** The PostgreSQL role: tenant-isolated, system (queues), owner of the schema, or tracking keys only. */
type Role = 'app' | 'system' | 'owner' | 'collector';

/** Queries the home shard, or all shards; `urls` contains the URL of each. */
export interface ShardLookUps extends LookUps {
  readonly everywhere: LookUps;
  readonly urls: readonly string[];
}

export interface LedgerOptions {
  readonly poolSize: number;
  readonly statementTimeoutMs?: number;
}

/** The libraries of the parts, loaded on demand. */
const parts = {
  postgres: () => import('@tributary/postgres'),
  lookUps: () => import('@tributary/postgres/look-ups.ts'),
  servers: () => import('@tributary/postgres/servers.ts'),
  clickhouse: () => import('@tributary/clickhouse'),
  redis: () => import('@tributary/redis'),
  stream: () => import('@tributary/stream'),
  work: () => import('@tributary/work'),
};

/** Loads every part without opening any. */
export const loadParts = (): Promise<unknown> => Promise.all(Object.values(parts).map((load) => load()));

/** The connections and services of a process. A part is loaded and opened on request, and all are closed in reverse order. */
export interface Platform {
  readonly settings: Settings;
  readonly log: Log;
  readonly now: () => Date;
  /** How far this machine's clock is ahead of PostgreSQL's, which `now` follows. */
  readonly clockSkewMs: () => number;
  /** With TEST_CLOCK, the clock that `now` reads; undefined otherwise. */
  readonly testClock: TestClock | undefined;
  /** Reports background failures that no caller awaits. */
  readonly onError: (error: unknown) => void;
  postgres(role: Role, options: LedgerOptions): Promise<Postgres>;
  /** PostgreSQL for a process that only reads, without the libraries of the full ledger. */
  lookUps(role: Role, options: LedgerOptions): Promise<ShardLookUps>;
  /** The URL of the server whose queues this process works on, for parts that open connections of their own. */
  ledgerUrl(role: Role): Promise<string>;
  clickhouse(options?: Pick<ClickHouseSettings, 'requestTimeoutMs'>): Promise<ClickHouse>;
  redis(): Promise<RedisClient>;
  stream(): Promise<Stream>;
  /** Enqueues background jobs. */
  jobs(): Promise<Jobs>;
  /** Encrypts the service's own keys; requires ENCRYPTION_KEYS. */
  masterVault(): Vault;
  /** The service's own keys, refreshed until the platform is closed. */
  keys(app: Postgres): Promise<KeyRing>;
  /** Runs when the process ends, before earlier parts are closed. */
  onClose(close: () => unknown): void;
  /** Makes `now` follow the shared clock of a test installation. Does nothing unless TEST_CLOCK is set. */
  followTestClock(): Promise<void>;
  close(): Promise<void>;
}

export function openPlatform(environment: NodeJS.ProcessEnv): Platform {
  const settings = loadSettings(environment);
  const log = createLog(settings.logLevel);
  if (settings.testClock && environment.NODE_ENV === 'production')
    throw new WrongSettings(['TEST_CLOCK must not be true when NODE_ENV is production']);
  let testClock: TestClock | undefined;
  const onError = (error: unknown) => log.failure(undefined, error);
  const clock = new LedgerClock();
  let isClockFollowed = false;
  async function followClock(readTime: () => Promise<number>): Promise<void> {
    if (isClockFollowed) return;
    isClockFollowed = true;
    onClose(await clock.follow(readTime));
  }
  const now = () => testClock?.now() ?? clock.now();
  const closers: (() => unknown)[] = [];
  const onClose = (close: () => unknown) => void closers.push(close);
  const urlsByRole: Record<Role, string> = {
    app: settings.databaseAppUrl,
    system: settings.databaseSystemUrl,
    owner: settings.databaseOwnerUrl,
    collector: settings.databaseCollectorUrl,
  };

  /** The URL of every shard for a role, home first. */
  async function shardUrls(role: Role): Promise<Map<string, string>> {
    const { atEveryServer } = await parts.servers();
    const urls = atEveryServer(urlsByRole[role], settings.ledgerShards);
    if (!urls.has(settings.ledgerShard))
      throw new WrongSettings([`LEDGER_SHARD is "${settings.ledgerShard}", and LEDGER_SHARDS names no such shard`]);
    return urls;
  }

  function masterVault(): Vault {
    if (!settings.encryptionKeys)
      throw new WrongSettings([
        'ENCRYPTION_KEYS must be set, for example to "k1:" and the output of "openssl rand -base64 32"',
      ]);
    return createVault(settings.encryptionKeys);
  }

  return {
    settings,
    log,
    now,
    clockSkewMs: () => clock.skewMs,
    get testClock() {
      return testClock;
    },
    onError,
    onClose,
    masterVault,

    async postgres(role, options) {
      const { createPostgres, joinShards } = await parts.postgres();
      const urls = await shardUrls(role);
      const isShard = urls.size > 1;
      const shards = new Map(
        [...urls].map(([name, url]) => [name, createPostgres({ url, ...options, isShard, onError })]),
      );
      const postgres = joinShards(shards, settings.ledgerShard);
      onClose(() => postgres.close());
      await followClock(() => postgres.home.readTime());
      return postgres;
    },

    async lookUps(role, options) {
      const { ledgerTimeSql, openLookUps } = await parts.lookUps();
      const urls = [...(await shardUrls(role)).values()];
      const shards = urls.map((url) => openLookUps({ url, ...options, onError }));
      onClose(() => Promise.all(shards.map((one) => one.close())));
      const [home] = shards as [(typeof shards)[0]];
      await followClock(async () => (await home.lookUp<{ ms: number }>(ledgerTimeSql))[0]?.ms as number);
      const everywhere: LookUps = {
        lookUp: async <Row>(text: string, values?: readonly unknown[]) =>
          (await Promise.all(shards.map((one) => one.lookUp<Row>(text, values)))).flat(),
      };
      return { ...home, everywhere, urls };
    },

    ledgerUrl: async (role) => (await shardUrls(role)).get(settings.ledgerShard) as string,

    async clickhouse(options = {}) {
      const { clickhouseSettings, createClickHouse } = await parts.clickhouse();
      const clickhouse = createClickHouse({ ...clickhouseSettings(settings), ...options });
      onClose(() => clickhouse.close());
      return clickhouse;
    },

    async redis() {
      const { createRedis } = await parts.redis();
      const redis = createRedis({ url: settings.redisUrl, prefix: settings.redisPrefix, onError });
      onClose(() => redis.disconnect());
      return redis;
    },

    async stream() {
      const { connectStream, streamOptions } = await parts.stream();
      const stream = await connectStream(streamOptions(settings));
      onClose(() => stream.close());
      return stream;
    },

    async jobs() {
      const { createJobs } = await parts.work();
      const jobs = await createJobs(await this.ledgerUrl('app'), onError);
      onClose(() => jobs.close());
      return jobs;
    },

    async keys(app) {
      const ring = await new KeyRing(masterVault(), () => loadKeys(app.home.unbound), now).open(keyRefreshMs, onError);
      onClose(() => ring.close());
      return ring;
    },

    async followTestClock() {
      if (!settings.testClock) return;
      const redis = await this.redis();
      const { redisReady } = await parts.redis();
      await redisReady(redis);
      const clock = await TestClock.open(redis, onError);
      onClose(() => clock.close());
      testClock = clock;
    },

    async close() {
      for (let close = closers.pop(); close; close = closers.pop()) await close();
    },
  };
}

/** For a command that does one thing and ends. */
export async function withPlatform<T>(work: (platform: Platform) => Promise<T>): Promise<T> {
  const platform = openPlatform(process.env);
  try {
    return await work(platform);
  } finally {
    await platform.close();
  }
}
