import type { Postgres } from '@tributary/postgres';
import { limits, minuteMs } from '@tributary/vocabulary';
import { sql } from 'kysely';

const batchSize = 1_000;

/** Marks hand-offs as expired and deletes tokens whose selection has expired. Resolves to the number of each. */
export async function expireHandoffs(
  system: Postgres,
  now: Date,
  signal: AbortSignal,
): Promise<{ expired: number; unparked: number }> {
  const stopped = new Date(now.getTime() - limits.handoff.partwayReuseMinutes * minuteMs);
  const expired = await inBatches(
    system,
    signal,
    () => sql`
      UPDATE handoffs SET status = 'failed', reason = 'handoff_expired', completed_at = expires_at, claim = NULL, claimed_at = NULL
      WHERE (profile_id, id) IN (
        SELECT profile_id, id FROM handoffs
        WHERE status = 'pending' AND expires_at <= ${now} AND (claimed_at IS NULL OR claimed_at <= ${stopped})
        ORDER BY expires_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`,
  );
  const unparked = await inBatches(
    system,
    signal,
    () => sql`
      UPDATE pending_selections SET parked = NULL, parked_until = NULL
      WHERE (profile_id, id) IN (
        SELECT profile_id, id FROM pending_selections
        WHERE parked_until <= ${now} ORDER BY parked_until LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)`,
  );
  return { expired, unparked };
}

async function inBatches(
  system: Postgres,
  signal: AbortSignal,
  statement: () => ReturnType<typeof sql<unknown>>,
): Promise<number> {
  let total = 0;
  while (!signal.aborted) {
    const { numAffectedRows = 0n } = await system.unbound.query(statement());
    total += Number(numAffectedRows);
    if (Number(numAffectedRows) < batchSize) break;
  }
  return total;
}
