import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { revokeKey } from '../store.ts';

export const deleteTrackingKey: Handles<Routes['deleteTrackingKey']> = async ({ params }, context) => {
  const { caller, effect, now } = context;
  return effect(async (tx) => {
    const revoked = await revokeKey(tx, caller.profileId, params.id, now);
    if (!revoked) return refuse('not_found', 'There is no such tracking key.');
    return answer(200, { data: { id: revoked.id, deleted: true as const } });
  });
};
