import { crc32 } from 'node:zlib';
import type { Tx } from '@tributary/postgres';
import { type Binding, endOfPrefix, type Identifier, identifierKey, type SearchQuestion } from '@tributary/rules';
import { strongIdentifierKinds } from '@tributary/vocabulary';
import { sql } from 'kysely';
import type { BookChanges, CustomerRecord, Evidence, KnownCustomers } from './customer-book.ts';
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
  if (distinct.length === 0) return { customers: [], bindings: [], erased: new Map() };
  await lockStripes(tx, profileId, distinct);
  const hashes = distinct.map((identifier) => tombstones.hashOf(profileId, nameOfIdentifier(identifier)));
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const { bindings, erased } = await lookUp(tx, profileId, distinct, hashes);
    const ids = [...new Set(bindings.map(({ customerId }) => customerId))];
    if (ids.length === 0) return { bindings, erased, customers: [] };
    await sql`SAVEPOINT customers_read`.execute(tx);
    const customers = await lockCustomers(tx, ids);
    if (customers.length === ids.length) {
      await sql`RELEASE SAVEPOINT customers_read`.execute(tx);
      return { bindings, erased, customers: await withHoldings(tx, customers) };
    }
    // While we waited for one of them it was merged or erased. What we hold must go before we look again, or the order is lost.
    await sql`ROLLBACK TO SAVEPOINT customers_read`.execute(tx);
  }
  throw new Error('The customers of a batch did not hold still.');
}

async function lockStripes(tx: Tx, profileId: string, identifiers: readonly Identifier[]): Promise<void> {
  const wanted = [...new Set(identifiers.map((identifier) => crc32(identifierKey(identifier)) % stripes))].sort(
    (a, b) => a - b,
  );
  const profile = crc32(profileId) | 0;
  await sql`SELECT pg_advisory_xact_lock(${profile}, stripe) FROM unnest(${wanted}::int[]) AS stripe`.execute(tx);
}

/** Who holds each of them, and which of them were somebody's who was erased. One statement, so that an erasure is seen whole or not. */
async function lookUp(
  tx: Tx,
  profileId: string,
  identifiers: readonly Identifier[],
  hashes: readonly Buffer[],
): Promise<Pick<KnownCustomers, 'bindings' | 'erased'>> {
  const { rows } = await sql<Identifier & { customerId: string | null; erasedAt: Date | null; wasStrong: boolean }>`
    SELECT said.kind, said.value, i.customer_id AS "customerId", t.erased_at AS "erasedAt", t.was_strong AS "wasStrong"
    FROM unnest(${identifiers.map(({ kind }) => kind)}::text[], ${identifiers.map(({ value }) => value)}::text[], ${[...hashes]}::bytea[]) AS said (kind, value, hash)
    LEFT JOIN identifiers i ON i.profile_id = ${profileId} AND i.kind = said.kind AND i.value = said.value
    LEFT JOIN LATERAL (SELECT erased_at, was_strong FROM tombstones WHERE profile_id = ${profileId} AND hash = said.hash ORDER BY erased_at DESC LIMIT 1) t ON true
    WHERE i.customer_id IS NOT NULL OR t.erased_at IS NOT NULL`.execute(tx);
  return {
    bindings: rows.flatMap(({ kind, value, customerId }) => (customerId ? [{ kind, value, customerId }] : [])),
    erased: new Map(
      rows.flatMap(({ erasedAt, wasStrong, ...one }) =>
        erasedAt ? [[identifierKey(one), { erasedAt, wasStrong }]] : [],
      ),
    ),
  };
}

/** Who holds each of them; an identifier is always bound to a customer that is not merged away. */
export async function findBindings(tx: Tx, profileId: string, identifiers: readonly Identifier[]): Promise<Binding[]> {
  if (identifiers.length === 0) return [];
  const { rows } = await sql<Binding>`
    SELECT i.kind, i.value, i.customer_id AS "customerId"
    FROM unnest(${identifiers.map(({ kind }) => kind)}::text[], ${identifiers.map(({ value }) => value)}::text[]) AS said (kind, value)
    JOIN identifiers i ON i.profile_id = ${profileId} AND i.kind = said.kind AND i.value = said.value`.execute(tx);
  return rows;
}

