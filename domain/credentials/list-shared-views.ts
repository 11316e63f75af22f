import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { findUserNames } from './creators.ts';
import { showView } from './shared-view.ts';
import { listLiveViews } from './shared-view-store.ts';

export const listSharedViews: Handles<Routes['listSharedViews']> = async ({ query }, { ledger, caller, now }) => {
  const wanted = { before: query.cursor, limit: query.limit + 1, now };
  const { rows, names } = await ledger.transaction(
    async (tx) => {
      const rows = await listLiveViews(tx, caller.profileId, wanted);
      const makers = rows.map(({ madeBy }) => madeBy);
      return { rows, names: await findUserNames(tx, makers) };
    },
    { readOnly: true },
  );
  const shown = rows.slice(0, query.limit);
  return answer(200, {
    data: shown.map((row) => showView(row, names)),
    pagination: { has_next: rows.length > query.limit, cursor: shown.at(-1)?.id ?? null },
  });
};
