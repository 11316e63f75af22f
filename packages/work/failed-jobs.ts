import type { UnboundLedger } from '@tributary/postgres';
import { sql } from 'kysely';

/** Jobs of a kind that used up their retries. */
export interface FailedJobs {
  readonly name: string;
  readonly count: number;
  readonly lastAt: Date;
}

/** The failed jobs since a time, read with the system role. pg-boss deletes them after some days. */
export async function listFailedJobs(system: UnboundLedger, since: Date): Promise<FailedJobs[]> {
  const { rows } = await system.query(sql<FailedJobs>`
    SELECT name, count(*)::int AS count, max(completed_on) AS "lastAt" FROM pgboss.job
    WHERE state = 'failed' AND completed_on >= ${since} GROUP BY name ORDER BY name LIMIT 100`);
  return rows;
}
