import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { removePasskey } from './store.ts';

export const deletePasskey: Handles<Routes['deletePasskey']> = async ({ params }, { caller, effect }) =>
  effect(async (tx) => {
    if (!(await removePasskey(tx, caller.userId, params.id)))
      return refuse('not_found', 'No passkey of yours has this id.');
    return answer(200, { data: { id: params.id, deleted: true } });
  });
