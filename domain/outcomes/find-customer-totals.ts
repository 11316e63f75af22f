import type { FindCustomerTotals } from '@tributary/domain/customers';
import { profileOf } from '@tributary/domain/tenants';
import { sql } from 'kysely';

/** A handful of rows for each customer, however many outcomes there are: the ledger keeps them counted by name. */
export const findCustomerTotals: FindCustomerTotals = async (tx, profileId, customerIds) => {
  if (customerIds.length === 0) return new Map();
  const profile = await profileOf(tx, profileId);
  const { rows } = await sql<{ customerId: string; conversions: string; cash: string }>`
    SELECT customer_id AS "customerId",
      coalesce(sum(outcomes) FILTER (WHERE definition_id IS NOT NULL), 0)::text AS conversions,
      coalesce(sum(amount) FILTER (WHERE counts_as_cash AND currency = ${profile.currency}), 0)::text AS cash
    FROM outcome_total_meanings
    WHERE profile_id = ${profileId} AND customer_id = ANY (${[...customerIds]}::uuid[])
    GROUP BY customer_id`.execute(tx);
  return new Map(
    rows.map(({ customerId, conversions, cash }) => [
      customerId,
      { conversionCount: Number(conversions), cashRevenue: cash },
    ]),
  );
};
