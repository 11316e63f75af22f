import { type EngineName, Supervisor } from '@tributary/engines';
import { cloneDatabase, prepareTemplate, type TestDatabase } from './database.ts';
import { type ClickHouseLocation, clickhouseAt, farShard, isLedgerSplit, isSharded, startShards } from './shards.ts';

export interface DrillEngines {
  readonly supervisor: Supervisor;
  /** The supervisors whose ClickHouse holds rows: the two of a cluster, or a single one. */
  readonly shards: readonly [Supervisor, ...Supervisor[]];
  /** The supervisors whose PostgreSQL is a server of the ledger: one, or two. */
  readonly ledgers: readonly [Supervisor, ...Supervisor[]];
  readonly database: TestDatabase;
  readonly redisUrl: string;
  readonly natsUrl: string;
  readonly clickhouse: ClickHouseLocation;
  readonly clickhouseUrl: string;
  /** Stops the engines and deletes their data. */
  close(): Promise<void>;
}

/** Starts separate engines with a migrated database, so that a drill can break them without affecting other tests. */
export async function openDrillEngines(
  set: string,
  names: readonly EngineName[],
  isSplit = isLedgerSplit(),
): Promise<DrillEngines> {
  const supervisor = new Supervisor(set);
  const second = new Supervisor(`${set}-second`);
  // An interrupted run may have left its data behind.
  await second.destroy();
  const hasShards = isSharded() && names.includes('clickhouse');
  const hasLedgers = isSplit && names.includes('postgres');
  if (hasLedgers) supervisor.joinPostgres([second]);
  if (hasShards) await startShards(supervisor, second);
  const addresses = await supervisor.start(names);
  // Nothing listens at this address, but an API can still be built without ClickHouse.
  const clickhouseUrl = addresses.CLICKHOUSE_URL ?? 'http://127.0.0.1:1';
  if (hasLedgers) {
    const { host, pathname } = new URL((await openDatabase(await second.start(['postgres']))).appUrl);
    // Child processes inherit it.
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
