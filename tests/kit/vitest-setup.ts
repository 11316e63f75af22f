import { Supervisor } from '@tributary/engines';
import { prepareTemplate } from './database.ts';
import { sweepLeftovers } from './leftovers.ts';
import { isSharded, startShards } from './shards.ts';

/** Runs before the first test file: starts real engines and prepares the template that each file's database is cloned from. Returns the teardown. */
export default async function setup(): Promise<() => Promise<void>> {
  const addresses = await start();
  Object.assign(process.env, addresses);
  process.env.TEST_RUN_PID = String(process.pid);
  // Each stream reserves disk space on the server, which many test processes share.
  Object.assign(process.env, {
    STREAM_MAX_MEGABYTES: '64',
    DEAD_LETTER_MAX_MEGABYTES: '16',
    PROVIDER_WEBHOOKS_MAX_MEGABYTES: '16',
    UNVERIFIED_WEBHOOKS_MAX_MEGABYTES: '16',
  });
  await prepareTemplate({
    ownerUrl: process.env.DATABASE_OWNER_URL as string,
    appUrl: process.env.DATABASE_APP_URL as string,
    systemUrl: process.env.DATABASE_SYSTEM_URL as string,
    collectorUrl: process.env.DATABASE_COLLECTOR_URL as string,
  });
  return sweepLeftovers;
}

async function start(): Promise<Record<string, string>> {
  const main = new Supervisor();
  if (!isSharded()) return main.start();
  const { url } = await startShards(new Supervisor('shards'), new Supervisor('shards-second'));
  return { ...(await main.start(['postgres', 'nats', 'redis'])), CLICKHOUSE_URL: url };
}
