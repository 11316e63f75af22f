import type { UnboundLedger } from '@tributary/postgres';
import { sql } from 'kysely';

/** Jobs of a kind that failed for good: their retries are used up. */
export interface FailedJobs {
  readonly name: string;
  readonly count: number;
  readonly lastAt: Date;
}

/** Those of the time since, as the system role sees them. What failed is kept for some days and then forgotten. */
export async function listFailedJobs(system: UnboundLedger, since: Date): Promise<FailedJobs[]> {
  const { rows } = await system.query(sql<FailedJobs>`
    SELECT name, count(*)::int AS count, max(completed_on) AS "lastAt" FROM pgboss.job
    WHERE state = 'failed' AND completed_on >= ${since} GROUP BY name ORDER BY name LIMIT 100`);
  return rows;
}
