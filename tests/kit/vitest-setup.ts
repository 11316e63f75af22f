import { Supervisor } from '@tributary/engines';
import { prepareTemplate } from './database.ts';

/** Before the first test file: real engines, and the template that each file's database is cloned from. */
export default async function setup(): Promise<void> {
  const addresses = await new Supervisor().start();
  Object.assign(process.env, addresses);
  // A log reserves its room on the server, which processes of many tests share.
  Object.assign(process.env, { STREAM_MAX_MEGABYTES: '64', DEAD_LETTER_MAX_MEGABYTES: '16' });
  await prepareTemplate({
    ownerUrl: process.env.DATABASE_OWNER_URL as string,
    appUrl: process.env.DATABASE_APP_URL as string,
    systemUrl: process.env.DATABASE_SYSTEM_URL as string,
    collectorUrl: process.env.DATABASE_COLLECTOR_URL as string,
  });
}
