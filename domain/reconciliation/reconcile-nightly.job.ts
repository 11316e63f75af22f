import type { Postgres } from '@tributary/postgres';
import { dayMs, limits } from '@tributary/vocabulary';
import { queueAll } from './store.ts';

/** The last days of every profile; the queue compares them. Resolves to how many. */
export function reconcileNightly(system: Postgres, now: Date): Promise<number> {
  const day = (before: number) => new Date(now.getTime() - before * dayMs).toISOString().slice(0, 10);
  return queueAll(system, day(limits.reconciliation.nightlyDays), day(1), now);
}
