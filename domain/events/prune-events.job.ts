import { type Ledger, sweep } from '@tributary/postgres';

/** Events stay replayable for 90 days. */
const lifeDays = 90;

export function pruneEvents(system: Ledger, now: Date, signal: AbortSignal): Promise<number> {
  const before = new Date(now.getTime() - lifeDays * 86_400_000);
  return sweep(system, { table: 'event_log', key: ['sequence'], age: 'sequenced_at', before }, signal);
}
