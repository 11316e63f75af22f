import type { Tx } from '@tributary/postgres';
import { sql } from 'kysely';

export async function countOutcomesOf(tx: Tx, profileId: string, customerIds: readonly string[]): Promise<number> {
  const { rows } = await sql<{ outcomes: number }>`
    SELECT count(*)::int AS outcomes FROM outcomes
    WHERE profile_id = ${profileId} AND customer_id = ANY (${[...customerIds]}::uuid[])`.execute(tx);
  return rows[0]?.outcomes ?? 0;
}

/** The number of outcomes per customer; customers without any are missing. */
export async function countOutcomesByCustomer(
  tx: Tx,
  profileId: string,
  customerIds: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; outcomes: number }>`
    SELECT customer_id AS id, count(*)::int AS outcomes FROM outcomes
    WHERE profile_id = ${profileId} AND customer_id = ANY (${[...customerIds]}::uuid[]) GROUP BY 1`.execute(tx);
  return new Map(rows.map(({ id, outcomes }) => [id, outcomes]));
}

/** The outcomes of a customer, by the merged customer they were recorded for. */
export async function countOutcomesByMember(
  tx: Tx,
  profileId: string,
  customerId: string,
  memberIds: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await sql<{ id: string; outcomes: number }>`
    SELECT CASE WHEN moved_from = ANY (${[...memberIds]}::uuid[]) THEN moved_from ELSE customer_id END AS id, count(*)::int AS outcomes
    FROM outcomes WHERE profile_id = ${profileId} AND customer_id = ${customerId} GROUP BY 1`.execute(tx);
  return new Map(rows.map(({ id, outcomes }) => [id, outcomes]));
}

/** Counts a customer's outcomes recorded since `since` whose messages contained no identifier. */
export async function countUnnamedSince(tx: Tx, profileId: string, customerId: string, since: Date): Promise<number> {
  const { rows } = await sql<{ outcomes: number }>`
    SELECT count(*)::int AS outcomes FROM outcomes
    WHERE profile_id = ${profileId} AND customer_id = ${customerId} AND recorded_at >= ${since}
      AND moved_from IS NULL AND named_kind IS NULL AND visitor_id IS NULL`.execute(tx);
  return rows[0]?.outcomes ?? 0;
}
