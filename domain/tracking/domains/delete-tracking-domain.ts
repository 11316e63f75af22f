import type { Routes } from '@tributary/contract';
import { audit } from '@tributary/domain/accountability';
import { answer, type Handles, refuse } from '@tributary/operations';
import { removeDomain } from '../store.ts';

export const deleteTrackingDomain: Handles<Routes['deleteTrackingDomain']> = async ({ params }, context) => {
  const { caller, effect, now, requestId } = context;
  return effect(async (tx) => {
    const removed = await removeDomain(tx, caller.profileId, params.id);
    if (!removed) return refuse('not_found', 'There is no such domain.');
    await audit(tx, caller, requestId, now, {
      workspaceId: caller.workspaceId,
      action: 'tracking_domain.deleted',
      target: `tracking_domain:${removed.id}`,
      detail: { domain: removed.domain },
    });
    return answer(200, { data: { id: removed.id, deleted: true as const } });
  });
};
