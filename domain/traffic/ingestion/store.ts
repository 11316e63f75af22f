import { lockUnmerged } from '@tributary/domain/commerce/customers';
import { type Postgres, runPerServer, type Tx, type UnboundLedger } from '@tributary/postgres';
import { nilUuid, type VisitorLinkSource } from '@tributary/vocabulary';
import { sql } from 'kysely';

/** The data of a profile that the pipeline needs. */
export interface VisitProfile {
  readonly id: string;
  readonly ownHosts: readonly string[];
  readonly redirectHosts: readonly string[];
  /** Whether any customer of the profile was ever erased. */
  readonly hasErased: boolean;
}

/** Step 2: finds profiles by id. Deleted profiles are missing, and their visits are dropped. */
export async function findProfiles(postgres: Postgres, ids: readonly string[]): Promise<Map<string, VisitProfile>> {
  const distinct = [...new Set(ids)];
  const found = await findOnCachedServers(postgres, distinct);
  // A profile missing on its cached server may have moved; only one that no server has was deleted.
  const missing = postgres.shards.size > 1 ? distinct.filter((id) => !found.has(id)) : [];
  if (missing.length === 0) return found;
  await Promise.all(missing.map((id) => postgres.shardOf(id, true)));
  return new Map([...found, ...(await findOnCachedServers(postgres, missing))]);
}

async function findOnCachedServers(postgres: Postgres, ids: readonly string[]): Promise<Map<string, VisitProfile>> {
  const lookups = ids.map((profileId) => ({ profileId }));
  const found = await runPerServer(postgres, lookups, async (server, batch) => {
    const { rows } = await server.query(sql<VisitProfile>`
      SELECT profile_id AS id, own_hosts AS "ownHosts", redirect_hosts AS "redirectHosts",
        has_erased AS "hasErased"
      FROM find_visit_profiles(${batch.map(({ profileId }) => profileId)}::uuid[])`);
    return rows;
  });
  return new Map(found.flat().map((row) => [row.id, row]));
}

/** Returns when the browser of each hash was erased, by hash in hexadecimal. */
export async function findErasedHashes(
  postgres: Postgres,
  lookups: readonly { readonly profileId: string; readonly hash: Buffer }[],
): Promise<Map<string, Date>> {
  const found = await runPerServer(postgres, lookups, async (server, batch) => {
    const { rows } = await server.query(sql<{ hash: Buffer; erasedAt: Date }>`
      SELECT hash, erased_at AS "erasedAt"
      FROM find_tombstones(${batch.map(({ profileId }) => profileId)}::uuid[], ${batch.map(({ hash }) => hash)}::bytea[])`);
    return rows;
  });
  return new Map(found.flat().map(({ hash, erasedAt }) => [hash.toString('hex'), erasedAt]));
}

export interface VisitorLink {
  readonly visitorId: string;
  readonly customerId: string;
  readonly source: VisitorLinkSource;
  readonly linkedAt: Date;
  /** Whether the shop's server signed the claim. */
  readonly isSigned: boolean;
  /** The customer whom the claim named, if that one was merged into this customer before. */
  readonly saidOf?: string | undefined;
}

/** Inserts links and resolves to the new ones. A link that another worker inserted first stays. */
export async function insertLinks(tx: Tx, profileId: string, links: readonly VisitorLink[]): Promise<VisitorLink[]> {
  if (links.length === 0) return [];
  const ordered = links.toSorted((a, b) => (a.visitorId < b.visitorId ? -1 : 1));
  const { rows } = await sql<{ visitorId: string }>`
    INSERT INTO visitor_links (profile_id, visitor_id, customer_id, source, linked_at, is_signed, moved_from)
    SELECT ${profileId}, * FROM unnest(${ordered.map(({ visitorId }) => visitorId)}::uuid[],
      ${ordered.map(({ customerId }) => customerId)}::uuid[], ${ordered.map(({ source }) => source)}::text[],
      ${ordered.map(({ linkedAt }) => linkedAt)}::timestamptz[], ${ordered.map((link) => link.isSigned)}::boolean[],
      ${ordered.map(({ saidOf, customerId }) => (saidOf === customerId ? null : (saidOf ?? null)))}::uuid[])
    ON CONFLICT (profile_id, visitor_id) DO NOTHING RETURNING visitor_id AS "visitorId"`.execute(tx);
  const fresh = new Set(rows.map(({ visitorId }) => visitorId));
  return links.filter(({ visitorId }) => fresh.has(visitorId));
}

/** Finds the customers of visitors and locks these customers against merges until the transaction ends. */
export async function lockLinkedCustomers(
  tx: Tx,
  profileId: string,
  visitorIds: readonly string[],
): Promise<Map<string, string>> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const holders = await findHolders(tx, profileId, visitorIds);
    if (holders.size === 0) return holders;
    // Retries, because a merge or its undoing during the wait moves the link.
    if (!(await lockUnmerged(tx, profileId, [...holders.values()]))) continue;
    const now = await findHolders(tx, profileId, visitorIds);
    if ([...holders].every(([visitorId, customerId]) => now.get(visitorId) === customerId)) return holders;
  }
  throw new Error('The customers of a batch of visits did not hold still.');
}

