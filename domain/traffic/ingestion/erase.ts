import { type ClickHouse, raw } from '@tributary/clickhouse';
import type { Cleared, ErasedCustomer, ErasedPerson } from '@tributary/domain/commerce/customers';
import type { Tx } from '@tributary/postgres';
import { sql } from 'kysely';

/** Moves the browsers of an erased customer to its anonymous customer, so that their touches keep their credit. */
export async function eraseLinks(
  tx: Tx,
  { profileId, customerIds, visitorIds, shellId }: ErasedCustomer,
): Promise<Cleared> {
  const { numAffectedRows = 0n } = await sql`
    UPDATE visitor_links SET customer_id = ${shellId}, moved_from = NULL
    WHERE profile_id = ${profileId} AND customer_id = ANY (${[...customerIds]}::uuid[])`.execute(tx);
  // A browser linked meanwhile would be moved without a tombstone. Linking locks the customer, so this cannot happen.
  if (Number(numAffectedRows) !== visitorIds.length) throw new Error('A browser came to a customer who is locked.');
  return { visitor_links: visitorIds.length };
}

export async function findVisitorsOf(tx: Tx, profileId: string, customerIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT visitor_id AS id FROM visitor_links
    WHERE profile_id = ${profileId} AND customer_id = ANY (${[...customerIds]}::uuid[]) ORDER BY visitor_id`.execute(
    tx,
  );
  return rows.map(({ id }) => id);
}

/** Links browsers without a link to the customer that is being erased. */
export async function linkVisitors(
  tx: Tx,
  { profileId, shellId, at }: ErasedPerson,
  visitorIds: readonly string[],
): Promise<void> {
  if (visitorIds.length === 0) return;
  await sql`
    INSERT INTO visitor_links (profile_id, visitor_id, customer_id, source, linked_at)
    SELECT ${profileId}, id, ${shellId}, 'identify', ${at} FROM unnest(${[...visitorIds]}::uuid[]) AS id
    ON CONFLICT DO NOTHING`.execute(tx);
}

/** Streams the id of every browser that visited a profile. */
export async function* walkVisitors(clickhouse: ClickHouse, profileId: string): AsyncIterable<string> {
  const query = raw<{ id: string }>('SELECT DISTINCT visitor_id AS id FROM visits WHERE profile_id = {profileId:UUID}');
  for await (const { id } of clickhouse.stream(query, { profileId })) yield id;
}
