import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import type { ConnectionServices } from '../services.ts';
import { listStanding } from '../store.ts';
import { readSecrets, showStore } from './manual-stores.ts';

export const listManualStores: Handles<Routes['listManualStores'], ConnectionServices> = async (
  { query: { limit, cursor } },
  { ledger, caller, vault },
) => {
  const asked = { after: cursor, limit: limit + 1 };
  const rows = await ledger.transaction((tx) => listStanding(tx, caller.profileId, 'store', asked), { readOnly: true });
  const shown = rows.slice(0, limit);
  return answer(200, {
    data: shown.map((row) => showStore(row, readSecrets(vault, row))),
    pagination: { has_next: rows.length > limit, cursor: shown.at(-1)?.id ?? null },
  });
};
