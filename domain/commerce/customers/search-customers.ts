import type { Routes } from '@tributary/contract';
import { getProfile } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles } from '@tributary/operations';
import { moneyText, searchQuestion, sumAmounts } from '@tributary/rules';
import { limits } from '@tributary/vocabulary';
import { type FoundCustomer, findCandidates } from './store.ts';
import { type CustomerTotals, type FindCustomerTotals, toExclusion, type WithoutRate } from './totals.ts';

/** The sort key of a candidate: exact matches first, then higher revenue, then most recently seen. */
interface Rank {
  readonly distance: number;
  readonly cash: number;
  readonly seenAt: number;
  readonly id: string;
}

export const searchCustomers: Handles<
  Routes['searchCustomers'],
  { readonly findCustomerTotals: FindCustomerTotals }
> = async ({ query }, { caller, ledger, mentions, findCustomerTotals }) => {
  const { q, exclude, limit } = query;
  const isLongEnough = [...q.trim()].length >= limits.customerSearch.queryMinCharacters;
  const question = isLongEnough ? searchQuestion(q) : undefined;
  if (!question) return answer(200, { data: [], pagination: lastPage, meta: emptyMeta });

  // The number of candidates is bounded, so all are ranked before the page is cut.
  const { found, isComplete, totals, currency } = await ledger.transaction(
    async (tx) => {
      const profile = await getProfile(tx, caller.profileId);
      const candidates = await findCandidates(tx, caller.profileId, question, exclude);
      const ids = candidates.found.map(({ id }) => id);
      return { ...candidates, totals: await findCustomerTotals(tx, caller.profileId, ids), currency: profile.currency };
    },
    { readOnly: true },
  );
  const ranked = found
    .map((customer) => ({ customer, rank: getRank(customer, totals.get(customer.id)) }))
    .sort((a, b) => compareRanks(a.rank, b.rank));
  const after = query.cursor === undefined ? undefined : parseCursor(query.cursor);
  const rest = after ? ranked.filter(({ rank }) => compareRanks(after, rank) < 0) : ranked;
  const page = rest.slice(0, limit);
  for (const { customer } of page) mentions(customer.id);
  const last = page.at(-1);
  const hasNext = rest.length > limit;
  return answer(200, {
    data: page.map(({ customer }) => toCandidate(customer, totals.get(customer.id), currency)),
    pagination: { has_next: hasNext, cursor: hasNext && last ? toCursor(last.rank) : null },
    meta: {
      count: found.length,
      is_count_exact: isComplete,
      exclusions: sumByCurrency(page.flatMap(({ customer }) => totals.get(customer.id)?.withoutRate ?? [])),
    },
  });
};

const lastPage = { has_next: false, cursor: null };
const emptyMeta = { count: 0, is_count_exact: true, exclusions: [] };

const getRank = (customer: FoundCustomer, totals: CustomerTotals | undefined): Rank => ({
  distance: customer.distance,
  cash: Number(totals?.cashRevenue ?? 0),
  seenAt: customer.last_seen_at.getTime(),
  id: customer.id,
});

const compareRanks = (a: Rank, b: Rank): number =>
  a.distance - b.distance || b.cash - a.cash || b.seenAt - a.seenAt || (a.id < b.id ? -1 : Number(a.id > b.id));

const toCursor = ({ distance, cash, seenAt, id }: Rank): string => `${distance}|${cash}|${seenAt}|${id}`;

function parseCursor(cursor: string): Rank {
  const [distance, cash, seenAt, id = ''] = cursor.split('|');
  return { distance: Number(distance), cash: Number(cash), seenAt: Number(seenAt), id };
}

const toCandidate = (customer: FoundCustomer, totals: CustomerTotals | undefined, currency: string) => ({
  customer_profile_id: customer.id,
  first_name: customer.first_name,
  last_name: customer.last_name,
  primary_email: customer.primary_email,
  primary_phone: customer.primary_phone,
  first_seen_at: customer.first_seen_at.toISOString(),
  last_seen_at: customer.last_seen_at.toISOString(),
  conversion_count: totals?.conversionCount ?? 0,
  cash_revenue: totals ? totals.cashRevenue : moneyText('0', currency),
  sources: customer.sources,
});

function sumByCurrency(entries: readonly WithoutRate[]) {
  return [...Map.groupBy(entries, ({ currency }) => currency)].map(([currency, rows]) =>
    toExclusion({
      currency,
      count: rows.reduce((sum, { count }) => sum + count, 0),
      amount: sumAmounts(rows.map(({ amount }) => amount)),
    }),
  );
}
