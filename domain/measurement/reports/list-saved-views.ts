import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { listViews, toViewResponse } from './saved-views-store.ts';

export const listSavedViews: Handles<Routes['listSavedViews']> = async (_input, { caller, ledger }) => {
  const views = await ledger.transaction((tx) => listViews(tx, caller.profileId), { readOnly: true });
  return answer(200, { data: views.map(toViewResponse) });
};
