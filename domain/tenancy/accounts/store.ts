import type { Role } from '@tributary/contract';
import type { Schema, Tx } from '@tributary/postgres';
import { type Selectable, sql } from 'kysely';
import { v7 as uuid } from 'uuid';

// ── Users ───────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export type UserRow = Selectable<Schema['users']>;

export interface NewUser {
  readonly name: string;
  /** In lower case. */
  readonly email: string;
  readonly passwordHash: string;
}

/** Returns undefined when the address is already in use. */
export async function insertUser(
  tx: Tx,
  { name, email, passwordHash }: NewUser,
  now: Date,
  id: string = uuid(),
): Promise<string | undefined> {
  const times = { created_at: now, updated_at: now };
  const inserted = await tx
    .insertInto('users')
    .values({ id, name, email, ...times })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!inserted) return undefined;
  await tx
    .insertInto('accounts')
    .values({ id: uuid(), user_id: id, account_id: id, provider_id: 'credential', password: passwordHash, ...times })
    .execute();
  return id;
}

export const findUser = (tx: Tx, userId: string): Promise<UserRow> =>
  tx.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirstOrThrow();

export const findUserIfAny = (tx: Tx, userId: string): Promise<UserRow | undefined> =>
  tx.selectFrom('users').selectAll().where('id', '=', userId).executeTakeFirst();

export const findUserByEmail = (tx: Tx, email: string): Promise<UserRow | undefined> =>
  tx.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();

export const listAllUsers = (tx: Tx): Promise<UserRow[]> =>
  tx.selectFrom('users').selectAll().orderBy('email').execute();

export async function findPasswordHash(tx: Tx, userId: string): Promise<string | undefined> {
  const account = await tx
    .selectFrom('accounts')
    .select('password')
    .where('user_id', '=', userId)
    .where('provider_id', '=', 'credential')
    .executeTakeFirst();
  return account?.password ?? undefined;
}

/** Replaces the password and ends all sessions except the one that made the change. */
export async function replacePassword(
  tx: Tx,
  userId: string,
  passwordHash: string,
  now: Date,
  keptSessionId?: string,
): Promise<void> {
  await tx
    .updateTable('accounts')
    .set({ password: passwordHash, updated_at: now })
    .where('user_id', '=', userId)
    .where('provider_id', '=', 'credential')
    .execute();
  let ended = tx.deleteFrom('sessions').where('user_id', '=', userId);
  if (keptSessionId) ended = ended.where('id', '<>', keptSessionId);
  await ended.execute();
}

// ── Sessions ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface FoundSession {
  readonly session_id: string;
  readonly user_id: string;
  readonly workspace_id: string | null;
  readonly profile_id: string | null;
  readonly role: Role | null;
  readonly is_attribution_enabled: boolean | null;
  readonly is_healthcare: boolean | null;
}

export const findSession = (
  hash: string,
  workspaceId: string | null,
  profileId: string | null,
  at: Date,
  idleMinutes: number,
) =>
  sql<FoundSession>`
    SELECT * FROM find_live_session(${hash}, ${workspaceId}, ${profileId}, ${at}, make_interval(mins => ${idleMinutes}))`;

/** The user's role in a workspace or profile on this server; no row if there is none. */
export const findPlace = (userId: string, workspaceId: string | null, profileId: string | null) =>
  sql<Omit<FoundSession, 'session_id' | 'user_id'>>`SELECT * FROM find_place(${userId}, ${workspaceId}, ${profileId})`;

export const recordSessionUse = (sessionIds: readonly string[], now: Date) =>
  sql`SELECT note_session_use(${sessionIds}::uuid[], ${now})`;

/** Limit of the session list. Users with more sessions can end all of them by changing the password. */
const maxListedSessions = 100;

export const listSessionRows = (tx: Tx, userId: string, now: Date) =>
  tx
    .selectFrom('sessions')
    .select(['id', 'created_at', 'seen_at', 'expires_at'])
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(maxListedSessions)
    .execute();

export async function removeSessionOf(tx: Tx, userId: string, id: string): Promise<boolean> {
  const removed = await tx
    .deleteFrom('sessions')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning('id')
    .executeTakeFirst();
  return removed !== undefined;
}

/** Deletes all sessions of the user except the one with this token hash. */
export const removeOtherSessions = (tx: Tx, userId: string, keptHash: string) =>
  tx.deleteFrom('sessions').where('user_id', '=', userId).where('token', '<>', keptHash).execute();

export const listPasskeyRows = (tx: Tx, userId: string) =>
  tx
    .selectFrom('passkeys')
    .select(['id', 'name', 'created_at'])
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();

