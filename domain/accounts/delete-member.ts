import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { memberForChange, refuseLastOwner, refuseUnlessOwner } from './member.ts';
import { removeMember } from './store.ts';

export const deleteMember: Handles<Routes['deleteMember']> = async ({ params }, { caller, effect }) =>
  effect(async (tx) => {
    const { workspaceId, userId } = params;
    const isLeaving = userId === caller.userId;
    if (!isLeaving && caller.role !== 'owner' && caller.role !== 'admin') {
      refuse('forbidden', 'Only owners and admins remove others; anybody may leave.', { fields: { reason: 'role' } });
    }
    const member = await memberForChange(tx, workspaceId, userId);
    if (member.role === 'owner' && !isLeaving) refuseUnlessOwner(caller);
    refuseLastOwner(member);
    await removeMember(tx, workspaceId, userId);
    return answer(200, { data: { id: userId, deleted: true } });
  });
