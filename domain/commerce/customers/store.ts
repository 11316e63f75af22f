import type { Tx } from '@tributary/postgres';
import { type Binding, endOfPrefix, type Identifier, type SearchQuestion } from '@tributary/rules';
import type { IdentifierKind } from '@tributary/vocabulary';
import { sql } from 'kysely';

/** The holder of each identifier, which is never a customer that was merged away. */
export async function findBindings(tx: Tx, profileId: string, identifiers: readonly Identifier[]): Promise<Binding[]> {
  if (identifiers.length === 0) return [];
  const { rows } = await sql<Binding>`
    SELECT i.kind, i.value, i.customer_id AS "customerId"
    FROM unnest(${identifiers.map(({ kind }) => kind)}::text[], ${identifiers.map(({ value }) => value)}::text[]) AS stated (kind, value)
    JOIN identifiers i ON i.profile_id = ${profileId} AND i.kind = stated.kind AND i.value = stated.value`.execute(tx);
  return rows;
}

/** Maps each id to its surviving customer after merges. Unknown, deleted and erased ids are left out. */
export async function findSurvivors(
  tx: Tx,
  profileId: string,
  customerIds: readonly string[],
): Promise<Map<string, string>> {
  if (customerIds.length === 0) return new Map();
  const { rows } = await sql<{ requested: string; id: string }>`
    WITH RECURSIVE chain AS (
      SELECT id AS requested, id, merged_into, erased_at FROM customers
      WHERE profile_id = ${profileId} AND id = ANY (${[...new Set(customerIds)]}::uuid[])
      UNION ALL
      SELECT chain.requested, c.id, c.merged_into, c.erased_at FROM chain
      JOIN customers c ON c.profile_id = ${profileId} AND c.id = chain.merged_into
    )
    SELECT requested, id FROM chain WHERE merged_into IS NULL AND erased_at IS NULL`.execute(tx);
  return new Map(rows.map(({ requested, id }) => [requested, id]));
}

/** Like `findSurvivors`, but locks the survivors against merges and erasures until the transaction ends. */
export async function lockSurvivors(
  tx: Tx,
  profileId: string,
  customerIds: readonly string[],
): Promise<Map<string, string>> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const survivors = await findSurvivors(tx, profileId, customerIds);
    const ids = [...new Set(survivors.values())];
    if (ids.length === 0) return survivors;
    // A customer was merged, split or erased while this waited for the lock: read again.
    if (!(await lockUnmerged(tx, profileId, ids))) continue;
    const now = await findSurvivors(tx, profileId, customerIds);
    if ([...survivors].every(([requested, id]) => now.get(requested) === id)) return survivors;
  }
  throw new Error('The customers that some tokens name did not hold still.');
}

/** Locks customers against merges and erasures until the transaction ends. Returns false if one is merged or deleted by now. */
export async function lockUnmerged(tx: Tx, profileId: string, customerIds: readonly string[]): Promise<boolean> {
  const ids = [...new Set(customerIds)];
  const { rows } = await sql`
    SELECT FROM customers WHERE profile_id = ${profileId} AND id = ANY (${ids}::uuid[]) AND merged_into IS NULL
    ORDER BY id FOR SHARE`.execute(tx);
  return rows.length === ids.length;
}

/** Blocks other writers of these customers until the transaction ends. Writers lock the same rows in the same order. */
export async function blockCustomerWrites(tx: Tx, profileId: string, customerIds: readonly string[]): Promise<void> {
  await sql`
    SELECT FROM customers WHERE profile_id = ${profileId} AND id = ANY (${customerIds}::uuid[]) ORDER BY id FOR NO KEY UPDATE`.execute(
    tx,
  );
}

/** The caller's key of each customer. With several, prefers keys not moved by a merge, then the earliest. */
export async function findCustomerKeys(
  tx: Tx,
  profileId: string,
  customerIds: readonly string[],
): Promise<Map<string, string>> {
  if (customerIds.length === 0) return new Map();
  const rows = await tx
    .selectFrom('identifiers')
    .select(['customer_id', 'value'])
    .distinctOn('customer_id')
    .where('profile_id', '=', profileId)
    .where('kind', '=', 'external_customer_id')
    .where('customer_id', 'in', [...customerIds])
    .orderBy('customer_id')
    .orderBy(({ eb }) => eb('moved_from', 'is not', null))
    .orderBy('said_at')
    .orderBy('value')
    .execute();
  return new Map(rows.map((row) => [row.customer_id, row.value]));
}

/** Provider ids by customer and kind. With several of a kind, prefers ids not moved by a merge, then the earliest. */
export async function findProviderIds(
  tx: Tx,
  profileId: string,
  customerIds: readonly string[],
  kinds: readonly IdentifierKind[],
): Promise<(customerId: string, kind: IdentifierKind) => string | undefined> {
  if (customerIds.length === 0 || kinds.length === 0) return () => undefined;
  const rows = await tx
    .selectFrom('identifiers')
    .select(['customer_id', 'kind', 'value'])
    .distinctOn(['customer_id', 'kind'])
    .where('profile_id', '=', profileId)
    .where('kind', 'in', [...kinds])
    .where('customer_id', 'in', [...customerIds])
    .orderBy('customer_id')
    .orderBy('kind')
    .orderBy(({ eb }) => eb('moved_from', 'is not', null))
    .orderBy('said_at')
    .orderBy('value')
    .execute();
  const found = new Map(rows.map((row) => [`${row.customer_id}/${row.kind}`, row.value]));
  return (customerId, kind) => found.get(`${customerId}/${kind}`);
}

