import type { Routes } from '@tributary/contract';
import { audit } from '@tributary/domain/accountability';
import { answer, type Handles } from '@tributary/operations';
import { memberForChange, refuseLastOwner, refuseUnlessOwner, showMember } from './member.ts';

export const updateMember: Handles<Routes['updateMember']> = async (
  { params, body },
  { caller, effect, now, requestId },
) =>
  effect(async (tx) => {
    const { workspaceId, userId } = params;
    const member = await memberForChange(tx, workspaceId, userId);
    if (member.role === 'owner' || body.role === 'owner') refuseUnlessOwner(caller);
    if (body.role !== 'owner') refuseLastOwner(member);
    await tx
      .updateTable('members')
      .set({ role: body.role })
      .where('workspace_id', '=', workspaceId)
      .where('user_id', '=', userId)
      .execute();
    const detail = { from: member.role, to: body.role };
    await audit(tx, caller, requestId, now, {
      workspaceId,
      action: 'member.role_changed',
      target: `user:${userId}`,
      detail,
    });
    return answer(200, { data: showMember({ ...member, role: body.role }) });
  });
