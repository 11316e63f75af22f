import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { searchQuestion } from '@tributary/rules';
import { limits } from '@tributary/vocabulary';
import { findCandidates } from './store.ts';
import type { FindCustomerTotals } from './totals.ts';

export const searchCustomers: Handles<
  Routes['searchCustomers'],
  { readonly findCustomerTotals: FindCustomerTotals }
> = async ({ query }, { caller, ledger, mentions, findCustomerTotals }) => {
  const { q, exclude, limit } = query;
  const isLongEnough = [...q.trim()].length >= limits.customerSearch.queryMinCharacters;
  const question = isLongEnough ? searchQuestion(q) : undefined;
  if (!question) return answer(200, { data: [] });

  const { found, totals } = await ledger.transaction(
    async (tx) => {
      const found = await findCandidates(tx, caller.profileId, question, exclude, limit);
      const ids = found.map(({ id }) => id);
      return { found, totals: await findCustomerTotals(tx, caller.profileId, ids) };
    },
    { readOnly: true },
  );
  for (const { id } of found) mentions(id);
  return answer(200, {
    data: found.map((customer) => ({
      customer_profile_id: customer.id,
      first_name: customer.first_name,
      last_name: customer.last_name,
      primary_email: customer.primary_email,
      primary_phone: customer.primary_phone,
      first_seen_at: customer.first_seen_at.toISOString(),
      last_seen_at: customer.last_seen_at.toISOString(),
      conversion_count: totals.get(customer.id)?.conversionCount ?? 0,
      cash_revenue: totals.get(customer.id)?.cashRevenue ?? '0',
      sources: customer.sources,
    })),
  });
};
