import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { memberOf, showKey } from './api-key.ts';
import { findUserNames } from './creators.ts';
import { listLiveKeys } from './store.ts';

/** An app sees the keys it minted; members see all of the profile. */
export const listKeys: Handles<Routes['listKeys']> = async ({ query }, { ledger, caller }) => {
  const minted = caller.kind === 'app' ? { appId: caller.appId ?? null } : {};
  const wanted = { ...minted, before: query.cursor, limit: query.limit + 1 };
  const { rows, names } = await ledger.transaction(async (tx) => {
    const rows = await listLiveKeys(tx, caller.profileId, wanted);
    return { rows, names: await findUserNames(tx, rows.map(memberOf)) };
  });
  const shown = rows.slice(0, query.limit);
  return answer(200, {
    data: shown.map((row) => showKey(row, names)),
    pagination: { has_next: rows.length > query.limit, cursor: shown.at(-1)?.id ?? null },
  });
};
