import type { Routes } from '@tributary/contract';
import { audit } from '@tributary/domain/accountability';
import { hashSecret, mintSecret } from '@tributary/domain/credentials';
import { answer, type Handles } from '@tributary/operations';
import { dayMs, limits } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { showInvitation } from './invitation.ts';
import { refuseUnlessOwner } from './member.ts';

export const createInvitation: Handles<Routes['createInvitation'], { baseUrl: string }> = async (
  { params, body },
  { baseUrl, caller, effect, now, requestId },
) => {
  if (body.role === 'owner') refuseUnlessOwner(caller);
  const { workspaceId } = params;
  const token = mintSecret('invitation');
  return effect(async (tx) => {
    const row = await tx
      .insertInto('invitations')
      .values({
        workspace_id: workspaceId,
        id: uuid(),
        hash: hashSecret(token),
        role: body.role,
        email: body.email ?? null,
        invited_by: caller.userId ?? null,
        created_at: now,
        expires_at: new Date(now.getTime() + limits.invitation.lifeDays * dayMs),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    const entry = {
      workspaceId,
      action: 'invitation.created',
      target: `invitation:${row.id}`,
      detail: { role: body.role },
    };
    await audit(tx, caller, requestId, now, entry);
    // Behind the #, so that no server, proxy or log along the way sees it.
    const url = `${baseUrl}/invitation#${token}`;
    return answer(201, { data: { ...showInvitation(row, now), token, url } });
  });
};
