import { hashSecret, mintSecret } from '@tributary/domain/tenancy/credentials';
import type { InviteOwner } from '@tributary/domain/tenancy/tenants';
import { dayMs, limits } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { insertInvitation } from './invitation-store.ts';

/** Invites the owner that an app named for a workspace it provisioned. Returns the token of the link. */
export const inviteOwner: InviteOwner = async (tx, workspaceId, { email, name }, now) => {
  const token = mintSecret('invitation');
  await insertInvitation(tx, {
    workspace_id: workspaceId,
    id: uuid(),
    hash: hashSecret(token),
    role: 'owner',
    email,
    name: name ?? null,
    invited_by: null,
    created_at: now,
    expires_at: new Date(now.getTime() + limits.invitation.lifeDays * dayMs),
  });
  return token;
};
