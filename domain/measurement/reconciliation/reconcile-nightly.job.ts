import type { Postgres } from '@tributary/postgres';
import { dayMs, limits, reconciledBookNames } from '@tributary/vocabulary';
import { queueAll } from './store.ts';

/** Queues the last days of every profile in all books. Returns the number of runs. */
export function reconcileNightly(system: Postgres, now: Date): Promise<number> {
  const days = { firstDay: dayBefore(now, limits.reconciliation.nightlyDays), lastDay: dayBefore(now, 1) };
  return queueAll(system, { ...days, books: reconciledBookNames }, now);
}

/** Queues all days of every profile in our own books only; providers are not asked for years of payments every week. */
export function reconcileWeekly(system: Postgres, now: Date): Promise<number> {
  const days = { firstDay: limits.reconciliation.firstDay, lastDay: dayBefore(now, 1) };
  return queueAll(system, { ...days, books: ['columns', 'reports'] }, now);
}

const dayBefore = (now: Date, days: number): string =>
  new Date(now.getTime() - days * dayMs).toISOString().slice(0, 10);
