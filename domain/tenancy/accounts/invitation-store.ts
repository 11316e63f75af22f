import type { Role } from '@tributary/contract';
import type { Schema, Tx } from '@tributary/postgres';
import { type Insertable, type Selectable, sql } from 'kysely';

export type InvitationRow = Selectable<Schema['invitations']>;

export const insertInvitation = (tx: Tx, row: Insertable<Schema['invitations']>): Promise<InvitationRow> =>
  tx.insertInto('invitations').values(row).returningAll().executeTakeFirstOrThrow();

/** Counts members and pending invitations. */
export async function countSeats(tx: Tx, workspaceId: string, now: Date): Promise<number> {
  const { rows } = await sql<{ seats: number }>`
    SELECT (SELECT count(*) FROM members WHERE workspace_id = ${workspaceId})::int
      + (SELECT count(*) FROM invitations WHERE workspace_id = ${workspaceId} AND accepted_at IS NULL
         AND revoked_at IS NULL AND expires_at > ${now})::int AS seats`.execute(tx);
  return rows[0]?.seats ?? 0;
}

export function listInvitationsBefore(
  tx: Tx,
  workspaceId: string,
  before: string | undefined,
  limit: number,
): Promise<InvitationRow[]> {
  const invitations = tx
    .selectFrom('invitations')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .orderBy('id', 'desc')
    .limit(limit);
  return (before ? invitations.where('id', '<', before) : invitations).execute();
}

export interface FoundInvitation {
  readonly id: string;
  readonly workspace_id: string;
  readonly role: Role;
  readonly email: string | null;
  readonly expires_at: Date;
  readonly is_accepted: boolean;
  readonly is_revoked: boolean;
  readonly is_workspace_archived: boolean;
}

export const findInvitation = (hash: Buffer) => sql<FoundInvitation>`SELECT * FROM find_invitation(${hash})`;

export interface InvitationNames {
  /** The inviting member; null if an app invited or the member has left. */
  readonly inviter: string | null;
  /** The name of the invited owner, if an app sent it. */
  readonly invited: string | null;
}

export const findInvitationNames = (tx: Tx, workspaceId: string, id: string): Promise<InvitationNames | undefined> =>
  tx
    .selectFrom('invitations')
    .leftJoin('members', (join) =>
      join
        .onRef('members.workspace_id', '=', 'invitations.workspace_id')
        .onRef('members.user_id', '=', 'invitations.invited_by'),
    )
    .leftJoin('users', 'users.id', 'members.user_id')
    .select(['users.name as inviter', 'invitations.name as invited'])
    .where('invitations.workspace_id', '=', workspaceId)
    .where('invitations.id', '=', id)
    .executeTakeFirst();

/** Locks the invitation, so that it cannot be accepted concurrently. */
export const lockInvitation = (tx: Tx, workspaceId: string, id: string): Promise<InvitationRow | undefined> =>
  tx
    .selectFrom('invitations')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();

export const markInvitationRevoked = (tx: Tx, workspaceId: string, id: string, now: Date) =>
  tx
    .updateTable('invitations')
    .set({ revoked_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .execute();

export const revokeOpenInvitations = (tx: Tx, workspaceId: string, now: Date) =>
  tx
    .updateTable('invitations')
    .set({ revoked_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .execute();

export const revokeInvitationsOf = (tx: Tx, workspaceId: string, userId: string, now: Date) =>
  tx
    .updateTable('invitations')
    .set({ revoked_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('invited_by', '=', userId)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .execute();

/** Checks and accepts in one statement, so that only one of two concurrent requests joins. */
export async function consumeInvitation(
  tx: Tx,
  { workspace_id, id }: FoundInvitation,
  userId: string,
  now: Date,
): Promise<boolean> {
  const spent = await tx
    .updateTable('invitations')
    .set({ accepted_at: now, accepted_by: userId })
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', id)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return spent !== undefined;
}
