import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { removeDomain } from '../store.ts';

export const deleteTrackingDomain: Handles<Routes['deleteTrackingDomain']> = async ({ params }, context) => {
  const { caller, effect, addToAudit } = context;
  return effect(async (tx) => {
    const removed = await removeDomain(tx, caller.profileId, params.id);
    if (!removed) return refuse('not_found', 'There is no such domain.');
    addToAudit({ detail: { domain: removed.domain } });
    return answer(200, { data: { id: removed.id, deleted: true as const } });
  });
};
