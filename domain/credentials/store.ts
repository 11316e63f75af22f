import type { Schema, Tx } from '@tributary/postgres';
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';

export type KeyRow = Selectable<Schema['api_keys']>;

// ── API keys ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const insertKey = (tx: Tx, row: Insertable<Schema['api_keys']>): Promise<KeyRow> =>
  tx.insertInto('api_keys').values(row).returningAll().executeTakeFirstOrThrow();

/** `appId`: of the keys that this app minted only. */
export interface KeyFilter {
  readonly appId?: string | null | undefined;
}

/** The live ones, newest first. */
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

/** The revoked ones too. */
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

/** Undefined when there is no such live key. */
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

export const noteKeyUse = (keyIds: readonly string[], now: Date) => sql`SELECT note_key_use(${keyIds}::uuid[], ${now})`;

// ── Grants and tokens of apps ───────────────────────────────────────────────────────────────────────────────────────────────────

/** No scope at all is a revoked grant. */
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

/** Ends what an app may do on a profile: its grant, and every key that it minted. Resolves to how many live keys ended. */
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

/** Where an app may have people sent back to; undefined for one that is not live. */
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

/** Whether there is such an app, and the operator has not disabled it. */
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

// ── Apps, which only the owner of the schema sees ───────────────────────────────────────────────────────────────────────────────

export const insertApp = (tx: Tx, row: Insertable<Schema['apps']>) => tx.insertInto('apps').values(row).execute();

/** Undefined when there is no such app that is live. */
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

/** With the old secret go the tokens that it gave. */
export async function replaceAppSecret(tx: Tx, appId: string, hash: Buffer): Promise<{ id: string } | undefined> {
  await tx.deleteFrom('app_tokens').where('app_id', '=', appId).execute();
  const apps = tx.updateTable('apps').set({ client_secret_hash: hash }).where('id', '=', appId);
  return apps.returning('id').executeTakeFirst();
}

/** Undefined when there is no such app that is live. */
export const markAppDisabled = (tx: Tx, appId: string, now: Date): Promise<{ id: string } | undefined> =>
  tx
    .updateTable('apps')
    .set({ disabled_at: now })
    .where('id', '=', appId)
    .where('disabled_at', 'is', null)
    .returning('id')
    .executeTakeFirst();

/** All of them, for a server that is to know what another does. */
export const listAppRows = (tx: Tx) => tx.selectFrom('apps').selectAll().execute();

export async function keepApps(tx: Tx, rows: readonly Selectable<Schema['apps']>[]): Promise<void> {
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

// ── Whoever shows a secret ──────────────────────────────────────────────────────────────────────────────────────────────────────

/** A credential as it stands in the ledger at this moment. */
export interface FoundCredential {
  readonly hash: Buffer;
  readonly kind: 'api_key' | 'app';
  readonly credential_id: string;
  readonly profile_id: string | null;
  readonly workspace_id: string | null;
  readonly app_id: string | null;
  readonly scopes: string[];
  /** What its app is granted on the profile now; null when no app stands behind it. */
  readonly granted: string[] | null;
  readonly requests_per_minute: number;
  readonly is_rate_set: boolean;
  readonly is_attribution_enabled: boolean;
  readonly is_healthcare: boolean | null;
}

export const findByHash = (hashes: readonly Buffer[], now: Date) =>
  sql<FoundCredential>`SELECT * FROM find_credentials(${hashes}::bytea[], ${now})`;
