import { links, type Routes } from '@tributary/contract';
import { hashSecret, mintSecret } from '@tributary/domain/credentials';
import { lockPlan } from '@tributary/domain/tenants';
import { answer, type Handles, refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { dayMs, limits, plans } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { showInvitation } from './invitation.ts';
import { countSeats, insertInvitation } from './invitation-store.ts';
import { refuseUnlessOwner } from './member.ts';

export const createInvitation: Handles<Routes['createInvitation'], { baseUrl: string }> = async (
  { params, body },
  { baseUrl, caller, effect, now, addToAudit },
) => {
  if (body.role === 'owner') refuseUnlessOwner(caller);
  const token = mintSecret('invitation');
  return effect(async (tx) => {
    await refuseBeyondPlan(tx, params.workspaceId, now);
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
    const url = links.invitation(baseUrl, token);
    return answer(201, { data: { ...showInvitation(row, now), token, url }, meta: {} });
  });
};

/** A plan has so many seats; somebody who is invited sits on one until they accept or the invitation is over. */
async function refuseBeyondPlan(tx: Tx, workspaceId: string, now: Date): Promise<void> {
  const plan = await lockPlan(tx, workspaceId);
  const { members, next } = plans[plan];
  if ((await countSeats(tx, workspaceId, now)) < members) return;
  const message = `The plan "${plan}" includes ${members} members, invited ones among them, and all seats are taken.`;
  refuse('plan_upgrade_required', message, { fields: { upgrade: { plan: next } } });
}
