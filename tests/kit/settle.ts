import type { ClickHouse } from '@tributary/clickhouse';
import { attribution } from '@tributary/domain/attribution/room.ts';
import { delivery } from '@tributary/domain/campaigns/room.ts';
import { listFirstSyncs } from '@tributary/domain/connections/room.ts';
import { reopenExports } from '@tributary/domain/exports/room.ts';
import { firstPayments } from '@tributary/domain/payments/room.ts';
import { sales } from '@tributary/domain/sales/room.ts';
import type { Postgres } from '@tributary/postgres';
import { workOff } from './work-off.ts';

export interface Stores {
  readonly app: Postgres;
  readonly system: Postgres;
  readonly clickhouse: ClickHouse;
}

/** Computes attribution and copies the results to ClickHouse, for all profiles of the database. */
export async function settleAll({ app, system, clickhouse }: Stores): Promise<void> {
  await matchSales({ app, system });
  await workOff(system, 'attribution', attribution({ app, clickhouse, now: () => new Date() }));
  await workOff(system, 'delivery', delivery({ app, clickhouse }));
}

/** Finds payment records of the same sale and updates first payments accordingly. */
export async function matchSales({ app, system }: Pick<Stores, 'app' | 'system'>): Promise<void> {
  const matched = await workOff(system, 'sales', sales({ app, listFirstSyncs, reopenExports, now: () => new Date() }));
  if (matched > 0) await workOff(system, 'firstPayments', firstPayments(app));
}
