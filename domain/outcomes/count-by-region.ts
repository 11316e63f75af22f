import type { Tx } from '@tributary/postgres';
import { limits } from '@tributary/vocabulary';
import { sql } from 'kysely';

/** Payments of some days by the region that they were told with. Those without one are nobody's. */
export async function countByRegion(
  tx: Tx,
  profileId: string,
  from: Date,
  until: Date,
): Promise<{ region: string; payments: number }[]> {
  const { rows } = await sql<{ region: string; payments: number }>`
    SELECT o.region, count(*)::int AS payments
    FROM outcomes o
    JOIN outcome_meanings m ON m.profile_id = o.profile_id AND m.id = o.id
    WHERE o.profile_id = ${profileId} AND o.occurred_at >= ${from} AND o.occurred_at < ${until}
      AND o.region IS NOT NULL AND m.counts_as_cash AND m.occurred_at >= ${from} AND m.occurred_at < ${until}
    GROUP BY o.region ORDER BY payments DESC, o.region LIMIT ${limits.experiments.regions.max}`.execute(tx);
  return rows;
}
