import type { Routes } from '@tributary/contract';
import { answer, type Handles } from '@tributary/operations';
import { type RemoveReportMailsOf, revokeAllCreated } from './created-by-member.ts';
import { memberForChange, refuseLastOwner, refuseUnlessManager, refuseUnlessOwner } from './member.ts';
import { removeMember } from './store.ts';

export interface MemberServices {
  readonly removeReportMailsOf: RemoveReportMailsOf;
}

export const deleteMember: Handles<Routes['deleteMember'], MemberServices> = async (
  { params, body },
  { caller, effect, servers, addToAudit, removeReportMailsOf, now },
) =>
  effect(async (tx) => {
    const { workspaceId, userId } = params;
    const isLeaving = userId === caller.userId;
    if (!isLeaving) refuseUnlessManager(caller);
    const member = await memberForChange(tx, workspaceId, userId);
    if (member.role === 'owner' && !isLeaving) refuseUnlessOwner(caller);
    refuseLastOwner(member);
    if (body.revoke_created) {
      const revoked = await revokeAllCreated(tx, params, servers, removeReportMailsOf, now);
      addToAudit({ detail: { revoked: revoked.map(({ kind, id }) => `${kind}:${id}`) } });
    }
    await removeMember(tx, workspaceId, userId);
    return answer(200, { data: { id: userId, deleted: true } });
  });
