import type { FindCustomerTotals, WithoutRate } from '@tributary/domain/commerce/customers';
import { getProfile } from '@tributary/domain/tenancy/tenants';
import type { Tx } from '@tributary/postgres';
import { moneyText } from '@tributary/rules';
import { sql } from 'kysely';

/** Reads a few rows per customer, whatever the number of outcomes: `outcome_totals` has sums per event name. */
export const findCustomerTotals: FindCustomerTotals = async (tx, profileId, customerIds) => {
  if (customerIds.length === 0) return new Map();
  const profile = await getProfile(tx, profileId);
  const { rows } = await sql<{ customerId: string; conversions: string; cash: string; paid: number; others: number }>`
    SELECT customer_id AS "customerId",
      coalesce(sum(outcomes) FILTER (WHERE definition_id IS NOT NULL), 0)::text AS conversions,
      coalesce(sum(amount) FILTER (WHERE counts_as_cash AND currency = ${profile.currency}), 0)::text AS cash,
      coalesce(sum(outcomes) FILTER (WHERE counts_as_cash AND currency = ${profile.currency}), 0)::int AS paid,
      coalesce(sum(outcomes) FILTER (WHERE counts_as_cash AND currency <> ${profile.currency}), 0)::int AS others
    FROM outcome_total_meanings
    WHERE profile_id = ${profileId} AND customer_id = ANY (${[...customerIds]}::uuid[])
    GROUP BY customer_id`.execute(tx);
  const suspects = rows.flatMap(({ customerId, others }) => (others > 0 ? [customerId] : []));
  const withoutRate = await sumWithoutRateOf(tx, profileId, suspects);
  return new Map(
    rows.map(({ customerId, conversions, cash, paid }) => {
      const unconverted = withoutRate.get(customerId) ?? [];
      const cashRevenue = unconverted.length > 0 && paid === 0 ? null : moneyText(cash, profile.currency);
      return [customerId, { conversionCount: Number(conversions), cashRevenue, withoutRate: unconverted }];
    }),
  );
};

/** Payments without a value in the reporting currency, by customer. */
async function sumWithoutRateOf(
  tx: Tx,
  profileId: string,
  customerIds: readonly string[],
): Promise<Map<string, WithoutRate[]>> {
  if (customerIds.length === 0) return new Map();
  const { rows } = await sql<WithoutRate & { customerId: string }>`
    SELECT customer_id AS "customerId", currency, count(*)::int AS count, sum(greatest(amount - refunded, 0))::text AS amount
    FROM outcome_meanings
    WHERE profile_id = ${profileId} AND customer_id = ANY (${[...customerIds]}::uuid[])
      AND counts_as_cash AND amount IS NOT NULL AND reporting_amount IS NULL
    GROUP BY customer_id, currency ORDER BY customer_id, currency`.execute(tx);
  return new Map(
    [...Map.groupBy(rows, ({ customerId }) => customerId)].map(([customerId, own]) => [
      customerId,
      own.map(({ currency, count, amount }) => ({ currency, count, amount })),
    ]),
  );
}
