import type { Ledger } from '@tributary/postgres';
import { sql } from 'kysely';

const batchSize = 5_000;

/** Deletes stored answers whose day is over. Nothing reads them any more; they only must not pile up. */
export async function forgetExpired(system: Ledger, now: Date, signal: AbortSignal): Promise<number> {
  let total = 0;
  while (!signal.aborted) {
    const { rows } = await system.transaction((tx) =>
      sql`
        DELETE FROM idempotent_answers WHERE (owner_id, key_hash) IN (
          SELECT owner_id, key_hash FROM idempotent_answers WHERE expires_at <= ${now} LIMIT ${batchSize}
        ) RETURNING 1`.execute(tx),
    );
    total += rows.length;
    if (rows.length < batchSize) break;
  }
  return total;
}
