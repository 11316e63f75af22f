import { setTimeout as sleep } from 'node:timers/promises';
import type { ClickHouse } from '@tributary/clickhouse';
import { startAttribution } from '@tributary/domain/attribution/room.ts';
import { startDeliveryCopy } from '@tributary/domain/campaigns/room.ts';
import type { Postgres } from '@tributary/postgres';
import { sql } from 'kysely';

export interface Stores {
  readonly app: Postgres;
  readonly system: Postgres;
  readonly clickhouse: ClickHouse;
}

/** Lets the worker's loops do what is to be done, for all profiles of the database, and stops them when nothing is. */
export async function settleAll({ app, system, clickhouse }: Stores): Promise<void> {
  let failure: unknown;
  const onError = (error: unknown) => {
    failure ??= error;
  };
  const options = { app, system, clickhouse, now: () => new Date(), onError, idleMs: 20 };
  const workers = [startAttribution(options), startDeliveryCopy(options)];
  const isBusy = async () => {
    const { rows } = await system.unbound.query(sql<{ busy: boolean }>`
      SELECT EXISTS (SELECT FROM dirty_conversions) OR EXISTS (SELECT FROM delivery_copies WHERE is_due) AS busy`);
    return rows[0]?.busy ?? false;
  };
  try {
    const deadline = performance.now() + 60_000;
    while (await isBusy()) {
      if (failure) throw failure;
      if (performance.now() > deadline) throw new Error('The workers do not come to an end.');
      await sleep(20);
    }
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
}
