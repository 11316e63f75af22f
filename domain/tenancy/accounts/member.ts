import type { Role } from '@tributary/contract';
import { type Caller, refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { refuseState } from './invitation.ts';
import { findMember, insertMember, lockOwners, type MemberRow } from './store.ts';

export const toMemberResponse = ({ user_id, name, email, role, created_at }: MemberRow) => ({
  user_id,
  name,
  email,
  role: role as Role,
  joined_at: created_at.toISOString(),
});

/** Reads a member for an update. Locks all owners first, so that two owners cannot remove each other concurrently. */
export async function findForChange(
  tx: Tx,
  workspaceId: string,
  userId: string,
): Promise<(MemberRow & LastOwner) | undefined> {
  const owners = await lockOwners(tx, workspaceId);
  const member = await findMember(tx, workspaceId, userId);
  return member && { ...member, isLastOwner: member.role === 'owner' && owners.length === 1 };
}

export const lockMemberForChange = async (
  tx: Tx,
  workspaceId: string,
  userId: string,
): Promise<MemberRow & LastOwner> =>
  (await findForChange(tx, workspaceId, userId)) ?? refuse('not_found', 'There is no such member.');

interface LastOwner {
  readonly isLastOwner: boolean;
}

export function refuseLastOwner({ isLastOwner }: LastOwner): void {
  if (isLastOwner)
    refuseState('last_owner', 'A workspace keeps at least one owner. Make somebody else an owner first.');
}

/** Requires an owner or admin, who may act on other members. */
export function refuseUnlessManager({ role }: Caller): void {
  if (role !== 'owner' && role !== 'admin')
    refuse('forbidden', 'Only owners and admins of the workspace may do this for another member.', {
      fields: { reason: 'role' },
    });
}

export function refuseUnlessOwner({ role }: Caller): void {
  if (role !== 'owner') {
    refuse('forbidden', 'Only an owner of the workspace may do this.', { fields: { reason: 'role' } });
  }
}

/** Refuses when the role changed since it was decided whether the password is required. */
export function refuseOtherRole(before: string | undefined, now: string): void {
  if (before !== undefined && (before === 'owner') !== (now === 'owner'))
    refuseState('role_changed', 'The role of this member was changed meanwhile. Read it again.');
}

/** Makes a user the owner of a new workspace. */
export async function addOwner(tx: Tx, workspaceId: string, userId: string, now: Date): Promise<void> {
  await insertMember(tx, workspaceId, userId, 'owner', now);
}
