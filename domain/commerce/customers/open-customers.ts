import { crc32 } from 'node:zlib';
import type { Tx } from '@tributary/postgres';
import { type Identifier, identifierKey } from '@tributary/rules';
import { strongIdentifierKinds } from '@tributary/vocabulary';
import { sql } from 'kysely';
import type { ExistingCustomer, OpenedCustomers } from './customer-book.ts';
import { nameOfIdentifier, type Tombstones } from './tombstones.ts';

/**
 * Lock order of all writers of identities, to prevent deadlocks:
 *
 * 1. The lock stripes of the message's identifiers, sorted, in one statement. They prevent two writers from creating the same identifier,
 *    which no row lock can.
 * 2. The customers that hold these identifiers, sorted, in one statement. They block a concurrent merge, which also moves identifiers that
 *    its message does not contain.
 *
 * A writer then writes only rows it has locked.
 */

// The default size of PostgreSQL's lock table per connection. One lock for each of a batch's 4,000 identifiers would exhaust its shared memory
// with the second batch.
const stripes = 64;

/** Loads all data that the identifiers concern, locked until the transaction ends. */
export async function openCustomers(
  tx: Tx,
  profileId: string,
  identifiers: readonly Identifier[],
  tombstones: Tombstones,
): Promise<OpenedCustomers> {
  const distinct = [...new Map(identifiers.map((identifier) => [identifierKey(identifier), identifier])).values()];
  if (distinct.length === 0) return { customers: [], bindings: [], apart: [], erased: new Map() };
  const { rows } = await sql<OpenCustomersRow>`
    SELECT * FROM open_customers(
      ${profileId}, ${crc32(profileId) | 0}, ${stripesOf(distinct)}::int[],
      ${distinct.map(({ kind }) => kind)}::text[], ${distinct.map(({ value }) => value)}::text[],
      ${distinct.map((identifier) => tombstones.hashOf(profileId, nameOfIdentifier(identifier)))}::bytea[],
      ${strongIdentifierKinds}::text[])`.execute(tx);
  const { known: found, people: customers, apart } = rows[0] ?? { known: null, people: null, apart: null };
  return {
    customers: (customers ?? []).map((customer) => ({
      ...customer,
      nationalId: customer.nationalId ?? undefined,
      isKeyed: customer.ownKey !== null,
      createdAt: new Date(customer.createdAt),
      firstSeenAt: new Date(customer.firstSeenAt),
      lastSeenAt: new Date(customer.lastSeenAt),
    })),
    bindings: (found ?? []).flatMap(({ kind, value, customerId, movedFrom }) =>
      customerId ? [{ kind, value, customerId, movedFrom }] : [],
    ),
    apart: apart ?? [],
    erased: new Map(
      (found ?? []).flatMap(({ erasedAt, wasStrong, wasKeyed, ...one }) =>
        erasedAt ? [[identifierKey(one), { erasedAt: new Date(erasedAt), wasStrong, wasKeyed }]] : [],
      ),
    ),
  };
}

interface OpenCustomersRow {
  readonly known: FoundIdentifier[] | null;
  readonly people: Json<ExistingCustomer>[] | null;
  readonly apart: [string, string][] | null;
}

/** The holder of an identifier, and the erasure of its former holder, if any. */
interface FoundIdentifier extends Identifier {
  readonly customerId: string | null;
  readonly movedFrom: string | null;
  readonly erasedAt: string | null;
  readonly wasStrong: boolean;
  readonly wasKeyed: boolean;
}

/** The type after a JSON round trip. */
type Json<T> = { readonly [Key in keyof T]: T[Key] extends Date ? string : T[Key] };

const stripesOf = (identifiers: readonly Identifier[]): number[] =>
  [...new Set(identifiers.map((identifier) => crc32(identifierKey(identifier)) % stripes))].sort((a, b) => a - b);