async function lockCustomers(tx: Tx, ids: readonly string[]): Promise<CustomerRecord[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<CustomerRecord>`
    SELECT id, created_at AS "createdAt", first_name AS "firstName", last_name AS "lastName", primary_email AS "primaryEmail",
      primary_phone AS "primaryPhone", sources, terms, first_seen_at AS "firstSeenAt", last_seen_at AS "lastSeenAt"
    FROM customers WHERE id = ANY (${ids}::uuid[]) AND merged_into IS NULL
    ORDER BY id FOR NO KEY UPDATE`.execute(tx);
  return rows;
}

/** Asked only when the customers are locked: before, somebody could still have been giving them a national id. */
async function withHoldings(tx: Tx, customers: readonly CustomerRecord[]): Promise<KnownCustomers['customers']> {
  const { rows } = await sql<{ id: string; nationalId: string | null; isStrong: boolean }>`
    SELECT c.id,
      (SELECT i.value FROM identifiers i WHERE i.customer_id = c.id AND i.kind = 'national_id') AS "nationalId",
      EXISTS (SELECT FROM identifiers i WHERE i.customer_id = c.id AND i.kind = ANY (${strongIdentifierKinds}::text[])) AS "isStrong"
    FROM unnest(${customers.map(({ id }) => id)}::uuid[]) AS c (id)`.execute(tx);
  const holdings = new Map(rows.map((row) => [row.id, row]));
  return customers.map((customer) => {
    const { nationalId, isStrong } = holdings.get(customer.id) ?? { nationalId: null, isStrong: false };
    return { ...customer, nationalId: nationalId ?? undefined, isStrong };
  });
}

/** Whom each customer has become; those that there are not, or no longer, are missing, and so are those without a person. */
export async function findSurvivors(
  tx: Tx,
  profileId: string,
  customerIds: readonly string[],
): Promise<Map<string, string>> {
  if (customerIds.length === 0) return new Map();
  const { rows } = await sql<{ asked: string; id: string }>`
    WITH RECURSIVE chain AS (
      SELECT id AS asked, id, merged_into, erased_at FROM customers
      WHERE profile_id = ${profileId} AND id = ANY (${[...new Set(customerIds)]}::uuid[])
      UNION ALL
      SELECT chain.asked, c.id, c.merged_into, c.erased_at FROM chain
      JOIN customers c ON c.profile_id = ${profileId} AND c.id = chain.merged_into
    )
    SELECT asked, id FROM chain WHERE merged_into IS NULL AND erased_at IS NULL`.execute(tx);
  return new Map(rows.map(({ asked, id }) => [asked, id]));
}

/** The same, with the survivors locked against a merge and an erasure until the transaction ends. */
export async function lockSurvivors(
  tx: Tx,
  profileId: string,
  customerIds: readonly string[],
): Promise<Map<string, string>> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const survivors = await findSurvivors(tx, profileId, customerIds);
    const ids = [...new Set(survivors.values())];
    if (ids.length === 0) return survivors;
    // Where one was merged or erased while we waited for it, another look finds what became of it.
    if (await lockUnmerged(tx, profileId, ids)) return survivors;
  }
  throw new Error('The customers that some tokens name did not hold still.');
}

/** Locks customers against a merge and an erasure until the transaction ends. False where one is merged or gone by now. */
export async function lockUnmerged(tx: Tx, profileId: string, customerIds: readonly string[]): Promise<boolean> {
  const ids = [...new Set(customerIds)];
  const { rows } = await sql`
    SELECT FROM customers WHERE profile_id = ${profileId} AND id = ANY (${ids}::uuid[]) AND merged_into IS NULL
    ORDER BY id FOR SHARE`.execute(tx);
  return rows.length === ids.length;
}

/** Keeps whoever writes of these customers waiting until the transaction ends: their row is what writers lock, in the same order. */
export async function holdCustomers(tx: Tx, customerIds: readonly string[]): Promise<void> {
  await sql`SELECT FROM customers WHERE id = ANY (${customerIds}::uuid[]) ORDER BY id FOR NO KEY UPDATE`.execute(tx);
}

/** The caller's own key of each customer, where it has one: of several, one that no merge brought, and of those the first. */
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

