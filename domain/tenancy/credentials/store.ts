import type { Schema, Tx } from '@tributary/postgres';
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';

export type KeyRow = Selectable<Schema['api_keys']>;

// ── API keys ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const insertKey = (tx: Tx, row: Insertable<Schema['api_keys']>): Promise<KeyRow> =>
  tx.insertInto('api_keys').values(row).returningAll().executeTakeFirstOrThrow();

/** `appId` limits the result to keys that this app created. */
export interface KeyFilter {
  readonly appId?: string | null | undefined;
}

/** Keys that are not revoked, newest first. */
export function listLiveKeys(
  tx: Tx,
  profileId: string,
  { appId, before, limit }: KeyFilter & { readonly before: string | undefined; readonly limit: number },
): Promise<KeyRow[]> {
  let keys = tx
    .selectFrom('api_keys')
    .selectAll()
    .where('profile_id', '=', profileId)
    .where('revoked_at', 'is', null)
    .orderBy('id', 'desc')
    .limit(limit);
  if (appId !== undefined) keys = keys.where('app_id', '=', appId);
  if (before) keys = keys.where('id', '<', before);
  return keys.execute();
}

/** Keys of the profile, including revoked ones. */
export const listKeysOfProfile = (tx: Tx, profileId: string, limit: number) =>
  tx
    .selectFrom('api_keys')
    .select([
      'id',
      'name',
      'prefix',
      'last4',
      'scopes',
      'minted_by_kind',
      'minted_by_id',
      'created_at',
      'last_used_at',
      'expires_at',
      'revoked_at',
    ])
    .where('profile_id', '=', profileId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

/** Returns undefined when there is no such live key. */
export function revokeKey(
  tx: Tx,
  profileId: string,
  keyId: string,
  now: Date,
  { appId }: KeyFilter = {},
): Promise<{ id: string } | undefined> {
  let keys = tx
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('profile_id', '=', profileId)
    .where('id', '=', keyId)
    .where('revoked_at', 'is', null);
  if (appId !== undefined) keys = keys.where('app_id', '=', appId);
  return keys.returning('id').executeTakeFirst();
}

export const recordKeyUse = (keyIds: readonly string[], now: Date) =>
  sql`SELECT note_key_use(${keyIds}::uuid[], ${now})`;

// ── Grants and tokens of apps ───────────────────────────────────────────────────────────────────────────────────────────────────

/** An empty scope list revokes the grant. */
export async function saveGrant(
  tx: Tx,
  profileId: string,
  appId: string,
  scopes: readonly string[],
  now: Date,
): Promise<void> {
  const grant = { oauth_scopes: [...scopes], updated_at: now, revoked_at: scopes.length === 0 ? now : null };
  await tx
    .insertInto('grants')
    .values({ profile_id: profileId, app_id: appId, created_at: now, ...grant })
    .onConflict((conflict) => conflict.columns(['profile_id', 'app_id']).doUpdateSet(grant))
    .execute();
}

/** Revokes an app's access to a profile: its grant and every key it created. Resolves to the number of revoked keys. */
export async function revokeApp(tx: Tx, profileId: string, appId: string, now: Date): Promise<number> {
  await tx
    .updateTable('grants')
    .set({ oauth_scopes: [], updated_at: now, revoked_at: now })
    .where('profile_id', '=', profileId)
    .where('app_id', '=', appId)
    .execute();
  const { numUpdatedRows } = await tx
    .updateTable('api_keys')
    .set({ revoked_at: now })
    .where('profile_id', '=', profileId)
    .where('app_id', '=', appId)
    .where('revoked_at', 'is', null)
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

export async function findSecretHash(tx: Tx, appId: string): Promise<Buffer | undefined> {
  const { rows } = await sql<{
    client_secret_hash: Buffer;
  }>`SELECT client_secret_hash FROM find_app(${appId})`.execute(tx);
  return rows[0]?.client_secret_hash;
}

/** The URLs to which an app may have users redirected; undefined if the app is disabled or unknown. */
export async function findAppOrigins(
  tx: Tx,
  appId: string,
): Promise<{ redirectUris: string[]; allowedReturnOrigins: string[] } | undefined> {
  const { rows } = await sql<{ redirectUris: string[]; allowedReturnOrigins: string[] }>`
    SELECT redirect_uris AS "redirectUris", allowed_return_origins AS "allowedReturnOrigins" FROM find_app(${appId})`.execute(
    tx,
  );
  return rows[0];
}

/** Whether the app exists and is not disabled. */
export const isLiveApp = async (tx: Tx, appId: string): Promise<boolean> =>
  (await findSecretHash(tx, appId)) !== undefined;

export interface NewToken {
  readonly id: string;
  readonly hash: Buffer;
  readonly appId: string;
  readonly profileId: string | null;
  readonly scopes: readonly string[];
  readonly expiresAt: Date;
}

export async function issueToken(tx: Tx, token: NewToken, now: Date): Promise<void> {
  const { id, hash, appId, profileId, scopes, expiresAt } = token;
  await sql`SELECT issue_app_token(${hash}, ${id}, ${appId}, ${profileId}, ${scopes}, ${now}, ${expiresAt})`.execute(
    tx,
  );
}

// ── Apps: readable by the schema owner only ─────────────────────────────────────────────────────────────────────────────────────

export const insertApp = (tx: Tx, row: Insertable<Schema['apps']>) => tx.insertInto('apps').values(row).execute();

/** Returns undefined when the app is disabled or unknown. */
export const updateAppRow = (
  tx: Tx,
  appId: string,
  changes: Updateable<Schema['apps']>,
): Promise<{ id: string } | undefined> =>
  tx
    .updateTable('apps')
    .set(changes)
    .where('id', '=', appId)
    .where('disabled_at', 'is', null)
    .returning('id')
    .executeTakeFirst();

/** Replaces the client secret and deletes the tokens issued with the old one. */
export async function replaceAppSecret(tx: Tx, appId: string, hash: Buffer): Promise<{ id: string } | undefined> {
  await tx.deleteFrom('app_tokens').where('app_id', '=', appId).execute();
  const apps = tx.updateTable('apps').set({ client_secret_hash: hash }).where('id', '=', appId);
  return apps.returning('id').executeTakeFirst();
}

/** Returns undefined when the app is already disabled or unknown. */
export const markAppDisabled = (tx: Tx, appId: string, now: Date): Promise<{ id: string } | undefined> =>
  tx
    .updateTable('apps')
    .set({ disabled_at: now })
    .where('id', '=', appId)
    .where('disabled_at', 'is', null)
    .returning('id')
    .executeTakeFirst();

/** All apps, to copy them to another server. */
export const listAppRows = (tx: Tx) => tx.selectFrom('apps').selectAll().execute();

export async function upsertApps(tx: Tx, rows: readonly Selectable<Schema['apps']>[]): Promise<void> {
  for (const { id, ...row } of rows)
    await tx
      .insertInto('apps')
      .values({ id, ...row })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute();
}

export const listApps = (tx: Tx, limit: number) =>
  tx
    .selectFrom('apps')
    .select(['id', 'name', 'rate_tier', 'redirect_uris', 'allowed_return_origins', 'created_at', 'disabled_at'])
    .orderBy('id')
    .limit(limit)
    .execute();

// ── Lookup of a secret ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A credential as currently stored in the ledger. */
export interface FoundCredential {
  readonly hash: Buffer;
  readonly kind: 'api_key' | 'app';
  readonly credential_id: string;
  readonly profile_id: string | null;
  readonly workspace_id: string | null;
  readonly app_id: string | null;
  readonly scopes: string[];
  /** The current grant of its app on the profile; null when the key belongs to no app. */
  readonly granted: string[] | null;
  readonly requests_per_minute: number;
  readonly is_rate_set: boolean;
  readonly is_attribution_enabled: boolean;
  readonly is_healthcare: boolean | null;
}

export const findByHash = (hashes: readonly Buffer[], now: Date) =>
  sql<FoundCredential>`SELECT * FROM find_credentials(${hashes}::bytea[], ${now})`;
