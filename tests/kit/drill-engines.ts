import { type EngineName, Supervisor } from '@tributary/engines';
import { cloneDatabase, prepareTemplate, type TestDatabase } from './database.ts';
import { type ClickHousePlace, clickhouseAt, farShard, isLedgerSplit, isSharded, startShards } from './shards.ts';

export interface DrillEngines {
  readonly supervisor: Supervisor;
  /** Whose ClickHouse holds rows: two of a cluster, or that one alone. */
  readonly shards: readonly [Supervisor, ...Supervisor[]];
  /** Whose PostgreSQL is a server of the ledger: one, or two. */
  readonly ledgers: readonly [Supervisor, ...Supervisor[]];
  readonly database: TestDatabase;
  readonly redisUrl: string;
  readonly natsUrl: string;
  readonly clickhouse: ClickHousePlace;
  readonly clickhouseUrl: string;
  /** Stops the engines and deletes their data. */
  close(): Promise<void>;
}

/** Engines of a drill's own, with a migrated database, so that breaking them breaks nobody else's work. */
export async function openDrillEngines(
  set: string,
  names: readonly EngineName[],
  isSplit = isLedgerSplit(),
): Promise<DrillEngines> {
  const supervisor = new Supervisor(set);
  const second = new Supervisor(`${set}-second`);
  // An interrupted run may have left it behind.
  await second.destroy();
  const hasShards = isSharded() && names.includes('clickhouse');
  const hasLedgers = isSplit && names.includes('postgres');
  if (hasLedgers) supervisor.joinPostgres([second]);
  if (hasShards) await startShards(supervisor, second);
  const addresses = await supervisor.start(names);
  // Where it is not asked for, nobody answers there: an API can be made all the same.
  const clickhouseUrl = addresses.CLICKHOUSE_URL ?? 'http://127.0.0.1:1';
  if (hasLedgers) {
    const { host, pathname } = new URL((await openDatabase(await second.start(['postgres']))).appUrl);
    // Processes of ours inherit it.
    process.env.LEDGER_SHARDS = `${farShard}=${host}${pathname}`;
  }
  return {
    supervisor,
    shards: hasShards ? [supervisor, second] : [supervisor],
    ledgers: hasLedgers ? [supervisor, second] : [supervisor],
    database: await openDatabase(addresses),
    redisUrl: addresses.REDIS_URL ?? '',
    natsUrl: addresses.NATS_URL ?? '',
    clickhouse: clickhouseAt(clickhouseUrl),
    clickhouseUrl,
    async close() {
      await Promise.all([supervisor.destroy(), second.destroy()]);
    },
  };
}

async function openDatabase(addresses: Readonly<Record<string, string>>): Promise<TestDatabase> {
  const server = {
    ownerUrl: addresses.DATABASE_OWNER_URL ?? '',
    appUrl: addresses.DATABASE_APP_URL ?? '',
    systemUrl: addresses.DATABASE_SYSTEM_URL ?? '',
    collectorUrl: addresses.DATABASE_COLLECTOR_URL ?? '',
  };
  await prepareTemplate(server);
  return cloneDatabase(server);
}
