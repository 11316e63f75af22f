import type { Tx } from '@tributary/postgres';
import { type ErasedHolder, type Identifier, identifierKey } from '@tributary/rules';
import { keyedHash } from '@tributary/vault';
import { sql } from 'kysely';

/**
 * Keyed hashes of the identifiers of erased customers. They show that an identifier in a new message belongs to an erased customer. Without
 * the key, the hash does not reveal the identifier.
 */
export interface Tombstones {
  hashOf(profileId: string, name: string): Buffer;
}

/** The key is never rotated: with another key, erased customers would no longer be recognised. */
export const tombstonesUnder = (key: () => Buffer): Tombstones => ({
  hashOf: (profileId, name) => keyedHash(key(), `${profileId}:${name}`),
});

/** The names that are hashed. Their prefixes keep the kinds from colliding. */
export const nameOfIdentifier = (identifier: Identifier): string => `identifier:${identifierKey(identifier)}`;
export const nameOfCustomer = (customerId: string): string => `customer:${customerId}`;
export const nameOfVisitor = (visitorId: string): string => `visitor:${visitorId}`;

/**
 * A pseudonym for a click id, used wherever the click is stored: a 64-bit integer as text. Uses this key because it is never rotated: a visit
 * and an outcome a year later must get the same marker for the same click.
 */
export const clickMarker =
  (tombstones: Tombstones, profileId: string) =>
  (click: string): string =>
    tombstones.hashOf(profileId, `click:${click}`).readBigUInt64BE().toString();

export interface Tombstone {
  readonly hash: Buffer;
  readonly erasureId: string;
  readonly erasedAt: Date;
}

export async function findTombstones(tx: Tx, profileId: string, hashes: readonly Buffer[]): Promise<Tombstone[]> {
  if (hashes.length === 0) return [];
  const { rows } = await sql<Tombstone>`
    SELECT hash, erasure_id AS "erasureId", erased_at AS "erasedAt" FROM tombstones
    WHERE profile_id = ${profileId} AND hash = ANY (${[...hashes]}::bytea[]) ORDER BY erased_at, erasure_id`.execute(
    tx,
  );
  return rows;
}

/** The hashes of an erasure, in hex. */
export async function listTombstones(tx: Tx, profileId: string, erasureId: string): Promise<string[]> {
  const { rows } = await sql<{ hash: string }>`
    SELECT encode(hash, 'hex') AS hash FROM tombstones WHERE profile_id = ${profileId} AND erasure_id = ${erasureId}`.execute(
    tx,
  );
  return rows.map(({ hash }) => hash);
}

/** Whether the erased customer held a strong identifier, and whether it held a key of the caller. */
export async function findStrengthOfErased(
  tx: Tx,
  profileId: string,
  erasureId: string,
): Promise<Pick<ErasedHolder, 'wasStrong' | 'wasKeyed'>> {
  const { rows } = await sql<Pick<ErasedHolder, 'wasStrong' | 'wasKeyed'>>`
    SELECT coalesce(bool_or(was_strong), false) AS "wasStrong", coalesce(bool_or(was_keyed), false) AS "wasKeyed"
    FROM tombstones WHERE profile_id = ${profileId} AND erasure_id = ${erasureId}`.execute(tx);
  return rows[0] ?? { wasStrong: false, wasKeyed: false };
}

export async function saveTombstones(
  tx: Tx,
  profileId: string,
  {
    erasureId,
    erasedAt,
    wasStrong = false,
    wasKeyed = false,
  }: Omit<Tombstone, 'hash'> & Partial<Pick<ErasedHolder, 'wasStrong' | 'wasKeyed'>>,
  hashes: readonly Buffer[],
): Promise<void> {
  await sql`
    INSERT INTO tombstones (profile_id, hash, erasure_id, erased_at, was_strong, was_keyed)
    SELECT ${profileId}, hash, ${erasureId}, ${erasedAt}, ${wasStrong}, ${wasKeyed} FROM unnest(${[...hashes]}::bytea[]) AS hash
    ON CONFLICT DO NOTHING`.execute(tx);
}

/** The customer without personal data that received the outcomes and visitors of an erasure still in progress. */
export interface OpenShell extends Omit<Tombstone, 'hash'> {
  readonly shellId: string;
}

/** By hash in hex. Locks the erasures, so that they do not complete before the caller has moved its rows. */
export async function lockPendingErasures(
  tx: Tx,
  profileId: string,
  hashes: readonly Buffer[],
): Promise<Map<string, OpenShell>> {
  const { rows } = await sql<OpenShell & { hash: Buffer }>`
    SELECT t.hash, t.erasure_id AS "erasureId", t.erased_at AS "erasedAt", w.shell_id AS "shellId"
    FROM tombstones t JOIN erasure_work w ON w.profile_id = t.profile_id AND w.erasure_id = t.erasure_id
    WHERE t.profile_id = ${profileId} AND t.hash = ANY (${[...hashes]}::bytea[]) ORDER BY t.erased_at
    FOR SHARE OF w`.execute(tx);
  return new Map(rows.map(({ hash, ...shell }) => [hash.toString('hex'), shell]));
}
