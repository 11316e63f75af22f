import type { FindCustomerTotals } from '@tributary/domain/customers';
import { sql } from 'kysely';

/** A handful of rows for each customer, however many outcomes there are: the ledger keeps them counted by name. */
export const findCustomerTotals: FindCustomerTotals = async (tx, profileId, customerIds) => {
  if (customerIds.length === 0) return new Map();
  const { rows } = await sql<{ customerId: string; conversions: string; cash: string }>`
    SELECT t.customer_id AS "customerId",
      coalesce(sum(t.outcomes) FILTER (WHERE d.id IS NOT NULL), 0)::text AS conversions,
      coalesce(sum(t.amount) FILTER (WHERE d.counts_as_cash AND t.currency = p.reporting_currency), 0)::text AS cash
    FROM outcome_totals t
    JOIN profiles p ON p.id = t.profile_id
    LEFT JOIN definition_events byname ON byname.profile_id = t.profile_id AND byname.event_key = t.event_key
    LEFT JOIN definition_events bytype ON bytype.profile_id = t.profile_id AND bytype.event_key = t.event_type_key
    LEFT JOIN definitions d ON d.profile_id = t.profile_id AND d.id = coalesce(byname.definition_id, bytype.definition_id)
    WHERE t.profile_id = ${profileId} AND t.customer_id = ANY (${[...customerIds]}::uuid[])
    GROUP BY t.customer_id`.execute(tx);
  return new Map(
    rows.map(({ customerId, conversions, cash }) => [
      customerId,
      { conversionCount: Number(conversions), cashRevenue: cash },
    ]),
  );
};
