import type { Settings } from '@tributary/config';
import { type Platform, withPlatform } from '@tributary/platform';
import type { Postgres } from '@tributary/postgres';

export interface Ledgers {
  /** Behind the walls, like a request. */
  readonly app: Postgres;
  /** As the owner of the schema: apps, and the lists over all workspaces. */
  readonly operator: Postgres;
  readonly platform: Platform;
  readonly settings: Settings;
  readonly now: Date;
}

/** For a command over the ledger; what it opens of the platform besides is closed with it. */
export const withLedgers = (work: (ledgers: Ledgers) => Promise<void>): Promise<void> =>
  withPlatform(async (platform) => {
    const app = await platform.postgres('app', { poolSize: 2 });
    const operator = await platform.postgres('owner', { poolSize: 2 });
    await work({ app, operator, platform, settings: platform.settings, now: platform.now() });
  });
