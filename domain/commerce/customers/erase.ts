import type { Postgres, Tx } from '@tributary/postgres';
import type { Identifier } from '@tributary/rules';
import { weakIdentifierKinds } from '@tributary/vocabulary';
import { sql } from 'kysely';
import type { Cleared, ErasedPerson } from './erased-customer.ts';
import { findSurvivors } from './store.ts';

/** Ids of the customer, which the caller has locked, and of all customers merged into it, directly or not. */
export async function findMergedInto(tx: Tx, profileId: string, customerId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    WITH RECURSIVE family AS (
      SELECT id FROM customers WHERE profile_id = ${profileId} AND id = ${customerId}
      UNION ALL
      SELECT c.id FROM family JOIN customers c ON c.profile_id = ${profileId} AND c.merged_into = family.id
    )
    SELECT id FROM family`.execute(tx);
  return rows.map(({ id }) => id);
}

/** All identifiers of the customers, in the order in which they were stated. */
export async function findIdentifiers(
  tx: Tx,
  profileId: string,
  customerIds: readonly string[],
): Promise<Identifier[]> {
  const { rows } = await sql<Identifier>`
    SELECT kind, value FROM identifiers WHERE profile_id = ${profileId} AND customer_id = ANY (${[...customerIds]}::uuid[])
    ORDER BY said_at, kind, value`.execute(tx);
  return rows;
}

/** Emails and phones that these customers claim and another customer holds. */
export async function findClaims(tx: Tx, profileId: string, customerIds: readonly string[]): Promise<Identifier[]> {
  const { rows } = await sql<Identifier>`
    SELECT DISTINCT kind, value FROM identity_conflicts
    WHERE profile_id = ${profileId} AND customer_id = ANY (${[...customerIds]}::uuid[]) AND is_claim AND kind IN ('email', 'phone')
    ORDER BY kind, value`.execute(tx);
  return rows;
}

/** Customers other than the holder that claim an identifier, by their surviving ids, earliest claim first. */
export async function findClaimants(tx: Tx, profileId: string, { kind, value }: Identifier): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT customer_id AS id FROM identity_conflicts
    WHERE profile_id = ${profileId} AND kind = ${kind} AND value = ${value} ORDER BY said_at, customer_id LIMIT ${maxClaimants}`.execute(
    tx,
  );
  const survivors = await findSurvivors(
    tx,
    profileId,
    rows.map(({ id }) => id),
  );
  return [...new Set(rows.flatMap(({ id }) => survivors.get(id) ?? []))];
}

/** Enough to find a claimant other than the holder: customers merged into the holder have few claims. */
const maxClaimants = 100;

/** Kinds of identifiers that several people may share, such as an email or a phone. */
const sharedKinds: readonly string[] = ['email', ...weakIdentifierKinds];

/**
 * Moves shared identifiers of the erased customers to the earliest other claimant, as if that customer had been the first to use them.
 * Otherwise an erasure would take an email from a customer who is not erased.
 */
export async function handOverShared(tx: Tx, profileId: string, customerIds: readonly string[]): Promise<void> {
  await sql`
    WITH RECURSIVE claim AS (
      SELECT DISTINCT ON (c.kind, c.value) c.kind, c.value, c.customer_id, c.source, c.said_at, c.request_id
      FROM identifiers i JOIN identity_conflicts c ON c.profile_id = i.profile_id AND c.kind = i.kind AND c.value = i.value
      WHERE i.profile_id = ${profileId} AND i.customer_id = ANY (${[...customerIds]}::uuid[])
        AND i.kind = ANY (${sharedKinds}::text[]) AND c.customer_id <> ALL (${[...customerIds]}::uuid[])
      ORDER BY c.kind, c.value, c.said_at, c.customer_id
    ), chain AS (
      SELECT claim.customer_id AS claimant, c.id, c.merged_into FROM claim
      JOIN customers c ON c.profile_id = ${profileId} AND c.id = claim.customer_id
      UNION
      SELECT chain.claimant, c.id, c.merged_into FROM chain
      JOIN customers c ON c.profile_id = ${profileId} AND c.id = chain.merged_into
    ), moved AS (
      UPDATE identifiers i SET customer_id = chain.id, moved_from = nullif(claim.customer_id, chain.id), source = claim.source,
        said_at = claim.said_at, request_id = claim.request_id
      FROM claim JOIN chain ON chain.claimant = claim.customer_id AND chain.merged_into IS NULL
      WHERE i.profile_id = ${profileId} AND i.kind = claim.kind AND i.value = claim.value
      RETURNING i.kind, i.value, claim.customer_id
    )
    DELETE FROM identity_conflicts c USING moved
    WHERE c.profile_id = ${profileId} AND c.kind = moved.kind AND c.value = moved.value AND c.customer_id = moved.customer_id`.execute(
    tx,
  );
}

