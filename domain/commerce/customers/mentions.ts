import type { Postgres } from '@tributary/postgres';
import { type Identifier, normaliseEmail, normaliseKey, normaliseRut, possibleNames } from '@tributary/rules';
import { opaqueIdentifierKinds } from '@tributary/vocabulary';
import { readPhone, readWhatsAppId } from './phones.ts';
import { findTombstones, nameOfCustomer, nameOfIdentifier, nameOfVisitor, type Tombstones } from './tombstones.ts';

/** Hashes of all identifiers that free-form content could contain, so that an erasure finds a customer in content of unknown structure. */
export function hashesNamedIn(tombstones: Tombstones, profileId: string, content: unknown): Buffer[] {
  const names = new Set<string>();
  const add = (kind: Identifier['kind'], value: string | undefined) => {
    if (value !== undefined) names.add(nameOfIdentifier({ kind, value }));
  };
  const found = possibleNames(content);
  for (const text of found.emails) add('email', normaliseEmail(text));
  for (const text of found.numbers) {
    const digits = text.replace(/\D/g, '').replace(/^00/, '');
    add('national_id', normaliseRut(text));
    add('phone', readPhone(profileId, text));
    add('phone', readPhone(profileId, `+${digits}`));
    add('wa_id', readWhatsAppId(profileId, digits));
  }
  for (const text of found.keys) {
    const key = normaliseKey(text);
    if (key !== undefined) for (const kind of opaqueIdentifierKinds) add(kind, key);
  }
  for (const id of found.ids) names.add(nameOfCustomer(id)).add(nameOfVisitor(id));
  return [...names].map((name) => tombstones.hashOf(profileId, name));
}

/** Stored content and its time. Content newer than an erasure is about another customer, even with the same identifiers. */
export interface StoredContent {
  readonly content: unknown;
  readonly at: Date;
}

/** Finds those rows that mention a customer who was erased later. */
export type FindNamingErased = <Row extends StoredContent>(profileId: string, rows: readonly Row[]) => Promise<Row[]>;

/** Rows per query. A row has hundreds of words, and a word has several hashes. */
const rowsPerQuery = 50;
const never = new Date(0);

export const createErasedMentionFinder =
  (postgres: Postgres, tombstones: Tombstones): FindNamingErased =>
  async (profileId, rows) => {
    const naming: (typeof rows)[number][] = [];
    for (let from = 0; from < rows.length; from += rowsPerQuery) {
      const some = rows.slice(from, from + rowsPerQuery).map((row) => ({
        row,
        hashes: hashesNamedIn(tombstones, profileId, row.content),
      }));
      const distinct = new Map(some.flatMap(({ hashes }) => hashes).map((hash) => [hash.toString('hex'), hash]));
      const found = await postgres
        .forProfile(profileId)
        .transaction((tx) => findTombstones(tx, profileId, [...distinct.values()]), { readOnly: true });
      const erasedAtByHash = new Map(found.map(({ hash, erasedAt }) => [hash.toString('hex'), erasedAt]));
      for (const { row, hashes } of some)
        if (hashes.some((hash) => row.at <= (erasedAtByHash.get(hash.toString('hex')) ?? never))) naming.push(row);
    }
    return naming;
  };
