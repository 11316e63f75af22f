import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { revokeView } from './shared-view-store.ts';

export const deleteSharedView: Handles<Routes['deleteSharedView']> = async (
  { params: { id } },
  { caller, effect, now },
) =>
  effect(async (tx) => {
    if (!(await revokeView(tx, caller.profileId, id, now))) refuse('not_found', 'There is no such link.');
    return answer(200, { data: { id, deleted: true as const } });
  });