const pageSize = 5_000;

/** All identifiers of a profile, read page by page. */
export async function* walkIdentifiers(
  app: Postgres,
  profileId: string,
): AsyncIterable<Identifier & { readonly customerId: string }> {
  for (let last = { kind: '', value: '' }; ; ) {
    const { rows } = await app.forProfile(profileId).transaction(
      (tx) =>
        sql<Identifier & { customerId: string }>`
          SELECT kind, value, customer_id AS "customerId" FROM identifiers
          WHERE profile_id = ${profileId} AND (kind, value) > (${last.kind}, ${last.value})
          ORDER BY kind, value LIMIT ${pageSize}`.execute(tx),
      { readOnly: true },
    );
    yield* rows;
    const end = rows.at(-1);
    if (!end) return;
    last = end;
  }
}

/** Inserts a customer without personal data. Its timestamps are those of the erasure, so that they do not reveal when the customer came. */
export async function insertShell(tx: Tx, { profileId, shellId, at }: ErasedPerson): Promise<void> {
  await sql`
    INSERT INTO customers (profile_id, id, sources, terms, first_seen_at, last_seen_at, created_at, erased_at)
    VALUES (${profileId}, ${shellId}, '{}', '{}', ${at}, ${at}, ${at}, ${at})`.execute(tx);
}

/** Runs after all other modules: deleting the rows cascades to rows that still refer to them. */
export async function eraseCustomers(tx: Tx, { profileId, customerIds }: ErasedPerson): Promise<Cleared> {
  const ids = [...customerIds];
  const deleteFrom = async (table: string, condition: ReturnType<typeof sql>) =>
    Number(
      (await sql`DELETE FROM ${sql.table(table)} WHERE profile_id = ${profileId} AND ${condition}`.execute(tx))
        .numAffectedRows ?? 0,
    );
  const mentions = (column: string) => sql`${sql.ref(column)} = ANY (${ids}::uuid[])`;
  const identity_conflicts = await deleteFrom(
    'identity_conflicts',
    // Includes conflicts in which another customer claimed one of their identifiers.
    sql`(${mentions('customer_id')} OR (kind, value) IN (
      SELECT kind, value FROM identifiers WHERE profile_id = ${profileId} AND ${mentions('customer_id')}))`,
  );
  const eitherEnd = sql`(${mentions('one')} OR ${mentions('other')})`;
  const kept_apart = await deleteFrom('kept_apart', eitherEnd);
  const merge_proposals = await deleteFrom('merge_proposals', eitherEnd);
  const said_together = await deleteFrom('said_together', eitherEnd);
  // After an earlier merge was undone, a later one may reference a customer that is no longer part of it: point it at the two it named.
  await sql`
    UPDATE merges m SET loser_id = m.named_other, survivor_id = m.named_one
    WHERE m.profile_id = ${profileId} AND (${mentions('m.loser_id')} OR ${mentions('m.survivor_id')})
      AND NOT (${mentions('m.named_one')} OR ${mentions('m.named_other')})
      AND NOT EXISTS (
        SELECT FROM merges same WHERE same.profile_id = m.profile_id AND same.loser_id = m.named_other AND same.merged_at = m.merged_at)`.execute(
    tx,
  );
  const ends = ['loser_id', 'survivor_id', 'named_one', 'named_other'].map(mentions);
  const merges = await deleteFrom('merges', sql`(${sql.join(ends, sql` OR `)})`);
  const identifiers = await deleteFrom('identifiers', mentions('customer_id'));
  // A trigger deletes the search_terms.
  const customers = await deleteFrom('customers', mentions('id'));
  return { identity_conflicts, kept_apart, merge_proposals, said_together, merges, identifiers, customers };
}

/** Those of the customers that are erased. */
export async function findShells(tx: Tx, profileId: string, customerIds: readonly string[]): Promise<Set<string>> {
  if (customerIds.length === 0) return new Set();
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM customers WHERE profile_id = ${profileId} AND id = ANY (${[...customerIds]}::uuid[]) AND erased_at IS NOT NULL`.execute(
    tx,
  );
  return new Set(rows.map(({ id }) => id));
}
