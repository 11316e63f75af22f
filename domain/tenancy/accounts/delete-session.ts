import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { removeSessionOf } from './store.ts';

export const deleteSession: Handles<Routes['deleteSession']> = async ({ params }, { caller, effect }) =>
  effect(async (tx) => {
    if (!(await removeSessionOf(tx, caller.userId, params.id)))
      return refuse('not_found', 'No session of yours has this id.');
    return answer(200, { data: { id: params.id, deleted: true } });
  });
