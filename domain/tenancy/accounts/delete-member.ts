import type { Routes } from '@tributary/contract';
import type { StepUp } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles } from '@tributary/operations';
import { type RemoveReportMailsOf, revokeAllCreated } from './created-by-member.ts';
import {
  lockMemberForChange,
  refuseLastOwner,
  refuseOtherRole,
  refuseUnlessManager,
  refuseUnlessOwner,
} from './member.ts';
import { findMember, removeMember } from './store.ts';

export interface MemberServices {
  readonly removeReportMailsOf: RemoveReportMailsOf;
}

export const deleteMember: Handles<Routes['deleteMember'], MemberServices & StepUp> = async (
  { params, body },
  context,
) => {
  const { caller, ledger, effect, servers, addToAudit, removeReportMailsOf, now } = context;
  const { workspaceId, userId } = params;
  const isLeaving = userId === caller.userId;
  if (!isLeaving) refuseUnlessManager(caller);
  const present = await ledger.transaction((tx) => findMember(tx, workspaceId, userId));
  if (present?.role === 'owner' && caller.role === 'owner')
    await context.assertPassword(body.current_password, 'deleteMember', context);
  return effect(async (tx) => {
    const member = await lockMemberForChange(tx, workspaceId, userId);
    if (member.role === 'owner' && !isLeaving) refuseUnlessOwner(caller);
    refuseOtherRole(present?.role, member.role);
    refuseLastOwner(member);
    if (body.revoke_created) {
      const revoked = await revokeAllCreated(tx, params, servers, removeReportMailsOf, now);
      addToAudit({ detail: { revoked: revoked.map(({ kind, id }) => `${kind}:${id}`) } });
    }
    await removeMember(tx, workspaceId, userId);
    return answer(200, { data: { id: userId, deleted: true } });
  });
};