/** Writes what a book took in; its customers were opened in this transaction. A handful of statements, however many rows. */
export async function saveCustomers(
  tx: Tx,
  profileId: string,
  changes: BookChanges,
  evidence: Evidence,
): Promise<void> {
  await saveRecords(tx, profileId, changes.customers);
  await saveLinks(tx, profileId, changes.links, evidence);
  await saveConflicts(tx, profileId, changes.conflicts, evidence);
  await saveMerges(tx, profileId, changes.merges, evidence);
}

async function saveRecords(tx: Tx, profileId: string, customers: BookChanges['customers']): Promise<void> {
  if (customers.length === 0) return;
  // As JSON, because unnest would flatten the lists inside the rows.
  await sql`
    INSERT INTO customers (profile_id, id, first_name, last_name, primary_email, primary_phone, sources, terms,
      first_seen_at, last_seen_at, created_at, own)
    SELECT ${profileId}, r.id, r."firstName", r."lastName", r."primaryEmail", r."primaryPhone", r.sources, r.terms,
      r."firstSeenAt", r."lastSeenAt", r."createdAt", r.own
    FROM jsonb_to_recordset(${JSON.stringify(customers)}::jsonb) AS r (id uuid, "firstName" text, "lastName" text,
      "primaryEmail" text, "primaryPhone" text, sources text[], terms text[], "firstSeenAt" timestamptz,
      "lastSeenAt" timestamptz, "createdAt" timestamptz, own jsonb)
    ON CONFLICT (profile_id, id) DO UPDATE SET first_name = excluded.first_name, last_name = excluded.last_name,
      primary_email = excluded.primary_email, primary_phone = excluded.primary_phone, sources = excluded.sources,
      terms = excluded.terms, first_seen_at = excluded.first_seen_at, last_seen_at = excluded.last_seen_at,
      own = coalesce(customers.own, excluded.own)`.execute(tx);
}

async function saveLinks(tx: Tx, profileId: string, links: BookChanges['links'], evidence: Evidence): Promise<void> {
  if (links.length === 0) return;
  await sql`
    INSERT INTO identifiers (profile_id, kind, value, customer_id, source, said_at, request_id)
    SELECT ${profileId}, kind, value, customer_id, ${evidence.source}, ${evidence.saidAt}, ${idOf(evidence)}::uuid
    FROM ${asRows(links)}`.execute(tx);
}

async function saveConflicts(
  tx: Tx,
  profileId: string,
  conflicts: BookChanges['conflicts'],
  evidence: Evidence,
): Promise<void> {
  if (conflicts.length === 0) return;
  await sql`
    INSERT INTO identity_conflicts (profile_id, kind, value, customer_id, source, said_at, request_id)
    SELECT ${profileId}, kind, value, customer_id, ${evidence.source}, ${evidence.saidAt}, ${idOf(evidence)}::uuid
    FROM ${asRows(conflicts)} ON CONFLICT DO NOTHING`.execute(tx);
}

/** After the links: those that the batch itself gave a loser move with the others. */
async function saveMerges(tx: Tx, profileId: string, merges: BookChanges['merges'], evidence: Evidence): Promise<void> {
  if (merges.length === 0) return;
  const losers = merges.map(({ loserId }) => loserId);
  await sql`
    UPDATE identifiers i SET customer_id = m.final, moved_from = coalesce(i.moved_from, i.customer_id)
    FROM unnest(${losers}::uuid[], ${merges.map(({ finalId }) => finalId)}::uuid[]) AS m (loser, final)
    WHERE i.customer_id = m.loser`.execute(tx);
  // Before the customers, whose triggers say by which merge conversions changed hands.
  await tx
    .insertInto('merges')
    .values(
      merges.map(({ loserId, survivorId, saidKinds }) => ({
        profile_id: profileId,
        loser_id: loserId,
        survivor_id: survivorId,
        merged_at: evidence.saidAt,
        source: evidence.source,
        request_id: idOf(evidence),
        said_kinds: [...saidKinds],
      })),
    )
    .execute();
  await sql`
    UPDATE customers c SET merged_into = m.survivor
    FROM unnest(${losers}::uuid[], ${merges.map(({ survivorId }) => survivorId)}::uuid[]) AS m (loser, survivor)
    WHERE c.id = m.loser`.execute(tx);
}

