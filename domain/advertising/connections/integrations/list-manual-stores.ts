import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import type { ConnectionServices } from '../services.ts';
import { listActivePage } from '../store.ts';
import { readSecrets, toStoreResponse } from './manual-stores.ts';

export const listManualStores: Handles<Routes['listManualStores'], ConnectionServices> = async (
  { query: { limit, cursor } },
  { ledger, caller, vault },
) => {
  const params = { after: cursor, limit: limit + 1 };
  const rows = await ledger.transaction((tx) => listActivePage(tx, caller.profileId, 'store', params), {
    readOnly: true,
  });
  const page = rows.slice(0, limit);
  return answer(200, {
    data: page.map((row) => toStoreResponse(row, readSecrets(vault, row))),
    pagination: { has_next: rows.length > limit, cursor: page.at(-1)?.id ?? null },
  });
};
