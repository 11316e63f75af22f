import { createPrivateKey, createPublicKey, hkdfSync, sign } from 'node:crypto';
import { type ClickHouse, clearedVisit, raw } from '@tributary/clickhouse';
import {
  listTombstones,
  nameOfCustomer,
  nameOfIdentifier,
  nameOfVisitor,
  type Tombstones,
} from '@tributary/domain/customers';
import { hashesNamedIn, type Opening, openBadVisits, openDeadLetters } from '@tributary/domain/ingestion';
import { readAnswers } from '@tributary/operations';
import type { Postgres } from '@tributary/postgres';
import type { Identifier } from '@tributary/rules';
import type { Stream } from '@tributary/stream';
import type { Vault } from '@tributary/vault';
import { dayMs, uuidPattern } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { personStores } from './registry.ts';
import { findErasures } from './store.ts';

export interface SearchedStores {
  readonly app: Postgres;
  readonly clickhouse: ClickHouse;
  readonly stream: Pick<Stream, 'deadLetters'>;
  readonly redisTexts: () => AsyncIterable<string>;
  readonly opening: Opening;
  readonly tombstones: Tombstones;
  readonly vault: Vault;
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
  /** Each store that was searched: how much was read, and in how many places the person was found. */
  readonly stores: readonly { readonly store: string; readonly read: number; readonly found: number }[];
  /** Names of the erased person under which somebody became known after the erasure. They are not searched for. */
  readonly known_again: number;
  readonly found: number;
  readonly rows_cleared: Readonly<Record<string, number>>;
  /** When the last copy that no search reaches is gone: messages of the visits log (sealed), and backups. */
  readonly log_expires_at: string;
  readonly backups_expire_at: string;
  readonly verified_at: string;
}

/**
 * Searches every store for somebody who was erased. What they were called is not known any more; so every text that is there is
 * hashed as if it were a name, and compared with what is left of theirs. Undefined where there is no such erasure.
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
  const graves = new Set(await ledger.transaction((tx) => listTombstones(tx, profileId, erasureId)));
  const knownAgain = await forgetKnownAgain(stores, profileId, erasure.requestedAt, graves);
  const isGrave = (hash: Buffer) => graves.has(hash.toString('hex'));
  /** Who a text or a list of texts names: a person by any identifier, or by our own id. Browsers have their own search. */
  const names = (content: unknown, ids: readonly string[] = []) =>
    hashesNamedIn(tombstones, profileId, content).some(isGrave) ||
    ids.some((id) => isGrave(tombstones.hashOf(profileId, nameOfCustomer(id))));

  const found: { store: string; read: number; found: number }[] = [];
  const search = async (store: string, contents: AsyncIterable<unknown>) => {
    let [read, hits] = [0, 0];
    for await (const content of contents) {
      read += 1;
      if (names(content, uuidsIn(content))) hits += 1;
      if (read % 10_000 === 0) progress(store, read);
    }
    found.push({ store, read, found: hits });
  };
  for (const { store, table, erasure: how } of personStores)
    if (store === 'postgres' && how !== 'not a customer')
      await search(`postgres ${table}`, rowsOf(stores, profileId, table));
  await search('postgres bad_visits, opened', openBadVisits(stores.opening, profileId));
  await search('postgres idempotent_answers, opened', readAnswers(ledger, profileId, stores.vault));
  await search('dead letters, opened', lettersOf(stores, profileId));
  await search('redis', stores.redisTexts());
  found.push(await searchVisits(stores, profileId, (id) => isGrave(tombstones.hashOf(profileId, nameOfVisitor(id)))));
  for (const table of [
    'attributed_conversions',
    'attribution_history',
    'attribution_results',
    'attribution_conversions',
    'attribution_links',
    'attribution_touches',
  ])
    await search(`clickhouse ${table}`, personIdsOf(stores, profileId, table));

  const after = (days: number) => new Date(erasure.requestedAt.getTime() + days * dayMs).toISOString();
  return {
    profile_id: profileId,
    erasure_id: erasureId,
    request_ref: erasure.requestRef,
    status: erasure.status,
    requested_at: erasure.requestedAt.toISOString(),
    completed_at: erasure.completedAt?.toISOString() ?? null,
    stores: found,
    known_again: knownAgain,
    found: found.reduce((sum, one) => sum + one.found, 0),
    rows_cleared: erasure.cleared,
    log_expires_at: after(stores.logRetentionDays),
    backups_expire_at: after(stores.backupRetentionDays),
    verified_at: now.toISOString(),
  };
}

