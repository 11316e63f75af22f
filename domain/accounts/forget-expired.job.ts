import { type Ledger, sweep } from '@tributary/postgres';

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
  // What ends at this very moment has ended.
  const before = new Date(now.getTime() + 1);
  let total = 0;
  for (const [table, key] of Object.entries(expiring)) {
    total += await sweep(system, { table, key, age: 'expires_at', before }, signal);
  }
  return total;
}
