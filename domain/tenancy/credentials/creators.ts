import type { Tx } from '@tributary/postgres';
import type { CreatedKind, CreatorKind } from '@tributary/vocabulary';
import { sql } from 'kysely';

interface UserName {
  readonly name: string;
  readonly email: string;
}
export type UserNames = ReadonlyMap<string, UserName>;

export interface CreatedBy {
  readonly kind: CreatorKind;
  readonly id: string;
}

/** Names of members, including those who left the workspace. */
export async function findUserNames(tx: Tx, ids: readonly (string | null)[]): Promise<UserNames> {
  const userIds = [...new Set(ids.filter((id) => id !== null))];
  if (userIds.length === 0) return new Map();
  const { rows } = await sql<UserName & { id: string }>`
    SELECT id, name, email FROM find_users(${userIds}::uuid[])`.execute(tx);
  return new Map(rows.map(({ id, name, email }) => [id, { name, email }]));
}

export const toCreator = (by: CreatedBy | null, names: UserNames) =>
  by && { ...by, name: names.get(by.id)?.name ?? null, email: names.get(by.id)?.email ?? null };

export const toMemberCreator = (userId: string | null, names: UserNames) =>
  toCreator(userId === null ? null : { kind: 'user', id: userId }, names);

export interface Created {
  readonly kind: CreatedKind;
  readonly id: string;
  readonly profileId: string | null;
  readonly name: string | null;
  readonly createdAt: Date;
}

/** Active keys, links and other objects that a member created in the workspace. Assistants are stored by the accounts module. */
export async function findCreated(tx: Tx, userId: string, now: Date): Promise<Created[]> {
  const { rows } = await sql<Created>`
    SELECT kind, id, profile_id AS "profileId", name, created_at AS "createdAt" FROM find_created(${userId}, ${now})`.execute(
    tx,
  );
  return rows;
}

/** Revokes the keys and links that a member created on the profile of the transaction. */
export async function revokeCreated(tx: Tx, profileId: string, userId: string, now: Date): Promise<void> {
  await sql`
    UPDATE api_keys SET revoked_at = ${now}
    WHERE profile_id = ${profileId} AND minted_by_kind = 'user' AND minted_by_id = ${userId} AND revoked_at IS NULL`.execute(
    tx,
  );
  await sql`
    UPDATE shared_views SET revoked_at = ${now}
    WHERE profile_id = ${profileId} AND made_by = ${userId} AND revoked_at IS NULL`.execute(tx);
}
