import { type EngineName, Supervisor } from '@tributary/engines';
import { cloneDatabase, prepareTemplate, type TestDatabase } from './database.ts';

export interface DrillEngines {
  readonly supervisor: Supervisor;
  readonly database: TestDatabase;
  readonly redisUrl: string;
  readonly natsUrl: string;
  readonly clickhouseUrl: string;
  /** Stops the engines and deletes their data. */
  close(): Promise<void>;
}

/** Engines of a drill's own, with a migrated database, so that breaking them breaks nobody else's work. */
export async function openDrillEngines(set: string, names: readonly EngineName[]): Promise<DrillEngines> {
  const supervisor = new Supervisor(set);
  const addresses = await supervisor.start(names);
  const server = {
    ownerUrl: addresses.DATABASE_OWNER_URL ?? '',
    appUrl: addresses.DATABASE_APP_URL ?? '',
    systemUrl: addresses.DATABASE_SYSTEM_URL ?? '',
    collectorUrl: addresses.DATABASE_COLLECTOR_URL ?? '',
  };
  await prepareTemplate(server);
  return {
    supervisor,
    database: await cloneDatabase(server),
    redisUrl: addresses.REDIS_URL ?? '',
    natsUrl: addresses.NATS_URL ?? '',
    // Where it is not asked for, nobody answers there: an API can be made all the same.
    clickhouseUrl: addresses.CLICKHOUSE_URL ?? 'http://127.0.0.1:1',
    close: () => supervisor.destroy(),
  };
}