export interface BadVisitRow {
  readonly id: string;
  readonly reason: string;
  readonly sealed: Buffer;
  readonly receivedAt: string | Date;
}

/** Locks a day's counter until the transaction ends and returns the bytes of invalid visits stored for that day. */
export async function lockBadDay(tx: Tx, profileId: string, day: string): Promise<number> {
  const { rows } = await sql<{ bytes: string }>`
    INSERT INTO bad_visit_days AS d (profile_id, day, bytes) VALUES (${profileId}, ${day}, 0)
    ON CONFLICT (profile_id, day) DO UPDATE SET bytes = d.bytes RETURNING bytes`.execute(tx);
  return Number(rows[0]?.bytes);
}

export async function addBadBytes(tx: Tx, profileId: string, day: string, bytes: number): Promise<void> {
  if (bytes > 0)
    await sql`
      UPDATE bad_visit_days SET bytes = bytes + ${bytes} WHERE profile_id = ${profileId} AND day = ${day}`.execute(tx);
}

/** Uses arrays, because a statement takes at perCustomer 65,535 parameters. Resolves to the bytes inserted. */
export async function insertBadVisits(
  tx: Tx,
  profileId: string,
  visits: readonly (Omit<BadVisitRow, 'sealed'> & { readonly sealed: Buffer | null })[],
): Promise<number> {
  if (visits.length === 0) return 0;
  const ordered = visits.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const { rows } = await sql<{ bytes: number | null }>`
    INSERT INTO bad_visits (profile_id, id, reason, sealed, received_at)
    SELECT ${profileId}, * FROM unnest(${ordered.map(({ id }) => id)}::uuid[], ${ordered.map(({ reason }) => reason)}::text[],
      ${ordered.map(({ sealed }) => sealed)}::bytea[], ${ordered.map(({ receivedAt }) => receivedAt)}::timestamptz[])
    ON CONFLICT (profile_id, id) DO NOTHING RETURNING octet_length(sealed) AS bytes`.execute(tx);
  return rows.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
}

/**
 * Stores refused visits by day and reason. Each collector process reports its running total, so the highest report
 * counts.
 */
export async function saveRefused(
  tx: Tx,
  profileId: string,
  reports: readonly {
    readonly day: string;
    readonly reason: string;
    readonly teller: string;
    readonly visits: number;
  }[],
): Promise<void> {
  await sql`
    INSERT INTO refused_visits AS r (profile_id, day, reason, teller, visits)
    SELECT ${profileId}, day, reason, teller, max(visits) FROM unnest(${reports.map(({ day }) => day)}::date[],
      ${reports.map(({ reason }) => reason)}::text[], ${reports.map(({ teller }) => teller)}::uuid[],
      ${reports.map(({ visits }) => visits)}::bigint[]) AS reports (day, reason, teller, visits)
    GROUP BY day, reason, teller ORDER BY day, reason, teller
    ON CONFLICT (profile_id, day, reason, teller) DO UPDATE SET visits = greatest(r.visits, excluded.visits)`.execute(
    tx,
  );
}

