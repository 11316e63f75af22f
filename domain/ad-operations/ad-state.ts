import type { LiveEntity } from '@tributary/providers';
import { fromMinorUnits, toMinorUnits } from '@tributary/rules';

/** What can be changed of a campaign, ad set or ad, as answers and the ledger tell it. */
export interface AdState {
  readonly status: string;
  readonly currency: string;
  readonly daily_budget: string | null;
  readonly daily_budget_minor: number | null;
  readonly url_tags: string | null;
  readonly creative_id: string | null;
}

/** What is to be true afterwards. */
export type Wanted =
  | { readonly status: 'ACTIVE' | 'PAUSED' }
  | { readonly daily_budget_minor: number }
  | { readonly url_tags: string }
  | { readonly creative_id: string };

export const stateOf = ({ status, currency, dailyBudget, creative }: LiveEntity): AdState => ({
  status,
  currency,
  ...budgetOf(dailyBudget === null ? null : Number(toMinorUnits(dailyBudget, currency)), currency),
  url_tags: creative?.urlTags ?? null,
  creative_id: creative?.externalId ?? null,
});

const budgetOf = (minor: number | null, currency: string) => ({
  daily_budget: minor === null ? null : fromMinorUnits(BigInt(minor), currency),
  daily_budget_minor: minor,
});

/** How it will stand when what is wanted has happened. Which creative new tags bring along, only the platform knows. */
export function stateAfter(before: AdState, wanted: Wanted): AdState {
  if ('status' in wanted) return { ...before, status: wanted.status };
  if ('daily_budget_minor' in wanted) return { ...before, ...budgetOf(wanted.daily_budget_minor, before.currency) };
  if ('url_tags' in wanted) return { ...before, url_tags: wanted.url_tags, creative_id: null };
  return { ...before, creative_id: wanted.creative_id, url_tags: null };
}

/** Whether what was wanted is so. */
export function isSo(live: AdState, wanted: Wanted): boolean {
  if ('status' in wanted) return live.status === wanted.status;
  if ('daily_budget_minor' in wanted) return live.daily_budget_minor === wanted.daily_budget_minor;
  if ('url_tags' in wanted) return live.url_tags === wanted.url_tags;
  return live.creative_id === wanted.creative_id;
}

/** Whether it can still be changed. */
export const isOver = ({ status }: { readonly status: string }): boolean =>
  status === 'ARCHIVED' || status === 'DELETED';
