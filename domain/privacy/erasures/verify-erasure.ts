import { createPrivateKey, createPublicKey, hkdfSync, sign } from 'node:crypto';
import { type ClickHouse, raw } from '@tributary/clickhouse';
import { listTombstones, nameOfIdentifier, nameOfVisitor, type Tombstones } from '@tributary/domain/commerce/customers';
import type { Identifier } from '@tributary/rules';
import { dayMs } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { personalDataModules, type SearchServices } from './registry.ts';
import { namesSeenIn, standsIn } from './scan-for-remains.ts';
import { findErasures } from './store.ts';

export interface SearchedStores extends SearchServices {
  readonly clickhouse: ClickHouse;
  readonly redisTexts: () => AsyncIterable<string>;
  readonly tombstones: Tombstones;
  /**
   * Texts that identify the person without being an identifier, such as a name. They are searched literally and do not appear on the
   * certificate.
   */
  readonly lookFor?: readonly string[];
  readonly now: Date;
  readonly backupRetentionDays: number;
  readonly logRetentionDays: number;
}

export interface Certificate {
  readonly profile_id: string;
  readonly erasure_id: string;
  readonly request_ref: string;
  readonly status: string;
  readonly requested_at: string;
  readonly completed_at: string | null;
  /** Per searched store: the number of records read and of records that contain the person. */
  readonly stores: readonly { readonly store: string; readonly read: number; readonly found: number }[];
  /** Number of erased identifiers that a customer received again after the erasure. They are not searched for. */
  readonly known_again: number;
  readonly found: number;
  readonly rows_cleared: Readonly<Record<string, number>>;
  /** When the last copies expire that no search reaches: encrypted messages of the visit stream, and backups. */
  readonly log_expires_at: string;
  readonly backups_expire_at: string;
  readonly verified_at: string;
}

/**
 * Searches every store for an erased person. The identifiers are no longer known, so every substring of every text is hashed as if it were
 * one and compared with the stored hashes. Returns undefined if the erasure does not exist.
 */
export async function verifyErasure(
  stores: SearchedStores,
  profileId: string,
  erasureId: string,
  progress: (store: string, read: number) => void = () => {},
): Promise<Certificate | undefined> {
  const { app, tombstones, now } = stores;
  const ledger = app.forProfile(profileId);
  const [erasure] = await ledger.transaction((tx) => findErasures(tx, profileId, [erasureId]));
  if (!erasure) return undefined;
  const erasedHashes = new Set(await ledger.transaction((tx) => listTombstones(tx, profileId, erasureId)));
  const reusedCount = await excludeReused(stores, profileId, erasure.requestedAt, erasedHashes);
  const isErased = (hash: Buffer) => erasedHashes.has(hash.toString('hex'));
  const lookFor = (stores.lookFor ?? []).map((text) => text.toLowerCase());
  const isTheirName = memoize((name) => isErased(tombstones.hashOf(profileId, name)));
  /** Whether a record contains an identifier, our id or one of the given texts. Visitor ids are searched separately. */
  const names = (content: unknown) => [...namesSeenIn(content)].some(isTheirName) || standsIn(content, lookFor);

  const isTheirs = (visitorId: string) => isErased(tombstones.hashOf(profileId, nameOfVisitor(visitorId)));
  const found: { store: string; read: number; found: number }[] = [];
  const search = async (store: string, contents: AsyncIterable<unknown>) => {
    let [read, hits] = [0, 0];
    for await (const content of contents) {
      read += 1;
      if (names(content)) hits += 1;
      if (read % 10_000 === 0) progress(store, read);
    }
    found.push({ store, read, found: hits });
  };
  for (const { postgres = {}, opened = {}, clickhouse = {} } of personalDataModules) {
    for (const [table, held] of Object.entries(postgres))
      if (held.erasure !== 'not a customer')
        await search(`postgres ${table}`, rowsOf(stores, profileId, table, held.owner));
    for (const [name, open] of Object.entries(opened)) await search(name, open(profileId, stores));
    for (const [table, held] of Object.entries(clickhouse)) {
      if (held.erasure === 'cleared')
        found.push(await searchUncleared(stores, profileId, table, held.columns, isTheirs));
      else if (held.id === 'person_id') await search(`clickhouse ${table}`, personIdsOf(stores, profileId, table));
    }
  }
  await search('redis', stores.redisTexts());

  const after = (days: number) => new Date(erasure.requestedAt.getTime() + days * dayMs).toISOString();
  return {
    profile_id: profileId,
    erasure_id: erasureId,
    request_ref: erasure.requestRef,
    status: erasure.status,
    requested_at: erasure.requestedAt.toISOString(),
    completed_at: erasure.completedAt?.toISOString() ?? null,
    stores: found,
    known_again: reusedCount,
    found: found.reduce((sum, one) => sum + one.found, 0),
    rows_cleared: erasure.cleared,
    log_expires_at: after(stores.logRetentionDays),
    backups_expire_at: after(stores.backupRetentionDays),
    verified_at: now.toISOString(),
  };
}

