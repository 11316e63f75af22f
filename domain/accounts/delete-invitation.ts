import type { Routes } from '@tributary/contract';
import { audit } from '@tributary/domain/accountability';
import { answer, type Handles, refuse } from '@tributary/operations';
import { refuseState, statusOf } from './invitation.ts';

export const deleteInvitation: Handles<Routes['deleteInvitation']> = async (
  { params },
  { caller, effect, now, requestId },
) =>
  effect(async (tx) => {
    const { workspaceId, invitationId } = params;
    // Locked, so that it is not accepted at the same moment.
    const row = await tx
      .selectFrom('invitations')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', invitationId)
      .forUpdate()
      .executeTakeFirst();
    if (!row) return refuse('not_found', 'There is no such invitation.');
    const status = statusOf(row, now);
    if (status === 'accepted' || status === 'revoked') refuseState(status, `This invitation was already ${status}.`);
    await tx
      .updateTable('invitations')
      .set({ revoked_at: now })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', invitationId)
      .execute();
    const entry = { workspaceId, action: 'invitation.revoked', target: `invitation:${invitationId}` };
    await audit(tx, caller, requestId, now, entry);
    return answer(200, { data: { id: invitationId, deleted: true } });
  });
