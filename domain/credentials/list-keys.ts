import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { showKey } from './api-key.ts';
import { listLiveKeys } from './store.ts';

/** An app sees the keys it minted; members see all of the profile. */
export const listKeys: Handles<Routes['listKeys']> = async ({ query }, { ledger, caller }) => {
  const minted = caller.kind === 'app' ? { appId: caller.appId ?? null } : {};
  const wanted = { ...minted, before: query.cursor, limit: query.limit + 1 };
  const rows = await ledger.transaction((tx) => listLiveKeys(tx, caller.profileId, wanted));
  const shown = rows.slice(0, query.limit);
  return answer(200, {
    data: shown.map(showKey),
    pagination: { has_next: rows.length > query.limit, cursor: shown.at(-1)?.id ?? null },
  });
};
