import type { Routes } from '@tributary/contract';
import { findWorkspaceName } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles } from '@tributary/operations';
import { findUsableInvitation } from './invitation.ts';
import { findInvitationNames } from './invitation-store.ts';

export const readInvitation: Handles<Routes['readInvitation']> = async ({ body }, { servers, behind, now }) => {
  const invitation = await findUsableInvitation(servers.allShards, body.token, now);
  const { id, workspace_id: workspaceId, role, email, expires_at: expiresAt } = invitation;
  const { workspaceName, names } = await behind({ workspaceId }).transaction(
    async (tx) => ({
      workspaceName: await findWorkspaceName(tx, workspaceId),
      names: await findInvitationNames(tx, workspaceId, id),
    }),
    { readOnly: true },
  );
  return answer(200, {
    data: {
      workspace_name: workspaceName ?? '',
      role,
      email,
      name: names?.invited ?? null,
      inviter_name: names?.inviter ?? null,
      expires_at: expiresAt.toISOString(),
    },
  });
};
