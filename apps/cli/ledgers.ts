import type { Settings } from '@tributary/config';
import { writeAudit } from '@tributary/domain/tenancy/accountability/module.ts';
import { createOperator, type Operator } from '@tributary/operations';
import { type Platform, withPlatform } from '@tributary/platform';
import type { Postgres } from '@tributary/postgres';

export interface Ledgers {
  /** Bound by row-level security, like a request. */
  readonly app: Postgres;
  /** Makes changes and writes audit entries, like a request. */
  readonly operator: Operator;
  readonly platform: Platform;
  readonly settings: Settings;
  readonly now: Date;
}

/** Opens the ledger for a command, and closes it together with everything that the command opened of the platform. */
export const withLedgers = <T>(work: (ledgers: Ledgers) => Promise<T>): Promise<T> =>
  withPlatform(async (platform) => {
    const app = await platform.postgres('app', { poolSize: 2 });
    const owner = await platform.postgres('owner', { poolSize: 2 });
    const operator = createOperator({ app, owner, audit: writeAudit, now: platform.now });
    return work({ app, operator, platform, settings: platform.settings, now: platform.now() });
  });
