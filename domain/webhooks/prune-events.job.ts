import type { Ledger } from '@tributary/postgres';
import { sql } from 'kysely';

/** Events stay replayable for 90 days. */
export const eventLifeDays = 90;

const batchSize = 5_000;

/** Deletes events past their time, a batch at a time, so that no transaction grows with the log. Resolves to how many. */
export async function pruneEvents(system: Ledger, now: Date, signal: AbortSignal): Promise<number> {
  const before = new Date(now.getTime() - eventLifeDays * 86_400_000);
  let total = 0;
  while (!signal.aborted) {
    const { rows } = await system.transaction((tx) =>
      sql`
        DELETE FROM event_log WHERE sequence IN (
          SELECT sequence FROM event_log WHERE sequenced_at < ${before} ORDER BY sequence LIMIT ${batchSize}
        ) RETURNING sequence`.execute(tx),
    );
    total += rows.length;
    if (rows.length < batchSize) break;
  }
  return total;
}
