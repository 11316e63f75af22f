import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { findUserNames } from './creators.ts';
import { toViewResponse } from './shared-view.ts';
import { listLiveViews } from './shared-view-store.ts';

export const listSharedViews: Handles<Routes['listSharedViews']> = async ({ query }, { ledger, caller, now }) => {
  const page = { before: query.cursor, limit: query.limit + 1, now };
  const { rows, names } = await ledger.transaction(
    async (tx) => {
      const rows = await listLiveViews(tx, caller.profileId, page);
      const creatorIds = rows.map(({ madeBy }) => madeBy);
      return { rows, names: await findUserNames(tx, creatorIds) };
    },
    { readOnly: true },
  );
  const visible = rows.slice(0, query.limit);
  return answer(200, {
    data: visible.map((row) => toViewResponse(row, names)),
    pagination: { has_next: rows.length > query.limit, cursor: visible.at(-1)?.id ?? null },
  });
};
