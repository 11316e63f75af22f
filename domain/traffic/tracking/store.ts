import type { Schema, Tx, UnboundLedger } from '@tributary/postgres';
import { type Insertable, type Selectable, sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { mintTrackingKey } from './keys/tracking-key.ts';

export type KeyRow = Selectable<Schema['tracking_keys']>;

/** Whether the profile ever had a key, and so may have received visits. */
export async function hasTrackingKeys(tx: Tx, profileId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('tracking_keys')
    .select('id')
    .where('profile_id', '=', profileId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The given profiles that have an active key. Reads across profiles, so it needs the system role. */
export async function findTracked(ledger: UnboundLedger, profileIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await ledger.query(sql<{ id: string }>`
    SELECT DISTINCT profile_id AS id FROM tracking_keys
    WHERE profile_id = ANY (${[...profileIds]}::uuid[]) AND revoked_at IS NULL`);
  return new Set(rows.map(({ id }) => id));
}
export type SettingsRow = Selectable<Schema['tracking_settings']>;
export type DomainRow = Selectable<Schema['tracking_domains']>;
export type VerificationRow = Selectable<Schema['tracking_verifications']>;

// ── Keys ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function listActiveKeys(tx: Tx, profileId: string): Promise<KeyRow[]> {
  return tx
    .selectFrom('tracking_keys')
    .selectAll()
    .where('profile_id', '=', profileId)
    .where('revoked_at', 'is', null)
    .execute();
}

/**
 * Creates a key, or returns undefined if one is active: a unique index allows one per profile, however many requests
 * run concurrently.
 */
export function insertKey(tx: Tx, profileId: string, now: Date): Promise<KeyRow | undefined> {
  return tx
    .insertInto('tracking_keys')
    .values({ profile_id: profileId, id: uuid(), key: mintTrackingKey(), created_at: now })
    .onConflict((conflict) => conflict.column('profile_id').where('revoked_at', 'is', null).doNothing())
    .returningAll()
    .executeTakeFirst();
}

export function revokeKey(tx: Tx, profileId: string, id: string, now: Date): Promise<{ id: string } | undefined> {
  return tx
    .updateTable('tracking_keys')
    .set({ revoked_at: now })
    .where('profile_id', '=', profileId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
}

/** Replaces the previous secret. False if no such key is active. */
export async function saveIdentifySecret(tx: Tx, profileId: string, id: string, sealed: Buffer): Promise<boolean> {
  const saved = await tx
    .updateTable('tracking_keys')
    .set({ identify_secret: sealed })
    .where('profile_id', '=', profileId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return saved !== undefined;
}

// ── Settings ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export function findSettings(tx: Tx, profileId: string): Promise<SettingsRow | undefined> {
  return tx.selectFrom('tracking_settings').selectAll().where('profile_id', '=', profileId).executeTakeFirst();
}

/** Updates the given settings; the others keep their values or defaults. */
export function saveSettings(
  tx: Tx,
  profileId: string,
  changes: Partial<Omit<Insertable<Schema['tracking_settings']>, 'profile_id'>>,
  now: Date,
): Promise<SettingsRow> {
  const changed = { ...changes, updated_at: now };
  return tx
    .insertInto('tracking_settings')
    .values({ profile_id: profileId, ...changed })
    .onConflict((conflict) => conflict.column('profile_id').doUpdateSet(changed))
    .returningAll()
    .executeTakeFirstOrThrow();
}

// ── Domains ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Serialises registrations of a profile, so that concurrent ones cannot exceed the limit. */
export async function lockDomains(tx: Tx, profileId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${profileId}, 9013))`.execute(tx);
}

/** In order of registration. */
export function listDomains(tx: Tx, profileId: string): Promise<DomainRow[]> {
  return tx
    .selectFrom('tracking_domains')
    .selectAll()
    .where('profile_id', '=', profileId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

export function findDomain(tx: Tx, profileId: string, id: string): Promise<DomainRow | undefined> {
  return tx
    .selectFrom('tracking_domains')
    .selectAll()
    .where('profile_id', '=', profileId)
    .where('id', '=', id)
    .executeTakeFirst();
}

export function insertDomain(tx: Tx, profileId: string, domain: string, now: Date): Promise<DomainRow> {
  return tx
    .insertInto('tracking_domains')
    .values({ profile_id: profileId, id: uuid(), domain, status: 'pending', created_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export function saveVerdict(
  tx: Tx,
  profileId: string,
  id: string,
  { status, verdict }: { readonly status: string; readonly verdict: string },
  now: Date,
): Promise<DomainRow | undefined> {
  return tx
    .updateTable('tracking_domains')
    .set({ status, verdict, checked_at: now })
    .where('profile_id', '=', profileId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export function removeDomain(
  tx: Tx,
  profileId: string,
  id: string,
): Promise<{ id: string; domain: string } | undefined> {
  return tx
    .deleteFrom('tracking_domains')
    .where('profile_id', '=', profileId)
    .where('id', '=', id)
    .returning(['id', 'domain'])
    .executeTakeFirst();
}

// ── Verifications ───────────────────────────────────────────────────────────────────────────────────────────────────────────────

const maxVerifications = 20;

/** Serialises new verifications of a profile, so that the rate limit counts concurrent ones. */
export async function lockVerifications(tx: Tx, profileId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${profileId}, 9014))`.execute(tx);
}

export async function insertVerification(tx: Tx, row: Insertable<Schema['tracking_verifications']>): Promise<void> {
  await tx.insertInto('tracking_verifications').values(row).execute();
  // Only the latest verification is shown, but recently issued links must still work. The latest proof is never
  // deleted.
  await sql`
    DELETE FROM tracking_verifications WHERE profile_id = ${row.profile_id} AND id NOT IN (
      SELECT id FROM tracking_verifications WHERE profile_id = ${row.profile_id} ORDER BY started_at DESC, id DESC LIMIT ${maxVerifications}
    ) AND id NOT IN (
      SELECT id FROM tracking_verifications WHERE profile_id = ${row.profile_id} AND verified_at IS NOT NULL
      ORDER BY started_at DESC, id DESC LIMIT 1
    )`.execute(tx);
}

/** Stores the result of fetching the page. */
export function saveHint(
  tx: Tx,
  profileId: string,
  id: string,
  { isSnippetPresent, words }: { readonly isSnippetPresent: boolean | null; readonly words: string | null },
): Promise<VerificationRow> {
  return tx
    .updateTable('tracking_verifications')
    .set({ is_snippet_present: isSnippetPresent, fetch_verdict: words })
    .where('profile_id', '=', profileId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function countVerificationsSince(tx: Tx, profileId: string, since: Date): Promise<number> {
  const { started } = await tx
    .selectFrom('tracking_verifications')
    .select(({ fn }) => fn.countAll<string>().as('started'))
    .where('profile_id', '=', profileId)
    .where('started_at', '>', since)
    .executeTakeFirstOrThrow();
  return Number(started);
}

export function findLatestVerification(tx: Tx, profileId: string): Promise<VerificationRow | undefined> {
  return tx
    .selectFrom('tracking_verifications')
    .selectAll()
    .where('profile_id', '=', profileId)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/**
 * Marks the verification with this nonce as verified, because a visit carried it. False for an unknown, expired or
 * already used nonce.
 */
export async function markVerified(tx: Tx, profileId: string, nonce: string, now: Date): Promise<boolean> {
  const marked = await tx
    .updateTable('tracking_verifications')
    .set({ verified_at: now })
    .where('profile_id', '=', profileId)
    .where('nonce', '=', nonce)
    .where('verified_at', 'is', null)
    .where('expires_at', '>', now)
    .returning('id')
    .execute();
  return marked.length > 0;
}
