import { type Ledger, sweep } from '@tributary/postgres';

/** Who read personal data stays on record for a year. */
const lifeDays = 365;

export function pruneAccessLog(system: Ledger, now: Date, signal: AbortSignal): Promise<number> {
  const before = new Date(now.getTime() - lifeDays * 86_400_000);
  return sweep(system, { table: 'pii_access_log', key: ['workspace_id', 'at', 'id'], age: 'at', before }, signal);
}
