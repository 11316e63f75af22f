import { randomBytes } from 'node:crypto';
import { FakeClock } from '@tributary/clock';
import { createPostgres, joinShards, type Postgres } from '@tributary/postgres';
import { homeShard } from '@tributary/vocabulary';
import { cloneDatabase, type TestDatabase } from './database.ts';
import { type ClickHouseLocation, clickhouseAt, farShard, isLedgerSplit } from './shards.ts';

/** The resources of one test file. Files share none of them, so they can run in parallel. */
export interface Testkit {
  /** Holds the rows of every workspace that the builders create. */
  readonly database: TestDatabase;
  /** Holds the accounts, when the ledger is split. */
  readonly homeDatabase: TestDatabase | undefined;
  /** Bound by row-level security, as a request is. */
  readonly app: Postgres;
  /** Sees only the queues, as a worker does. */
  readonly system: Postgres;
  /** The owner of the schema, which is the role that registers apps for the operator. */
  readonly owner: Postgres;
  readonly clock: FakeClock;
  readonly clickhouse: ClickHouseLocation;
  readonly clickhouseUrl: string;
  readonly clickhouseDatabase: string;
  readonly natsUrl: string;
  readonly streamPrefix: string;
  readonly redisUrl: string;
  readonly redisPrefix: string;
  close(): Promise<void>;
}

const setting = (name: string) => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: tests are started with "npm test", which starts the engines first.`);
  return value;
};

const templateUrls = () => ({
  ownerUrl: setting('DATABASE_OWNER_URL'),
  appUrl: setting('DATABASE_APP_URL'),
  systemUrl: setting('DATABASE_SYSTEM_URL'),
  collectorUrl: setting('DATABASE_COLLECTOR_URL'),
});

/** Opened in beforeAll, closed in afterAll. */
/** Connection pool size of tests. The API under test shares it. */
export const appConnections = 8;

export async function openTestkit(isSplit = isLedgerSplit()): Promise<Testkit> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const database = await cloneDatabase(templateUrls());
  const home = isSplit ? await cloneDatabase(templateUrls()) : undefined;
  const open = (role: 'appUrl' | 'systemUrl' | 'ownerUrl', poolSize: number, here: string) => {
    const isShard = home !== undefined;
    const single = createPostgres({ url: database[role], poolSize, isShard });
    if (!home) return single;
    const shards = { [homeShard]: createPostgres({ url: home[role], poolSize, isShard }), [farShard]: single };
    return joinShards(new Map(Object.entries(shards)), here);
  };
  const app = open('appUrl', appConnections, homeShard);
  const system = open('systemUrl', 4, farShard);
  const owner = open('ownerUrl', 1, farShard);
  return {
    database,
    homeDatabase: home,
    app,
    system,
    owner,
    clock: new FakeClock('2026-06-15T12:00:00.000Z'),
    clickhouse: clickhouseAt(setting('CLICKHOUSE_URL')),
    clickhouseUrl: setting('CLICKHOUSE_URL'),
    clickhouseDatabase: name,
    natsUrl: setting('NATS_URL'),
    streamPrefix: name,
    redisUrl: setting('REDIS_URL'),
    redisPrefix: name,
    async close() {
      await app.close();
      await system.close();
      await owner.close();
      await database.drop();
      await home?.drop();
    },
  };
}
