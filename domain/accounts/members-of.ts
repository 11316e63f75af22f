import type { Tx } from '@tributary/postgres';

/** Whether somebody is a member of the workspace behind whose wall the transaction stands. */
export async function isMember(tx: Tx, workspaceId: string, userId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('members')
    .select('user_id')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row !== undefined;
}

/** The owner of the workspace, of several the first. */
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
