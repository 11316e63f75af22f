import type { Schema, Tx } from '@tributary/postgres';
import type { Identifier } from '@tributary/rules';
import { identifierKindNames, identifierKinds } from '@tributary/vocabulary';
import { type Selectable, sql } from 'kysely';

export type StoredCustomer = Omit<Selectable<Schema['customers']>, 'profile_id' | 'terms' | 'own'> & {
  /** The customer's own facts, if it is one of several merged customers. */
  readonly own: {
    readonly firstName: string | null;
    readonly lastName: string | null;
    readonly firstSeenAt: string;
  } | null;
};
export type StoredIdentifier = Pick<Selectable<Schema['identifiers']>, 'kind' | 'value' | 'source' | 'said_at'>;

/** The surviving customer of an id, after merges. */
export async function findCustomer(tx: Tx, profileId: string, id: string): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    WITH RECURSIVE chain AS (
      SELECT id, merged_into FROM customers WHERE profile_id = ${profileId} AND id = ${id}
      UNION ALL
      SELECT c.id, c.merged_into FROM chain JOIN customers c ON c.profile_id = ${profileId} AND c.id = chain.merged_into
    )
    SELECT id FROM chain WHERE merged_into IS NULL`.execute(tx);
  return rows[0]?.id;
}

export async function findCustomerBy(
  tx: Tx,
  profileId: string,
  { kind, value }: Identifier,
): Promise<string | undefined> {
  const row = await tx
    .selectFrom('identifiers')
    .select('customer_id')
    .where('profile_id', '=', profileId)
    .where('kind', '=', kind)
    .where('value', '=', value)
    .executeTakeFirst();
  return row?.customer_id;
}

/** Name and contact data of a customer. */
export interface Contact {
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly email: string | null;
  readonly phone: string | null;
}

export async function findContacts(
  tx: Tx,
  profileId: string,
  customerIds: readonly string[],
): Promise<Map<string, Contact>> {
  if (customerIds.length === 0) return new Map();
  const rows = await tx
    .selectFrom('customers')
    .select(['id', 'first_name', 'last_name', 'primary_email as email', 'primary_phone as phone'])
    .where('profile_id', '=', profileId)
    .where('id', 'in', [...customerIds])
    .where('erased_at', 'is', null)
    .execute();
  return new Map(rows.map(({ id, ...contact }) => [id, contact]));
}

/** The strongest identifier of each customer; the older one of equal strength. */
export async function findStrongest(
  tx: Tx,
  profileId: string,
  customerIds: readonly string[],
): Promise<Map<string, Identifier>> {
  if (customerIds.length === 0) return new Map();
  const { rows } = await sql<Identifier & { customerId: string }>`
    SELECT DISTINCT ON (customer_id) customer_id AS "customerId", kind, value FROM identifiers
    WHERE profile_id = ${profileId} AND customer_id = ANY (${[...new Set(customerIds)]}::uuid[])
    ORDER BY customer_id, array_position(${byRank}::text[], kind), said_at, value`.execute(tx);
  return new Map(rows.map(({ customerId, ...identifier }) => [customerId, identifier]));
}
const byRank = identifierKindNames.toSorted((a, b) => identifierKinds[a].rank - identifierKinds[b].rank);

export interface PageOptions {
  readonly offset: number;
  readonly limit: number;
}

/** The customer, followed by all customers merged into it, directly or not. */
export async function listSamePerson(
  tx: Tx,
  profileId: string,
  customerId: string,
  { offset, limit }: PageOptions,
): Promise<StoredCustomer[]> {
  const { rows } = await sql<StoredCustomer>`
    WITH RECURSIVE same AS (
      SELECT 0 AS distance, id FROM customers WHERE profile_id = ${profileId} AND id = ${customerId}
      UNION ALL
      SELECT same.distance + 1, c.id FROM same JOIN customers c ON c.profile_id = ${profileId} AND c.merged_into = same.id
    )
    SELECT c.id, c.merged_into, c.first_name, c.last_name, c.primary_email, c.primary_phone, c.sources, c.first_seen_at,
      c.last_seen_at, c.created_at, c.own
    FROM same JOIN customers c ON c.profile_id = ${profileId} AND c.id = same.id
    ORDER BY same.distance, c.id LIMIT ${limit} OFFSET ${offset}`.execute(tx);
  return rows;
}

/** The customer's identifiers, in the order in which they were stated. */
export function listIdentifiers(
  tx: Tx,
  profileId: string,
  customerId: string,
  { offset, limit }: PageOptions,
): Promise<StoredIdentifier[]> {
  return tx
    .selectFrom('identifiers')
    .select(['kind', 'value', 'source', 'said_at'])
    .where('profile_id', '=', profileId)
    .where('customer_id', '=', customerId)
    .orderBy('said_at')
    .orderBy('kind')
    .orderBy('value')
    .limit(limit)
    .offset(offset)
    .execute();
}

/** Identifiers that were stated for the customer and that another customer holds. */
export function listDisputed(
  tx: Tx,
  profileId: string,
  customerId: string,
  { offset, limit }: PageOptions,
): Promise<StoredIdentifier[]> {
  return tx
    .selectFrom('identity_conflicts')
    .select(['kind', 'value', 'source', 'said_at'])
    .where('profile_id', '=', profileId)
    .where('customer_id', '=', customerId)
    .orderBy('said_at')
    .orderBy('kind')
    .orderBy('value')
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countHeld(
  tx: Tx,
  profileId: string,
  customerId: string,
): Promise<{ customers: number; identifiers: number; disputed: number }> {
  const { rows } = await sql<{ customers: number; identifiers: number; disputed: number }>`
    WITH RECURSIVE same AS (
      SELECT id FROM customers WHERE profile_id = ${profileId} AND id = ${customerId}
      UNION ALL
      SELECT c.id FROM same JOIN customers c ON c.profile_id = ${profileId} AND c.merged_into = same.id
    )
    SELECT (SELECT count(*) FROM same)::int AS customers,
      (SELECT count(*) FROM identifiers WHERE profile_id = ${profileId} AND customer_id = ${customerId})::int AS identifiers,
      (SELECT count(*) FROM identity_conflicts WHERE profile_id = ${profileId} AND customer_id = ${customerId})::int AS disputed`.execute(
    tx,
  );
  return rows[0] ?? { customers: 0, identifiers: 0, disputed: 0 };
}
