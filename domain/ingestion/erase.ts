import { type ClickHouse, raw } from '@tributary/clickhouse';
import type { Cleared, ErasedPerson, KnownPerson } from '@tributary/domain/customers';
import type { Tx } from '@tributary/postgres';
import { sql } from 'kysely';

/** Browsers go to the customer without a person, so that what they did still earns its part. */
export async function eraseLinks(
  tx: Tx,
  { profileId, customerIds, visitorIds, shellId }: KnownPerson,
): Promise<Cleared> {
  const { numAffectedRows = 0n } = await sql`
    UPDATE visitor_links SET customer_id = ${shellId}, moved_from = NULL
    WHERE profile_id = ${profileId} AND customer_id = ANY (${[...customerIds]}::uuid[])`.execute(tx);
  // One more than is known would be moved and not remembered as erased. Whoever links a browser locks the customer, so there is none.
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

/** Browsers of somebody who is being erased, of which no link tells. */
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

/** Every browser that visited a profile. */
export async function* walkVisitors(clickhouse: ClickHouse, profileId: string): AsyncIterable<string> {
  const asked = raw<{ id: string }>('SELECT DISTINCT visitor_id AS id FROM visits WHERE profile_id = {profileId:UUID}');
  for await (const { id } of clickhouse.stream(asked, { profileId })) yield id;
}
