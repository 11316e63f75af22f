import type { Tx } from '@tributary/postgres';
import { nilUuid, type Role } from '@tributary/vocabulary';

/** Whether the user is a member. Requires a transaction scoped to the workspace. */
export async function isMember(tx: Tx, workspaceId: string, userId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('members')
    .select('user_id')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row !== undefined;
}

/** The owner of the workspace; the first by id if there are several. */
export async function findOwner(tx: Tx, workspaceId: string): Promise<string | null> {
  const row = await tx
    .selectFrom('members')
    .select('user_id')
    .where('workspace_id', '=', workspaceId)
    .where('role', '=', 'owner')
    .orderBy('user_id')
    .executeTakeFirst();
  return row?.user_id ?? null;
}

/** The roles of all members of the workspace. */
export async function listRoles(
  tx: Tx,
  workspaceId: string,
): Promise<{ readonly userId: string; readonly role: Role }[]> {
  const rows = await tx
    .selectFrom('members')
    .select(['user_id as userId', 'role'])
    .where('workspace_id', '=', workspaceId)
    .orderBy('user_id')
    .execute();
  return rows.map(({ userId, role }) => ({ userId, role: role as Role }));
}

/** Those of the users who are members of the workspace, with their emails. */
export async function findMembersAmong(
  tx: Tx,
  workspaceId: string,
  userIds: readonly string[],
): Promise<{ readonly userId: string; readonly name: string; readonly email: string }[]> {
  return tx
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select(['members.user_id as userId', 'users.name', 'users.email'])
    .where('members.workspace_id', '=', workspaceId)
    .where('members.user_id', 'in', [...userIds, nilUuid])
    .orderBy('users.email')
    .execute();
}
