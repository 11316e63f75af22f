import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { memberForChange, refuseLastOwner, refuseUnlessOwner, showMember } from './member.ts';
import { setRole } from './store.ts';

export const updateMember: Handles<Routes['updateMember']> = async ({ params, body }, { caller, effect, addToAudit }) =>
  effect(async (tx) => {
    const { workspaceId, userId } = params;
    const member = await memberForChange(tx, workspaceId, userId);
    if (member.role === 'owner' || body.role === 'owner') refuseUnlessOwner(caller);
    if (body.role !== 'owner') refuseLastOwner(member);
    await setRole(tx, workspaceId, userId, body.role);
    addToAudit({ detail: { from: member.role, to: body.role } });
    return answer(200, { data: showMember({ ...member, role: body.role }) });
  });
