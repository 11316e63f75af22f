import type { LiveEntity } from '@tributary/providers';
import { fromMinorUnits, toMinorUnits } from '@tributary/rules';

/** The changeable properties of a campaign, ad set or ad, as responses and the ledger contain them. */
export interface AdState {
  readonly status: string;
  readonly currency: string;
  readonly daily_budget: string | null;
  readonly daily_budget_minor: number | null;
  readonly url_tags: string | null;
  readonly creative_id: string | null;
}

/** The requested change. */
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

/** The expected state after the change. Only the platform knows which creative new tags create. */
export function stateAfter(before: AdState, wanted: Wanted): AdState {
  if ('status' in wanted) return { ...before, status: wanted.status };
  if ('daily_budget_minor' in wanted) return { ...before, ...budgetOf(wanted.daily_budget_minor, before.currency) };
  if ('url_tags' in wanted) return { ...before, url_tags: wanted.url_tags, creative_id: null };
  return { ...before, creative_id: wanted.creative_id, url_tags: null };
}

/** Whether the requested change is in effect. */
export function matches(live: AdState, wanted: Wanted): boolean {
  if ('status' in wanted) return live.status === wanted.status;
  if ('daily_budget_minor' in wanted) return live.daily_budget_minor === wanted.daily_budget_minor;
  if ('url_tags' in wanted) return live.url_tags === wanted.url_tags;
  return live.creative_id === wanted.creative_id;
}

/** Whether it is archived or deleted and can no longer be changed. */
export const isArchived = ({ status }: { readonly status: string }): boolean =>
  status === 'ARCHIVED' || status === 'DELETED';
