import type { Ledger } from '@tributary/postgres';
import { sql } from 'kysely';

const batchSize = 5_000;

/** What has a time to live, and the columns that name a row. Nothing reads it any more; it only must not pile up. */
const expiring: Readonly<Record<string, readonly string[]>> = {
  idempotent_answers: ['owner_id', 'key_hash'],
  app_tokens: ['hash'],
  // With a session go the assistants' tokens that it allowed.
  sessions: ['id'],
  verifications: ['id'],
};

/** Deletes what has run out: stored answers, tokens, sessions, codes. */
export async function forgetExpired(system: Ledger, now: Date, signal: AbortSignal): Promise<number> {
  let total = 0;
  for (const [table, columns] of Object.entries(expiring)) total += await sweep(system, table, columns, now, signal);
  return total;
}

async function sweep(
  system: Ledger,
  table: string,
  columns: readonly string[],
  now: Date,
  signal: AbortSignal,
): Promise<number> {
  const [name, key] = [sql.table(table), sql.join(columns.map((column) => sql.ref(column)))];
  let total = 0;
  while (!signal.aborted) {
    const { rows } = await system.transaction((tx) =>
      sql`
        DELETE FROM ${name} WHERE (${key}) IN (
          SELECT ${key} FROM ${name} WHERE expires_at <= ${now} LIMIT ${batchSize}
        ) RETURNING 1`.execute(tx),
    );
    total += rows.length;
    if (rows.length < batchSize) break;
  }
  return total;
}
