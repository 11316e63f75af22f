import type { WithoutRate } from '@tributary/domain/commerce/customers';
import type { Tx } from '@tributary/postgres';
import { limits, type UncountedReason } from '@tributary/vocabulary';
import { sql } from 'kysely';

/** Payments of a period without a value in the reporting currency for lack of a rate; counted up to a limit. */
export async function sumWithoutRate(tx: Tx, profileId: string, from: Date, until: Date): Promise<WithoutRate[]> {
  const { rows } = await sql<WithoutRate>`
    SELECT o.currency, count(*)::int AS count, sum(greatest(o.amount - o.refunded, 0))::text AS amount
    FROM (
      SELECT outcome_id FROM outcomes_without_rate
      WHERE profile_id = ${profileId} AND occurred_at >= ${from} AND occurred_at < ${until} LIMIT ${limits.exclusions.counted}
    ) w
    JOIN outcome_meanings o ON o.profile_id = ${profileId} AND o.id = w.outcome_id
    WHERE o.counts_as_cash AND o.amount IS NOT NULL AND o.reporting_amount IS NULL
    GROUP BY o.currency ORDER BY o.currency`.execute(tx);
  return rows;
}

/** Uncounted payments of a period by reason; counted up to a limit. */
export async function sumUncounted(
  tx: Tx,
  profileId: string,
  from: Date,
  until: Date,
): Promise<(WithoutRate & { readonly reason: UncountedReason })[]> {
  const { rows } = await sql<WithoutRate & { reason: UncountedReason }>`
    SELECT u.uncounted AS reason, u.currency, count(*)::int AS count, sum(greatest(u.amount - u.refunded, 0))::text AS amount
    FROM (
      SELECT uncounted, currency, amount, refunded FROM outcomes
      WHERE profile_id = ${profileId} AND uncounted IS NOT NULL AND occurred_at >= ${from} AND occurred_at < ${until}
      LIMIT ${limits.exclusions.counted}
    ) u
    GROUP BY u.uncounted, u.currency ORDER BY u.uncounted, u.currency`.execute(tx);
  return rows;
}