export async function removePasskey(tx: Tx, userId: string, id: string): Promise<boolean> {
  const removed = await tx
    .deleteFrom('passkeys')
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .returning('id')
    .executeTakeFirst();
  return removed !== undefined;
}

/** Removes second factor and passkeys, for a user who lost them or whose account was taken over. */
export async function removeTwoFactor(tx: Tx, userId: string, now: Date): Promise<void> {
  await tx.deleteFrom('passkeys').where('user_id', '=', userId).execute();
  await tx.deleteFrom('two_factors').where('user_id', '=', userId).execute();
  await tx.updateTable('users').set({ two_factor_enabled: false, updated_at: now }).where('id', '=', userId).execute();
}

export const removeSession = (tx: Tx, sessionId: string) =>
  tx.deleteFrom('sessions').where('id', '=', sessionId).execute();

// ── Members ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export interface MemberRow {
  readonly user_id: string;
  readonly name: string;
  readonly email: string;
  readonly role: string;
  readonly created_at: Date;
}

const selectMembers = (tx: Tx, workspaceId: string) =>
  tx
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select(['members.user_id', 'users.name', 'users.email', 'members.role', 'members.created_at'])
    .where('members.workspace_id', '=', workspaceId);

export function listMembersAfter(
  tx: Tx,
  workspaceId: string,
  after: string | undefined,
  limit: number,
): Promise<MemberRow[]> {
  const members = selectMembers(tx, workspaceId).orderBy('members.user_id').limit(limit);
  return (after ? members.where('members.user_id', '>', after) : members).execute();
}

export const findMember = (tx: Tx, workspaceId: string, userId: string): Promise<MemberRow | undefined> =>
  selectMembers(tx, workspaceId).where('members.user_id', '=', userId).executeTakeFirst();

/** Locks the owners in a fixed order, so that concurrent requests cannot deadlock. */
export const lockOwners = (tx: Tx, workspaceId: string) =>
  tx
    .selectFrom('members')
    .select('user_id')
    .where('workspace_id', '=', workspaceId)
    .where('role', '=', 'owner')
    .orderBy('user_id')
    .forUpdate()
    .execute();

/** Copies a user from the home server, without password, so that the workspace's server can list its members. */
export const copyUser = (tx: Tx, { id, name, email, created_at, updated_at }: UserRow) =>
  tx
    .insertInto('users')
    .values({ id, name, email, created_at, updated_at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();

/** Returns false when the user is already a member. */
export async function insertMember(
  tx: Tx,
  workspaceId: string,
  userId: string,
  role: string,
  now: Date,
): Promise<boolean> {
  const member = await tx
    .insertInto('members')
    .values({ workspace_id: workspaceId, user_id: userId, role, created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .executeTakeFirst();
  return member !== undefined;
}

export const setRole = (tx: Tx, workspaceId: string, userId: string, role: string) =>
  tx
    .updateTable('members')
    .set({ role })
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .execute();

export const removeMember = (tx: Tx, workspaceId: string, userId: string) =>
  tx.deleteFrom('members').where('workspace_id', '=', workspaceId).where('user_id', '=', userId).execute();

interface MembershipRow {
  readonly workspace_id: string;
  readonly workspace_name: string;
  readonly role: Role;
  readonly profile_id: string | null;
  readonly profile_name: string | null;
  readonly is_healthcare: boolean | null;
}

export async function listMembershipRows(tx: Tx, userId: string): Promise<MembershipRow[]> {
  const { rows } = await sql<MembershipRow>`SELECT * FROM find_memberships(${userId})`.execute(tx);
  return rows;
}

// ── The first account ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Requires the schema owner's role. Returns false when an account exists. */
export async function offerFirstAccount(tx: Tx, hash: Buffer, until: Date): Promise<boolean> {
  const { rows } = await sql`
    INSERT INTO first_account (token_hash, expires_at) SELECT ${hash}, ${until}::timestamptz WHERE is_first_account_open()
    ON CONFLICT (id) DO UPDATE SET token_hash = excluded.token_hash, expires_at = excluded.expires_at RETURNING id`.execute(
    tx,
  );
  return rows.length > 0;
}

export async function isFirstAccountOpen(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ is_open: boolean }>`SELECT is_first_account_open() AS is_open`.execute(tx);
  return rows[0]?.is_open === true;
}

export async function redeemFirstAccount(tx: Tx, hash: Buffer, now: Date): Promise<boolean> {
  const { rows } = await sql<{ was: boolean }>`SELECT redeem_first_account(${hash}, ${now}) AS was`.execute(tx);
  return rows[0]?.was === true;
}
