import type { Routes } from '@tributary/contract';
import { hashSecret, mintSecret } from '@tributary/domain/credentials';
import { answer, type Handles } from '@tributary/operations';
import { dayMs, limits } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { showInvitation } from './invitation.ts';
import { refuseUnlessOwner } from './member.ts';
import { insertInvitation } from './store.ts';

export const createInvitation: Handles<Routes['createInvitation'], { baseUrl: string }> = async (
  { params, body },
  { baseUrl, caller, effect, now, addToAudit },
) => {
  if (body.role === 'owner') refuseUnlessOwner(caller);
  const token = mintSecret('invitation');
  return effect(async (tx) => {
    const row = await insertInvitation(tx, {
      workspace_id: params.workspaceId,
      id: uuid(),
      hash: hashSecret(token),
      role: body.role,
      email: body.email ?? null,
      invited_by: caller.userId ?? null,
      created_at: now,
      expires_at: new Date(now.getTime() + limits.invitation.lifeDays * dayMs),
    });
    addToAudit({ detail: { role: body.role } });
    // Behind the #, so that no server, proxy or log along the way sees it.
    const url = `${baseUrl}/invitation#${token}`;
    return answer(201, { data: { ...showInvitation(row, now), token, url }, meta: {} });
  });
};
