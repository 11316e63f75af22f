import { findReferred, lockMoney } from '@tributary/domain/commerce/outcomes';
import type { Postgres } from '@tributary/postgres';
import { dayMs, limits, nilUuid } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { recountRefunds } from './refunds.ts';
import { listWaiting, settleWaiting } from './refunds-store.ts';

const batchSize = 500;

/**
 * Applies refunds that arrived before their payment, in batches, and resolves to their number. It also covers a refund
 * and a payment recorded concurrently, where neither transaction saw the other.
 */
export async function applyWaitingRefunds(
  app: Postgres,
  system: Postgres,
  now: Date,
  signal: AbortSignal,
): Promise<number> {
  const since = new Date(now.getTime() - limits.refunds.waitDays * dayMs);
  let total = 0;
  let after = { profileId: nilUuid, id: nilUuid };
  while (!signal.aborted) {
    const { rows } = await system.unbound.query(sql<{ profileId: string; id: string }>`
      SELECT profile_id AS "profileId", id FROM payment_refunds
      WHERE payment_id IS NULL AND recorded_at >= ${since} AND (profile_id, id) > (${after.profileId}::uuid, ${after.id}::uuid)
      ORDER BY profile_id, id LIMIT ${batchSize}`);
    for (const [profileId, waiting] of Map.groupBy(rows, (row) => row.profileId))
      total += await applyOfProfile(
        app,
        profileId,
        waiting.map(({ id }) => id),
        now,
      );
    const last = rows.at(-1);
    if (!last || rows.length < batchSize) break;
    after = last;
  }
  return total;
}

const applyOfProfile = (app: Postgres, profileId: string, ids: readonly string[], now: Date): Promise<number> =>
  app.forProfile(profileId).transaction(async (tx) => {
    const waiting = await listWaiting(tx, profileId, ids);
    const referred = await findReferred(
      tx,
      profileId,
      waiting.map(({ paymentRef }) => paymentRef),
    );
    const payments = await lockMoney(tx, profileId, [...referred.values()]);
    const settled = waiting.flatMap(({ id, paymentRef }) => {
      const paymentId = referred.get(paymentRef);
      return paymentId && payments.has(paymentId) ? [{ id, paymentId }] : [];
    });
    if (settled.length === 0) return 0;
    await settleWaiting(tx, profileId, settled, now);
    await recountRefunds(
      tx,
      profileId,
      settled.map(({ paymentId }) => paymentId),
      now,
    );
    return settled.length;
  });
