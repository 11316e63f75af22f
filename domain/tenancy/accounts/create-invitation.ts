import { links, type Routes } from '@tributary/contract';
import { findUserNames, hashSecret, mintSecret } from '@tributary/domain/tenancy/credentials';
import { lockPlan, reachWorkspace, type StepUp } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles, refuse } from '@tributary/operations';
import { switchScope, type Tx } from '@tributary/postgres';
import { dayMs, limits, plans } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { refuseState, toInvitationResponse } from './invitation.ts';
import { countSeats, insertInvitation, revokeOpenInvitations } from './invitation-store.ts';
import { refuseUnlessOwner } from './member.ts';
import { listRoles } from './members-of.ts';

export const createInvitation: Handles<Routes['createInvitation'], { baseUrl: string } & StepUp> = async (
  { params, body },
  context,
) => {
  const { baseUrl, caller, effect, now, addToAudit } = context;
  const isApp = caller.kind === 'app';
  if (isApp) {
    await reachWorkspace(context, params.workspaceId);
    refuseUnlessOwnerInvitation(body);
  } else if (body.role === 'owner') {
    refuseUnlessOwner(caller);
    await context.assertPassword(body.current_password, 'createInvitation', context);
  }
  const token = mintSecret('invitation');
  return effect(async (tx) => {
    await switchScope(tx, { workspaceId: params.workspaceId });
    if (isApp) await replaceOwnerInvitation(tx, params.workspaceId, now);
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
    addToAudit({ log: { workspaceId: params.workspaceId }, detail: { role: body.role } });
    const names = await findUserNames(tx, [row.invited_by]);
    const url = links.invitation(baseUrl, token);
    return answer(201, {
      data: { ...toInvitationResponse(row, names, now), token, url },
      meta: { workspace_id: params.workspaceId },
    });
  });
};

/** Apps can invite only the owner. Inviting others, or members later, would give them the owner's rights. */
function refuseUnlessOwnerInvitation({ role, email }: { readonly role: string; readonly email?: string | undefined }) {
  if (role !== 'owner') refuse('forbidden', 'An app invites the owner only. The owner invites other members.');
  if (email === undefined)
    refuse('validation_error', '"email" is required: the address of the owner.', { fields: { field: 'email' } });
}

async function replaceOwnerInvitation(tx: Tx, workspaceId: string, now: Date): Promise<void> {
  if ((await listRoles(tx, workspaceId)).length > 0)
    refuseState('has_members', 'The workspace has members. Its owner invites others.');
  await revokeOpenInvitations(tx, workspaceId, now);
}

/** Refuses when the plan has no free seat. A pending invitation uses a seat until it is accepted, revoked or expired. */
async function refuseBeyondPlan(tx: Tx, workspaceId: string, now: Date): Promise<void> {
  const plan = await lockPlan(tx, workspaceId);
  const { members, next } = plans[plan];
  if ((await countSeats(tx, workspaceId, now)) < members) return;
  const message = `The plan "${plan}" includes ${members} members, invited ones among them, and all seats are taken.`;
  refuse('plan_upgrade_required', message, { fields: { upgrade: { plan: next } } });
}