/**
 * Drops the identifiers that a customer received after the erasure: a returning person, or one who shares a phone, is an ordinary customer.
 */
async function excludeReused(
  stores: SearchedStores,
  profileId: string,
  erasedAt: Date,
  erasedHashes: Set<string>,
): Promise<number> {
  let count = 0;
  for await (const row of rowsOf(stores, profileId, 'identifiers')) {
    const { kind, value, said_at } = row as Identifier & { said_at: string };
    const hash = stores.tombstones.hashOf(profileId, nameOfIdentifier({ kind, value })).toString('hex');
    if (new Date(said_at) > erasedAt && erasedHashes.delete(hash)) count += 1;
  }
  return count;
}

const pageSize = 5_000;

/** All rows of a table that belong to the profile, page by page, as JSON. */
async function* rowsOf(
  { app }: SearchedStores,
  profileId: string,
  table: string,
  owner = 'profile_id',
): AsyncIterable<unknown> {
  for (let after = '(0,0)'; ; ) {
    const { rows } = await app.forProfile(profileId).transaction((tx) =>
      sql<{ place: string; row: unknown }>`
        SELECT ctid::text AS place, to_jsonb(t) AS row FROM ${sql.table(table)} t
        WHERE ${sql.ref(owner)} = ${profileId} AND ctid > ${after}::tid ORDER BY ctid LIMIT ${pageSize}`.execute(tx),
    );
    for (const { row } of rows) yield row;
    const last = rows.at(-1);
    if (!last) return;
    after = last.place;
  }
}

/** Visits stay after an erasure; counts those whose personal columns were not cleared. */
async function searchUncleared(
  { clickhouse }: SearchedStores,
  profileId: string,
  table: string,
  columns: Readonly<Record<string, string>>,
  isTheirs: (visitorId: string) => boolean,
) {
  const isUncleared = Object.entries(columns)
    .map(([column, value]) => `toString(${column}) != '${value}'`)
    .join(' OR ');
  const statement = raw<{ id: string; uncleared: string }>(
    `SELECT visitor_id AS id, countIf(${isUncleared}) AS uncleared FROM ${table} WHERE profile_id = {profileId:UUID} GROUP BY visitor_id`,
  );
  let [read, found] = [0, 0];
  for await (const { id, uncleared } of clickhouse.stream(statement, { profileId })) {
    read += 1;
    if (uncleared !== '0' && isTheirs(id)) found += 1;
  }
  return { store: `clickhouse ${table}`, read, found };
}

async function* personIdsOf({ clickhouse }: SearchedStores, profileId: string, table: string): AsyncIterable<unknown> {
  const statement = raw<{ id: string }>(
    `SELECT DISTINCT person_id AS id FROM ${table} WHERE profile_id = {profileId:UUID}`,
  );
  for await (const { id } of clickhouse.stream(statement, { profileId })) yield id;
}

/** Caches results, because rows share most of their words. */
export function memoize(compute: (name: string) => boolean): (name: string) => boolean {
  const cache = new Map<string, boolean>();
  return (name) => {
    const before = cache.get(name);
    if (before !== undefined) return before;
    if (cache.size >= maxCached) cache.clear();
    const answer = compute(name);
    cache.set(name, answer);
    return answer;
  };
}

const maxCached = 100_000;

export interface SignedCertificate {
  readonly certificate: Certificate;
  /** Ed25519 signature of the JSON text of the certificate, in base64. */
  readonly signature: string;
  readonly public_key: string;
}

/** The PKCS #8 prefix of a 32-byte Ed25519 key. */
const keyHeader = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Signs with a key derived from the tombstone key, so that all certificates of a deployment have the same public key. */
export function signCertificate(certificate: Certificate, tombstoneKey: Buffer): SignedCertificate {
  const seed = Buffer.from(hkdfSync('sha256', tombstoneKey, '', 'erasure certificate', 32));
  const key = createPrivateKey({ key: Buffer.concat([keyHeader, seed]), format: 'der', type: 'pkcs8' });
  return {
    certificate,
    signature: sign(null, Buffer.from(JSON.stringify(certificate)), key).toString('base64'),
    public_key: createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64'),
  };
}
