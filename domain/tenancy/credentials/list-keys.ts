import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { memberOf, toKeyResponse } from './api-key.ts';
import { findUserNames } from './creators.ts';
import { listLiveKeys } from './store.ts';

/** Apps see the keys they created; members see all keys of the profile. */
export const listKeys: Handles<Routes['listKeys']> = async ({ query }, { ledger, caller }) => {
  const minted = caller.kind === 'app' ? { appId: caller.appId ?? null } : {};
  const page = { ...minted, before: query.cursor, limit: query.limit + 1 };
  const { rows, names } = await ledger.transaction(async (tx) => {
    const rows = await listLiveKeys(tx, caller.profileId, page);
    return { rows, names: await findUserNames(tx, rows.map(memberOf)) };
  });
  const visible = rows.slice(0, query.limit);
  return answer(200, {
    data: visible.map((row) => toKeyResponse(row, names)),
    pagination: { has_next: rows.length > query.limit, cursor: visible.at(-1)?.id ?? null },
  });
};
