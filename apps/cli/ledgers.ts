import type { Settings } from '@tributary/config';
import { writeAudit } from '@tributary/domain/accountability/room.ts';
import { createOperator, type Operator } from '@tributary/operations';
import { type Platform, withPlatform } from '@tributary/platform';
import type { Postgres } from '@tributary/postgres';

export interface Ledgers {
  /** Behind the walls, like a request. */
  readonly app: Postgres;
  /** Changes something and leaves an audit entry, like a request. */
  readonly operator: Operator;
  readonly platform: Platform;
  readonly settings: Settings;
  readonly now: Date;
}

/** For a command over the ledger; what it opens of the platform besides is closed with it. */
export const withLedgers = <T>(work: (ledgers: Ledgers) => Promise<T>): Promise<T> =>
  withPlatform(async (platform) => {
    const app = await platform.postgres('app', { poolSize: 2 });
    const owner = await platform.postgres('owner', { poolSize: 2 });
    const operator = createOperator({ app, owner, audit: writeAudit, now: platform.now });
    return work({ app, operator, platform, settings: platform.settings, now: platform.now() });
  });
