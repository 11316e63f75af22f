import { crc32 } from 'node:zlib';
import type { Tx } from '@tributary/postgres';
import { type Identifier, identifierKey } from '@tributary/rules';
import { strongIdentifierKinds } from '@tributary/vocabulary';
import { sql } from 'kysely';
import type { KnownCustomer, KnownCustomers } from './customer-book.ts';
import { nameOfIdentifier, type Tombstones } from './tombstones.ts';

/**
 * A writer of identities locks in this order, and so never waits in a circle: the stripes of its identifiers, sorted, in one
 * statement; then the customers these are bound to, sorted, in one statement; then it writes what it holds and nothing else.
 *
 * The stripes keep two writers from creating the same identifier, which no row lock can. The customers' rows keep a merge, which
 * moves identifiers that its message never named, from passing under a writer that holds one of those.
 */

// As many as the lock table of PostgreSQL has room for per connection by default: a lock for each of a batch's 4,000 identifiers
// would run it out of shared memory with the second batch.
const stripes = 64;

/** Everything that identifiers concern, locked until the transaction ends. */
export async function openCustomers(
  tx: Tx,
  profileId: string,
  identifiers: readonly Identifier[],
  tombstones: Tombstones,
): Promise<KnownCustomers> {
  const distinct = [...new Map(identifiers.map((identifier) => [identifierKey(identifier), identifier])).values()];
  if (distinct.length === 0) return { customers: [], bindings: [], apart: [], erased: new Map() };
  const { rows } = await sql<Opened>`
    SELECT * FROM open_customers(
      ${profileId}, ${crc32(profileId) | 0}, ${stripesOf(distinct)}::int[],
      ${distinct.map(({ kind }) => kind)}::text[], ${distinct.map(({ value }) => value)}::text[],
      ${distinct.map((identifier) => tombstones.hashOf(profileId, nameOfIdentifier(identifier)))}::bytea[],
      ${strongIdentifierKinds}::text[])`.execute(tx);
  const { known, people, apart } = rows[0] ?? { known: null, people: null, apart: null };
  return {
    customers: (people ?? []).map((person) => ({
      ...person,
      nationalId: person.nationalId ?? undefined,
      isKeyed: person.ownKey !== null,
      createdAt: new Date(person.createdAt),
      firstSeenAt: new Date(person.firstSeenAt),
      lastSeenAt: new Date(person.lastSeenAt),
    })),
    bindings: (known ?? []).flatMap(({ kind, value, customerId, movedFrom }) =>
      customerId ? [{ kind, value, customerId, movedFrom }] : [],
    ),
    apart: apart ?? [],
    erased: new Map(
      (known ?? []).flatMap(({ erasedAt, wasStrong, wasKeyed, ...one }) =>
        erasedAt ? [[identifierKey(one), { erasedAt: new Date(erasedAt), wasStrong, wasKeyed }]] : [],
      ),
    ),
  };
}

interface Opened {
  readonly known: Found[] | null;
  readonly people: Json<KnownCustomer>[] | null;
  readonly apart: [string, string][] | null;
}

/** What is said of an identifier: who holds it, and whether it was somebody's who was erased. */
interface Found extends Identifier {
  readonly customerId: string | null;
  readonly movedFrom: string | null;
  readonly erasedAt: string | null;
  readonly wasStrong: boolean;
  readonly wasKeyed: boolean;
}

/** As JSON brings it. */
type Json<T> = { readonly [Key in keyof T]: T[Key] extends Date ? string : T[Key] };

const stripesOf = (identifiers: readonly Identifier[]): number[] =>
  [...new Set(identifiers.map((identifier) => crc32(identifierKey(identifier)) % stripes))].sort((a, b) => a - b);
