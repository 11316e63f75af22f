import type { Tx } from '@tributary/postgres';
import { limits } from '@tributary/vocabulary';
import { sql } from 'kysely';

/**
 * Counted payments of a period by region. Falls back to the region of a duplicate, because the business reports a region and a provider does not.
 */
export async function countByRegion(
  tx: Tx,
  profileId: string,
  from: Date,
  until: Date,
): Promise<{ region: string; payments: number }[]> {
  const { rows } = await sql<{ region: string; payments: number }>`
    SELECT s.region, count(*)::int AS payments
    FROM (
      SELECT DISTINCT ON (coalesce(o.duplicate_of, o.id)) coalesce(o.duplicate_of, o.id) AS id, o.region FROM outcomes o
      WHERE o.profile_id = ${profileId} AND o.occurred_at >= ${from} AND o.occurred_at < ${until} AND o.region IS NOT NULL
      ORDER BY coalesce(o.duplicate_of, o.id), o.duplicate_of IS NOT NULL, o.id) s
    JOIN outcome_meanings m ON m.profile_id = ${profileId} AND m.id = s.id
    WHERE m.counts_as_cash
    GROUP BY s.region ORDER BY payments DESC, s.region LIMIT ${limits.experiments.regions.max}`.execute(tx);
  return rows;
}
