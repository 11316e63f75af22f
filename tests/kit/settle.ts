import type { ClickHouse } from '@tributary/clickhouse';
import { delivery } from '@tributary/domain/advertising/campaigns/module.ts';
import { listFirstSyncs } from '@tributary/domain/advertising/connections/module.ts';
import { reopenExports } from '@tributary/domain/advertising/exports/module.ts';
import { firstPayments } from '@tributary/domain/commerce/payments/module.ts';
import { sales } from '@tributary/domain/commerce/sales/module.ts';
import { attribution } from '@tributary/domain/measurement/attribution/module.ts';
import type { Postgres } from '@tributary/postgres';
import { processQueue } from './process-queue.ts';

export interface Stores {
  readonly app: Postgres;
  readonly system: Postgres;
  readonly clickhouse: ClickHouse;
}

/** Computes attribution and copies the results to ClickHouse, for all profiles of the database. */
export async function settleAll({ app, system, clickhouse }: Stores): Promise<void> {
  await matchSales({ app, system });
  await processQueue(system, 'attribution', attribution({ app, clickhouse, now: () => new Date() }));
  await processQueue(system, 'delivery', delivery({ app, clickhouse }));
}

/** Finds payment records of the same sale and updates first payments accordingly. */
export async function matchSales({ app, system }: Pick<Stores, 'app' | 'system'>): Promise<void> {
  const matched = await processQueue(
    system,
    'sales',
    sales({ app, listFirstSyncs, reopenExports, now: () => new Date() }),
  );
  if (matched > 0) await processQueue(system, 'firstPayments', firstPayments(app));
}
