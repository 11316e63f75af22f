import type { Role } from '@tributary/contract';
import { type Caller, refuse } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { refuseState } from './invitation.ts';

export interface MemberRow {
  readonly user_id: string;
  readonly name: string;
  readonly email: string;
  readonly role: string;
  readonly created_at: Date;
}

export const showMember = ({ user_id, name, email, role, created_at }: MemberRow) => ({
  user_id,
  name,
  email,
  role: role as Role,
  joined_at: created_at.toISOString(),
});

export const membersOf = (tx: Tx, workspaceId: string) =>
  tx
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select(['members.user_id', 'users.name', 'users.email', 'members.role', 'members.created_at'])
    .where('members.workspace_id', '=', workspaceId);

/** A member about to be changed. All owners are locked first: two of them removing each other must not both succeed. */
export async function memberForChange(tx: Tx, workspaceId: string, userId: string): Promise<MemberRow & LastOwner> {
  const owners = await tx
    .selectFrom('members')
    .select('user_id')
    .where('workspace_id', '=', workspaceId)
    .where('role', '=', 'owner')
    .orderBy('user_id')
    .forUpdate()
    .execute();
  const member = await membersOf(tx, workspaceId).where('members.user_id', '=', userId).executeTakeFirst();
  if (!member) return refuse('not_found', 'There is no such member.');
  return { ...member, isLastOwner: member.role === 'owner' && owners.length === 1 };
}

interface LastOwner {
  readonly isLastOwner: boolean;
}

export function refuseLastOwner({ isLastOwner }: LastOwner): void {
  if (isLastOwner)
    refuseState('last_owner', 'A workspace keeps at least one owner. Make somebody else an owner first.');
}

export function refuseUnlessOwner({ role }: Caller): void {
  if (role !== 'owner') {
    refuse('forbidden', 'Only an owner of the workspace may do this.', { fields: { reason: 'role' } });
  }
}