export async function countBadVisits(tx: Tx, profileId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('bad_visits')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('profile_id', '=', profileId)
    .where('replayed_at', 'is', null)
    .where('sealed', 'is not', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Counts visits that collectors refused, by day (UTC) and reason. */
export async function countRefusedByDay(
  tx: Tx,
  profileId: string,
  firstDay: string,
  lastDay: string,
): Promise<{ day: string; reason: string; visits: number }[]> {
  const { rows } = await sql<{ day: string; reason: string; visits: string }>`
    SELECT day::text, reason, sum(visits) AS visits FROM refused_visits
    WHERE profile_id = ${profileId} AND day BETWEEN ${firstDay} AND ${lastDay} GROUP BY 1, 2`.execute(tx);
  return rows.map((row) => ({ ...row, visits: Number(row.visits) }));
}

/** Counts unreplayed invalid visits by day of arrival in the profile's time zone, and by reason. */
export async function countBadVisitsByDay(
  tx: Tx,
  profileId: string,
  { timeZone, from, until }: { readonly timeZone: string; readonly from: Date; readonly until: Date },
): Promise<{ day: string; reason: string; visits: number }[]> {
  const { rows } = await sql<{ day: string; reason: string; visits: string }>`
    SELECT (received_at AT TIME ZONE ${timeZone})::date::text AS day, reason, count(*) AS visits
    FROM bad_visits
    WHERE profile_id = ${profileId} AND received_at >= ${from} AND received_at < ${until} AND replayed_at IS NULL
    GROUP BY 1, 2`.execute(tx);
  return rows.map((row) => ({ ...row, visits: Number(row.visits) }));
}

/** Reads the next page of invalid visits, by default those not replayed yet, in order of arrival. */
export async function readBadVisits(
  tx: Tx,
  profileId: string,
  after: BadVisitRow | undefined,
  limit: number,
  { withReplayed = false } = {},
): Promise<(BadVisitRow & { readonly receivedAt: Date })[]> {
  const { rows } = await sql<BadVisitRow & { receivedAt: Date }>`
    SELECT id, reason, sealed, received_at AS "receivedAt" FROM bad_visits
    WHERE profile_id = ${profileId} AND sealed IS NOT NULL AND (${withReplayed} OR replayed_at IS NULL)
      AND (received_at, id) > (${after?.receivedAt ?? new Date(0)}::timestamptz, ${after?.id ?? nilUuid}::uuid)
    ORDER BY received_at, id LIMIT ${limit}`.execute(tx);
  return rows;
}

export async function markReplayed(tx: Tx, profileId: string, ids: readonly string[], now: Date): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    UPDATE bad_visits SET replayed_at = ${now}
    WHERE profile_id = ${profileId} AND id = ANY (${[...ids]}::uuid[])`.execute(tx);
}

/** Marks conversions for the touches of all profiles in one call. Resolves to the number of marked conversions. */
export async function markTouchedConversions(
  ledger: UnboundLedger,
  touches: readonly { readonly profileId: string; readonly visitorId: string; readonly at: string }[],
): Promise<number> {
  const { rows } = await ledger.query(sql<{ marked: string }>`
    SELECT mark_touched(${touches.map(({ profileId }) => profileId)}::uuid[], ${touches.map(({ visitorId }) => visitorId)}::uuid[],
      ${touches.map(({ at }) => at)}::timestamptz[]) AS marked`);
  return Number(rows[0]?.marked ?? 0);
}

/** A browser linked to a customer, and the source of the link. */
export interface LinkedBrowser {
  readonly visitor_id: string;
  readonly source: string;
  readonly is_signed: boolean;
  readonly linked_at: Date;
}

/** Lists the browsers of a customer, the latest linked first. */
export function listBrowsers(
  tx: Tx,
  profileId: string,
  customerId: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<LinkedBrowser[]> {
  return tx
    .selectFrom('visitor_links')
    .select(['visitor_id', 'source', 'is_signed', 'linked_at'])
    .where('profile_id', '=', profileId)
    .where('customer_id', '=', customerId)
    .orderBy('linked_at', 'desc')
    .orderBy('visitor_id')
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countBrowsers(tx: Tx, profileId: string, customerId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('visitor_links')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('profile_id', '=', profileId)
    .where('customer_id', '=', customerId)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Counts the browsers of a customer by the customer to whom they were linked before merges. */
export async function countBrowsersByOrigin(
  tx: Tx,
  profileId: string,
  customerId: string,
): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; browsers: number }>`
    SELECT coalesce(moved_from, customer_id) AS id, count(*)::int AS browsers FROM visitor_links
    WHERE profile_id = ${profileId} AND customer_id = ${customerId} GROUP BY 1`.execute(tx);
  return new Map(rows.map(({ id, browsers }) => [id, browsers]));
}

/** Finds the customers of browsers; unlinked browsers are missing. */
export async function findHolders(
  tx: Tx,
  profileId: string,
  visitorIds: readonly string[],
): Promise<Map<string, string>> {
  if (visitorIds.length === 0) return new Map();
  const { rows } = await sql<{ visitorId: string; customerId: string }>`
    SELECT visitor_id AS "visitorId", customer_id AS "customerId" FROM visitor_links
    WHERE profile_id = ${profileId} AND visitor_id = ANY (${[...new Set(visitorIds)]}::uuid[])`.execute(tx);
  return new Map(rows.map(({ visitorId, customerId }) => [visitorId, customerId]));
}

/** Lists linked browsers, ordered by id. */
export async function listLinkedVisitors(tx: Tx, profileId: string, limit: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('visitor_links')
    .select('visitor_id')
    .where('profile_id', '=', profileId)
    .orderBy('visitor_id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.visitor_id);
}

/** Finds the browsers of customers, the latest linked ones up to a limit per customer. */
export async function findLatestBrowsers(
  tx: Tx,
  profileId: string,
  customerIds: readonly string[],
  perCustomer: number,
): Promise<{ customerId: string; visitorId: string }[]> {
  const { rows } = await sql<{ customerId: string; visitorId: string }>`
    SELECT c.id AS "customerId", l.visitor_id AS "visitorId" FROM unnest(${customerIds}::uuid[]) AS c (id)
    CROSS JOIN LATERAL (
      SELECT visitor_id FROM visitor_links
      WHERE profile_id = ${profileId} AND customer_id = c.id ORDER BY linked_at DESC, visitor_id LIMIT ${perCustomer}) l`.execute(
    tx,
  );
  return rows;
}
