import type { ClickHouse } from '@tributary/clickhouse';
import { attribution } from '@tributary/domain/attribution/room.ts';
import { delivery } from '@tributary/domain/campaigns/room.ts';
import type { Postgres } from '@tributary/postgres';
import { workOff } from './work-off.ts';

export interface Stores {
  readonly app: Postgres;
  readonly system: Postgres;
  readonly clickhouse: ClickHouse;
}

/** Works out and copies what is to be, for all profiles of the database. */
export async function settleAll({ app, system, clickhouse }: Stores): Promise<void> {
  await workOff(system, 'attribution', attribution({ app, clickhouse, now: () => new Date() }));
  await workOff(system, 'delivery', delivery({ app, clickhouse }));
}
