import type { Scope } from '@tributary/contract';
import { limits } from '@tributary/vocabulary';
import { type CreatedBy, toCreator, type UserNames } from './creators.ts';
import type { KeyRow } from './store.ts';

/** The API representation of a key: enough to recognise it, not enough to use it. */
export function toKeyResponse(row: KeyRow, names: UserNames) {
  return {
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    last4: row.last4,
    scopes: row.scopes as Scope[],
    rate_limit_per_minute: isRateSet(row) ? row.requests_per_minute : null,
    created_by: toCreator(createdBy(row), names),
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at?.toISOString() ?? null,
    expires_at: row.expires_at?.toISOString() ?? null,
  };
}

/** Older keys have no flag: for them, a limit equal to the default counts as not set. The SQL of `find_credentials` uses the same rule. */
const isRateSet = ({ is_rate_set, requests_per_minute }: KeyRow): boolean =>
  is_rate_set ?? requests_per_minute !== limits.ratePerMinute.apiKey.default;

export const memberOf = ({ minted_by_kind: kind, minted_by_id: id }: KeyRow): string | null =>
  kind === 'user' ? id : null;

function createdBy({ app_id, minted_by_kind: kind, minted_by_id: id }: KeyRow): CreatedBy | null {
  if (app_id) return { kind: 'app', id: app_id };
  return id === null ? null : { kind: kind as CreatedBy['kind'], id };
}
