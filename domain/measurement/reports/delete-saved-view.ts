import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { removeView } from './saved-views-store.ts';

export const deleteSavedView: Handles<Routes['deleteSavedView']> = async ({ params: { id } }, { caller, effect }) =>
  effect(async (tx) => {
    if (!(await removeView(tx, caller.profileId, id))) refuse('not_found', 'There is no such view.');
    return answer(200, { data: { id, deleted: true as const } });
  });