const asRows = (bindings: readonly Binding[]) => sql`unnest(
  ${bindings.map(({ kind }) => kind)}::text[],
  ${bindings.map(({ value }) => value)}::text[],
  ${bindings.map(({ customerId }) => customerId)}::uuid[]) AS b (kind, value, customer_id)`;

/** A request id is a UUID behind a prefix. */
const idOf = ({ requestId }: Evidence): string => requestId.replace(/^req_/, '');

export interface FoundCustomer {
  readonly id: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly primary_email: string | null;
  readonly primary_phone: string | null;
  readonly sources: string[];
  readonly first_seen_at: Date;
  readonly last_seen_at: Date;
}

/**
 * How much is read, whatever a prefix fits: customers under exactly what is asked for, the newest first, then those under what only
 * begins with it. The question as a whole needs enough for a page. Where that does not fill it, one of its words is followed,
 * the one that fits the fewest, and needs more, because only some of those fit the other words, too. So a search is complete
 * while the whole or one word of it fits fewer than this, and beyond that shows some of those it fits.
 */
const mostForQuestion = 200;
const mostForWord = 500;

export async function findCandidates(
  tx: Tx,
  { phrase, words }: SearchQuestion,
  exclude: string | undefined,
  limit: number,
): Promise<FoundCustomer[]> {
  const hitsOf = (asked: string, most: number) => sql`
    FROM ${sql.ref(asked)} CROSS JOIN LATERAL (
      (SELECT customer_id, true AS is_exact FROM search_terms WHERE term = low ORDER BY customer_id DESC LIMIT ${most})
      UNION ALL
      (SELECT customer_id, false FROM search_terms WHERE term > low AND term < high ORDER BY term, customer_id LIMIT ${most})
      LIMIT ${most}
    ) AS hit`;
  const { rows } = await sql<FoundCustomer>`
    WITH question AS (
      SELECT ${phrase}::text AS low, ${endOfPrefix(phrase)}::text AS high
    ), by_question AS MATERIALIZED (
      SELECT customer_id, CASE WHEN bool_or(is_exact) THEN 0 ELSE 1 END AS distance ${hitsOf('question', mostForQuestion)}
      GROUP BY customer_id
    ), word AS MATERIALIZED (
      SELECT * FROM unnest(${words}::text[], ${words.map(endOfPrefix)}::text[]) WITH ORDINALITY AS w (low, high, place)
      -- One more than a page: who is excluded may be among them.
      WHERE (SELECT count(*) FROM by_question) <= ${limit}
    ), by_word AS MATERIALIZED (
      SELECT place, customer_id, is_exact ${hitsOf('word', mostForWord)}
    ), rarest AS (
      SELECT place FROM word LEFT JOIN by_word USING (place) GROUP BY place
      ORDER BY count(customer_id), count(*) FILTER (WHERE is_exact), place LIMIT 1
    ), candidate AS (
      SELECT * FROM by_question
      UNION ALL
      SELECT DISTINCT customer_id, 2 FROM by_word
      WHERE place = (SELECT place FROM rarest) AND customer_id NOT IN (SELECT customer_id FROM by_question)
    )
    SELECT c.id, c.first_name, c.last_name, c.primary_email, c.primary_phone, c.sources, c.first_seen_at, c.last_seen_at
    FROM candidate JOIN customers c ON c.id = candidate.customer_id
    WHERE c.merged_into IS NULL AND c.id IS DISTINCT FROM ${exclude ?? null}::uuid
      AND (distance < 2 OR NOT EXISTS (
        SELECT FROM word WHERE NOT EXISTS (
          SELECT FROM unnest(c.terms) AS term WHERE term COLLATE "C" >= low AND term COLLATE "C" < high)))
    ORDER BY distance, c.last_seen_at DESC, c.id LIMIT ${limit}`.execute(tx);
  return rows;
}

export interface CustomerName {
  readonly id: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly email: string | null;
}

/** What people are called, for a page of them. */
export async function findNames(tx: Tx, customerIds: readonly string[]): Promise<Map<string, CustomerName>> {
  if (customerIds.length === 0) return new Map();
  const { rows } = await sql<CustomerName>`
    SELECT id, first_name AS "firstName", last_name AS "lastName", primary_email AS email
    FROM customers WHERE id = ANY (${[...new Set(customerIds)]}::uuid[])`.execute(tx);
  return new Map(rows.map((row) => [row.id, row]));
}
