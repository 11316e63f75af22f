import { type Ledger, sweep } from '@tributary/postgres';
import { dayMs, limits } from '@tributary/vocabulary';

/** Takes away events that are too old to be replayed. */
export function pruneEvents(system: Ledger, now: Date, signal: AbortSignal): Promise<number> {
  const before = new Date(now.getTime() - limits.outcomeReplay.keptDays * dayMs);
  return sweep(system, { table: 'event_log', key: ['sequence'], age: 'sequenced_at', before }, signal);
}
