import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { showKey } from './api-key.ts';

/** An app sees the keys it minted; members see all of the profile. */
export const listKeys: Handles<Routes['listKeys']> = async ({ query }, { ledger, caller }) => {
  const rows = await ledger.transaction((tx) => {
    let keys = tx
      .selectFrom('api_keys')
      .selectAll()
      .where('profile_id', '=', caller.profileId)
      .where('revoked_at', 'is', null)
      .orderBy('id', 'desc')
      .limit(query.limit + 1);
    if (caller.kind === 'app') keys = keys.where('app_id', '=', caller.appId ?? null);
    if (query.cursor) keys = keys.where('id', '<', query.cursor);
    return keys.execute();
  });
  const shown = rows.slice(0, query.limit);
  return answer(200, {
    data: shown.map(showKey),
    pagination: { has_next: rows.length > query.limit, cursor: shown.at(-1)?.id ?? null },
  });
};
