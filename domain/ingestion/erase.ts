import type { Cleared, ErasedPerson } from '@tributary/domain/customers';
import type { Tx } from '@tributary/postgres';
import { sql } from 'kysely';

/** Browsers go to the customer without a person, so that what they did still earns its part. Resolves to which they are. */
export async function eraseLinks(
  tx: Tx,
  { profileId, customerIds, shellId }: ErasedPerson,
): Promise<{ cleared: Cleared; visitorIds: string[] }> {
  const { rows } = await sql<{ id: string }>`
    UPDATE visitor_links SET customer_id = ${shellId}, moved_from = NULL
    WHERE profile_id = ${profileId} AND customer_id = ANY (${[...customerIds]}::uuid[]) RETURNING visitor_id AS id`.execute(
    tx,
  );
  return { cleared: { visitor_links: rows.length }, visitorIds: rows.map(({ id }) => id) };
}

export async function findVisitorsOf(tx: Tx, profileId: string, customerId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT visitor_id AS id FROM visitor_links WHERE profile_id = ${profileId} AND customer_id = ${customerId}`.execute(
    tx,
  );
  return rows.map(({ id }) => id);
}
