import type { Scope } from '@tributary/contract';
import { limits } from '@tributary/vocabulary';
import { type CreatedBy, showCreator, type UserNames } from './creators.ts';
import type { KeyRow } from './store.ts';

/** A key as the API shows it: enough to recognise it, nothing to use it. */
export function showKey(row: KeyRow, names: UserNames) {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    last4: row.last4,
    scopes: row.scopes as Scope[],
    rate_limit_per_minute: isRateSet(row) ? row.requests_per_minute : null,
    created_by: showCreator(createdBy(row), names),
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
  };
}

/** A key of before says it by the number: that of those who asked for none. The look-up of credentials holds to the same. */
const isRateSet = ({ is_rate_set, requests_per_minute }: KeyRow): boolean =>
  is_rate_set ?? requests_per_minute !== limits.ratePerMinute.apiKey.default;

export const memberOf = ({ minted_by_kind: kind, minted_by_id: id }: KeyRow): string | null =>
  kind === 'user' ? id : null;

function createdBy({ app_id, minted_by_kind: kind, minted_by_id: id }: KeyRow): CreatedBy | null {
  if (app_id) return { kind: 'app', id: app_id };
  return id === null ? null : { kind: kind as CreatedBy['kind'], id };
}
