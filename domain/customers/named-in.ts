import type { Postgres } from '@tributary/postgres';
import { type Identifier, normaliseEmail, normaliseKey, normaliseRut, possibleNames } from '@tributary/rules';
import { opaqueIdentifierKinds } from '@tributary/vocabulary';
import { readPhone, readWhatsAppId } from './phones.ts';
import { findTombstones, nameOfCustomer, nameOfIdentifier, nameOfVisitor, type Tombstones } from './tombstones.ts';

/** Hashes of everybody whom a content could name, whatever its form. So that an erasure finds a person in texts that nobody understands. */
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

/** Something that was kept, and since when. What came after an erasure is of somebody else, whatever they are called. */
export interface Kept {
  readonly content: unknown;
  readonly at: Date;
}

/** Of what was kept, that which names somebody who was erased afterwards. */
export type FindNamingErased = <Row extends Kept>(profileId: string, rows: readonly Row[]) => Promise<Row[]>;

/** A row has some hundreds of words, and a word some hashes. */
const rowsAtOnce = 50;
const never = new Date(0);

export const findsNamingErased =
  (postgres: Postgres, tombstones: Tombstones): FindNamingErased =>
  async (profileId, rows) => {
    const naming: (typeof rows)[number][] = [];
    for (let from = 0; from < rows.length; from += rowsAtOnce) {
      const some = rows.slice(from, from + rowsAtOnce).map((row) => ({
        row,
        hashes: hashesNamedIn(tombstones, profileId, row.content),
      }));
      const asked = new Map(some.flatMap(({ hashes }) => hashes).map((hash) => [hash.toString('hex'), hash]));
      const found = await postgres
        .forProfile(profileId)
        .transaction((tx) => findTombstones(tx, profileId, [...asked.values()]), { readOnly: true });
      const graves = new Map(found.map(({ hash, erasedAt }) => [hash.toString('hex'), erasedAt]));
      for (const { row, hashes } of some)
        if (hashes.some((hash) => row.at <= (graves.get(hash.toString('hex')) ?? never))) naming.push(row);
    }
    return naming;
  };
