import type { UnboundLedger } from '@tributary/postgres';
import { sql } from 'kysely';

/** Counts invalid visits of all profiles. Includes replayed ones, which this database role cannot distinguish. */
export async function countBadVisits(
  system: UnboundLedger,
  since: Date,
  most: number,
): Promise<{ readonly visits: number; readonly profiles: number }> {
  const { rows } = await system.query(sql<{ visits: number; profiles: number }>`
    SELECT count(*)::int AS visits, count(DISTINCT profile_id)::int AS profiles
    FROM (SELECT profile_id FROM bad_visits WHERE received_at >= ${since} LIMIT ${most}) recent`);
  return rows[0] ?? { visits: 0, profiles: 0 };
}
