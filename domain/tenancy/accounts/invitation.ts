import type { Role } from '@tributary/contract';
import { hashSecret, isWellFormedSecret, toMemberCreator, type UserNames } from '@tributary/domain/tenancy/credentials';
import { refuse } from '@tributary/operations';
import { type AllShards, findOnAnyShard } from '@tributary/postgres';
import type { InvitationStatus } from '@tributary/vocabulary';
import { type FoundInvitation, findInvitation } from './invitation-store.ts';

interface Times {
  readonly expires_at: Date;
  readonly accepted_at: Date | null;
  readonly revoked_at: Date | null;
}

/** Accepted and revoked are stored and final; expiry is computed from the clock. */
export function statusOf({ expires_at, accepted_at, revoked_at }: Times, now: Date): InvitationStatus {
  if (accepted_at) return 'accepted';
  if (revoked_at) return 'revoked';
  return expires_at <= now ? 'expired' : 'pending';
}

interface Row extends Times {
  readonly id: string;
  readonly role: string;
  readonly email: string | null;
  readonly invited_by: string | null;
  readonly created_at: Date;
}

/** The API representation of an invitation, without the token, of which only a hash is stored. */
export const toInvitationResponse = (row: Row, names: UserNames, now: Date) => ({
  id: row.id,
  role: row.role as Role,
  email: row.email,
  status: statusOf(row, now),
  created_by: toMemberCreator(row.invited_by, names),
  created_at: row.created_at.toISOString(),
  expires_at: row.expires_at.toISOString(),
});

export async function findUsableInvitation(everywhere: AllShards, token: string, now: Date): Promise<FoundInvitation> {
  const isOurs = isWellFormedSecret(token, 'invitation');
  const invitation = isOurs ? await findOnAnyShard(everywhere, findInvitation(hashSecret(token))) : undefined;
  if (!invitation) return refuse('not_found', 'There is no such invitation. Was the link copied as a whole?');
  refuseUnusable(invitation, now);
  return invitation;
}

/** Refuses an invitation that is archived, accepted, revoked or expired, with the reason. */
function refuseUnusable(invitation: FoundInvitation, now: Date): void {
  if (invitation.is_workspace_archived) {
    refuse('workspace_archived', 'The workspace that this invitation leads to was archived.');
  }
  if (invitation.is_accepted) refuseState('accepted', 'This invitation was already accepted.');
  if (invitation.is_revoked) refuseState('revoked', 'This invitation was revoked.');
  if (invitation.expires_at <= now) refuseState('expired', 'This invitation has run out. Ask for a new one.');
}

export const refuseState = (reason: string, message: string): never =>
  refuse('invalid_state', message, { fields: { reason } });
