import type { Routes } from '@tributary/contract';
import { findWorkspaceName } from '@tributary/domain/tenants';
import { answer, type Handles } from '@tributary/operations';
import { findUsableInvitation } from './invitation.ts';
import { findInviter } from './invitation-store.ts';

export const readInvitation: Handles<Routes['readInvitation']> = async ({ body }, { servers, behind, now }) => {
  const invitation = await findUsableInvitation(servers.everywhere, body.token, now);
  const { id, workspace_id: workspaceId, role, email, expires_at: expiresAt } = invitation;
  const { workspaceName, inviterName } = await behind({ workspaceId }).transaction(
    async (tx) => ({
      workspaceName: await findWorkspaceName(tx, workspaceId),
      inviterName: await findInviter(tx, workspaceId, id),
    }),
    { readOnly: true },
  );
  return answer(200, {
    data: {
      workspace_name: workspaceName ?? '',
      role,
      email,
      inviter_name: inviterName ?? null,
      expires_at: expiresAt.toISOString(),
    },
  });
};
