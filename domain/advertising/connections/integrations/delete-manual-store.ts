import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { lockStore } from './manual-stores.ts';
import { removeConnection } from './remove-connection.ts';

export const deleteManualStore: Handles<Routes['deleteManualStore']> = (
  { params: { connectionId: id } },
  { effect, caller, now },
) =>
  effect(async (tx) => {
    await removeConnection(tx, await lockStore(tx, caller.profileId, id), now);
    return answer(200, { data: { id, deleted: true } });
  });