export interface FoundCustomer {
  readonly id: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly primary_email: string | null;
  readonly primary_phone: string | null;
  readonly sources: string[];
  readonly first_seen_at: Date;
  readonly last_seen_at: Date;
  /** 0: exact match; 1: starts with the search; 2: matches by its words. */
  readonly distance: number;
}

/**
 * Limits of rows read per search, however many customers match. Exact matches of the phrase are read first, newest first, then prefix matches.
 * If the phrase matches too few, the word with the fewest matches is read too, because only some of its customers match the other words.
 * A search is complete if the phrase or one of its words matches fewer customers than these limits, and partial otherwise.
 */
const maxPerPhrase = 1_000;
const maxPerWord = 500;

export async function findCandidates(
  tx: Tx,
  profileId: string,
  { phrase, words }: SearchQuestion,
  exclude: string | undefined,
): Promise<{ readonly found: FoundCustomer[]; readonly isComplete: boolean }> {
  const selectHits = (source: string, most: number) => sql`
    FROM ${sql.ref(source)} CROSS JOIN LATERAL (
      (SELECT customer_id, true AS is_exact FROM search_terms WHERE profile_id = ${profileId} AND term = low ORDER BY customer_id DESC LIMIT ${most})
      UNION ALL
      (SELECT customer_id, false FROM search_terms
        WHERE profile_id = ${profileId} AND term > low AND term < high ORDER BY term, customer_id LIMIT ${most})
      LIMIT ${most}
    ) AS hit`;
  const { rows } = await sql<FoundCustomer & { isComplete: boolean }>`
    WITH question AS (
      SELECT ${phrase}::text AS low, ${endOfPrefix(phrase)}::text AS high
    ), by_question AS MATERIALIZED (
      SELECT customer_id, CASE WHEN bool_or(is_exact) THEN 0 ELSE 1 END AS distance ${selectHits('question', maxPerPhrase)}
      GROUP BY customer_id
    ), word AS MATERIALIZED (
      SELECT * FROM unnest(${words}::text[], ${words.map(endOfPrefix)}::text[]) WITH ORDINALITY AS w (low, high, place)
      WHERE (SELECT count(*) FROM by_question) < ${maxPerPhrase}
    ), by_word AS MATERIALIZED (
      SELECT place, customer_id, is_exact ${selectHits('word', maxPerWord)}
    ), rarest AS (
      SELECT place FROM word LEFT JOIN by_word USING (place) GROUP BY place
      ORDER BY count(customer_id), count(*) FILTER (WHERE is_exact), place LIMIT 1
    ), candidate AS (
      SELECT * FROM by_question
      UNION ALL
      SELECT DISTINCT customer_id, 2 FROM by_word
      WHERE place = (SELECT place FROM rarest) AND customer_id NOT IN (SELECT customer_id FROM by_question)
    )
    SELECT c.id, c.first_name, c.last_name, c.primary_email, c.primary_phone, c.sources, c.first_seen_at, c.last_seen_at, distance,
      (SELECT count(*) FROM by_question) < ${maxPerPhrase}
        AND (SELECT count(*) FROM by_word WHERE place = (SELECT place FROM rarest)) < ${maxPerWord} AS "isComplete"
    FROM candidate JOIN customers c ON c.profile_id = ${profileId} AND c.id = candidate.customer_id
    WHERE c.merged_into IS NULL AND c.id IS DISTINCT FROM ${exclude ?? null}::uuid
      AND (distance < 2 OR NOT EXISTS (
        SELECT FROM word WHERE NOT EXISTS (
          SELECT FROM unnest(c.terms) AS term WHERE term COLLATE "C" >= low AND term COLLATE "C" < high)))
    ORDER BY distance, c.id`.execute(tx);
  return { found: rows, isComplete: rows[0]?.isComplete ?? true };
}

/** Names and first activity of customers. */
export async function findCustomerProfiles(
  tx: Tx,
  profileId: string,
  customerIds: readonly string[],
): Promise<Map<string, { readonly name: string | null; readonly firstSeenAt: Date }>> {
  if (customerIds.length === 0) return new Map();
  const { rows } = await sql<{ id: string; name: string | null; firstSeenAt: Date }>`
    SELECT id, nullif(concat_ws(' ', first_name, last_name), '') AS name, first_seen_at AS "firstSeenAt"
    FROM customers WHERE profile_id = ${profileId} AND id = ANY (${[...customerIds]}::uuid[])`.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}

export interface CustomerName {
  readonly id: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly email: string | null;
}

/** Names and emails of the customers of a page. */
export async function findNames(
  tx: Tx,
  profileId: string,
  customerIds: readonly string[],
): Promise<Map<string, CustomerName>> {
  if (customerIds.length === 0) return new Map();
  const { rows } = await sql<CustomerName>`
    SELECT id, first_name AS "firstName", last_name AS "lastName", primary_email AS email
    FROM customers WHERE profile_id = ${profileId} AND id = ANY (${[...new Set(customerIds)]}::uuid[])`.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}