/** Who came back after the erasure, or shares a phone with whoever was erased, is a customer like any other. */
async function forgetKnownAgain(
  stores: SearchedStores,
  profileId: string,
  erasedAt: Date,
  graves: Set<string>,
): Promise<number> {
  let count = 0;
  for await (const row of rowsOf(stores, profileId, 'identifiers')) {
    const { kind, value, said_at } = row as Identifier & { said_at: string };
    const hash = stores.tombstones.hashOf(profileId, nameOfIdentifier({ kind, value })).toString('hex');
    if (new Date(said_at) > erasedAt && graves.delete(hash)) count += 1;
  }
  return count;
}

const pageSize = 5_000;

/** Every row of a table that is the profile's, a page after the other, as PostgreSQL writes it in JSON. */
async function* rowsOf({ app }: SearchedStores, profileId: string, table: string): AsyncIterable<unknown> {
  const owner = table.startsWith('idempotent_') ? 'owner_id' : 'profile_id';
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

/** Visits of the person's browsers stay; what must be gone of them is what an erasure clears. */
async function searchVisits({ clickhouse }: SearchedStores, profileId: string, isTheirs: (id: string) => boolean) {
  const isUncleared = Object.entries(clearedVisit)
    .map(([column, value]) => `toString(${column}) != '${value}'`)
    .join(' OR ');
  const asked = raw<{ id: string; uncleared: string }>(
    `SELECT visitor_id AS id, countIf(${isUncleared}) AS uncleared FROM visits WHERE profile_id = {profileId:UUID} GROUP BY visitor_id`,
  );
  let [read, found] = [0, 0];
  for await (const { id, uncleared } of clickhouse.stream(asked, { profileId })) {
    read += 1;
    if (uncleared !== '0' && isTheirs(id)) found += 1;
  }
  return { store: 'clickhouse visits', read, found };
}

async function* personIdsOf({ clickhouse }: SearchedStores, profileId: string, table: string): AsyncIterable<unknown> {
  const asked = raw<{ id: string }>(
    `SELECT DISTINCT person_id AS id FROM ${table} WHERE profile_id = {profileId:UUID}`,
  );
  for await (const { id } of clickhouse.stream(asked, { profileId })) yield id;
}

async function* lettersOf({ opening, stream }: SearchedStores, profileId: string): AsyncIterable<unknown> {
  for await (const { requests } of openDeadLetters(opening, stream))
    yield requests.filter(({ arrival }) => arrival.profile_id === profileId).map(({ content }) => content);
}

const uuids = new RegExp(uuidPattern, 'g');
const uuidsIn = (content: unknown): string[] => [...new Set(JSON.stringify(content).match(uuids))];

export interface SignedCertificate {
  readonly certificate: Certificate;
  /** Ed25519 over the certificate as it is written here, in base64. */
  readonly signature: string;
  readonly public_key: string;
}

/** What PKCS #8 writes before the 32 bytes of an Ed25519 key. */
const keyHeader = Buffer.from('302e020100300506032b657004220420', 'hex');

/** Signs with a key that is made from the tombstones' own, so that every certificate of a deployment has the same public key. */
export function signCertificate(certificate: Certificate, tombstoneKey: Buffer): SignedCertificate {
  const seed = Buffer.from(hkdfSync('sha256', tombstoneKey, '', 'erasure certificate', 32));
  const key = createPrivateKey({ key: Buffer.concat([keyHeader, seed]), format: 'der', type: 'pkcs8' });
  return {
    certificate,
    signature: sign(null, Buffer.from(JSON.stringify(certificate)), key).toString('base64'),
    public_key: createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64'),
  };
}
