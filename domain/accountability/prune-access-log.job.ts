import { type Ledger, sweep } from '@tributary/postgres';
import { dayMs, limits } from '@tributary/vocabulary';

/** Takes away what has been on record long enough of who read personal data. */
export function pruneAccessLog(system: Ledger, now: Date, signal: AbortSignal): Promise<number> {
  const before = new Date(now.getTime() - limits.piiAccessLog.keptDays * dayMs);
  return sweep(system, { table: 'pii_access_log', key: ['workspace_id', 'at', 'id'], age: 'at', before }, signal);
}
