import type { Routes } from '@tributary/contract';
import { audit } from '@tributary/domain/accountability';
import { answer, type Handles, refuse } from '@tributary/operations';
import { memberForChange, refuseLastOwner, refuseUnlessOwner } from './member.ts';

export const deleteMember: Handles<Routes['deleteMember']> = async ({ params }, { caller, effect, now, requestId }) =>
  effect(async (tx) => {
    const { workspaceId, userId } = params;
    const isLeaving = userId === caller.userId;
    if (!isLeaving && caller.role !== 'owner' && caller.role !== 'admin') {
      refuse('forbidden', 'Only owners and admins remove others; anybody may leave.', { fields: { reason: 'role' } });
    }
    const member = await memberForChange(tx, workspaceId, userId);
    if (member.role === 'owner' && !isLeaving) refuseUnlessOwner(caller);
    refuseLastOwner(member);
    await tx.deleteFrom('members').where('workspace_id', '=', workspaceId).where('user_id', '=', userId).execute();
    await audit(tx, caller, requestId, now, { workspaceId, action: 'member.removed', target: `user:${userId}` });
    return answer(200, { data: { id: userId, deleted: true } });
  });
