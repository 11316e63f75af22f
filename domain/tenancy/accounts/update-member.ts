import type { Routes } from '@tributary/contract';
import type { StepUp } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles } from '@tributary/operations';
import {
  lockMemberForChange,
  refuseLastOwner,
  refuseOtherRole,
  refuseUnlessOwner,
  toMemberResponse,
} from './member.ts';
import { findMember, setRole } from './store.ts';

export const updateMember: Handles<Routes['updateMember'], StepUp> = async ({ params, body }, context) => {
  const { caller, ledger, effect, addToAudit } = context;
  const present = await ledger.transaction((tx) => findMember(tx, params.workspaceId, params.userId));
  const isOwnerChange = (present?.role === 'owner') !== (body.role === 'owner');
  if (isOwnerChange && present && caller.role === 'owner')
    await context.assertPassword(body.current_password, 'updateMember', context);
  return effect(async (tx) => {
    const { workspaceId, userId } = params;
    const member = await lockMemberForChange(tx, workspaceId, userId);
    if (member.role === 'owner' || body.role === 'owner') refuseUnlessOwner(caller);
    refuseOtherRole(present?.role, member.role);
    if (body.role !== 'owner') refuseLastOwner(member);
    await setRole(tx, workspaceId, userId, body.role);
    addToAudit({ detail: { from: member.role, to: body.role } });
    return answer(200, { data: toMemberResponse({ ...member, role: body.role }) });
  });
};
