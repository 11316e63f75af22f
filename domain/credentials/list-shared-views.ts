import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { showView } from './shared-view.ts';
import { listLiveViews } from './shared-view-store.ts';

export const listSharedViews: Handles<Routes['listSharedViews']> = async ({ query }, { ledger, caller, now }) => {
  const wanted = { before: query.cursor, limit: query.limit + 1, now };
  const rows = await ledger.transaction((tx) => listLiveViews(tx, caller.profileId, wanted), { readOnly: true });
  const shown = rows.slice(0, query.limit);
  return answer(200, {
    data: shown.map(showView),
    pagination: { has_next: rows.length > query.limit, cursor: shown.at(-1)?.id ?? null },
  });
};
