import type { Ledger } from '@tributary/postgres';
import { sql } from 'kysely';

/** Who read personal data stays on record for a year. */
export const accessLogLifeDays = 365;

const batchSize = 5_000;

export async function pruneAccessLog(system: Ledger, now: Date, signal: AbortSignal): Promise<number> {
  const before = new Date(now.getTime() - accessLogLifeDays * 86_400_000);
  let total = 0;
  while (!signal.aborted) {
    const { rows } = await system.transaction((tx) =>
      sql`
        DELETE FROM pii_access_log WHERE (workspace_id, at, id) IN (
          SELECT workspace_id, at, id FROM pii_access_log WHERE at < ${before} ORDER BY at LIMIT ${batchSize}
        ) RETURNING 1`.execute(tx),
    );
    total += rows.length;
    if (rows.length < batchSize) break;
  }
  return total;
}
