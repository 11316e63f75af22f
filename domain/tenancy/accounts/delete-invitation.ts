import type { Routes } from '@tributary/contract';
import { answer, type Handles, refuse } from '@tributary/operations';
import { refuseState, statusOf } from './invitation.ts';
import { lockInvitation, markInvitationRevoked } from './invitation-store.ts';

export const deleteInvitation: Handles<Routes['deleteInvitation']> = async ({ params }, { effect, now }) =>
  effect(async (tx) => {
    const { workspaceId, invitationId } = params;
    const row = await lockInvitation(tx, workspaceId, invitationId);
    if (!row) return refuse('not_found', 'There is no such invitation.');
    const status = statusOf(row, now);
    if (status === 'accepted' || status === 'revoked') refuseState(status, `This invitation was already ${status}.`);
    await markInvitationRevoked(tx, workspaceId, invitationId, now);
    return answer(200, { data: { id: invitationId, deleted: true } });
  });
