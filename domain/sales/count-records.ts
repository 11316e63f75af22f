import { listNewestPayments } from '@tributary/domain/outcomes';
import type { Tx } from '@tributary/postgres';
import { limits } from '@tributary/vocabulary';
import { sql } from 'kysely';

export interface RecordCounts {
  readonly records: number;
  readonly counted: number;
  readonly duplicates: number;
  readonly excluded: number;
  readonly pending: number;
  /** The source reported more payments; the counts are of the newest ones. */
  readonly has_more: boolean;
}

/**
 * The newest payments of each source, and how many of them count. With several sources they come from the index of the matching; those of
 * a profile's only source, which the matching does not read, come from the ledger.
 */
export async function countRecords(
  tx: Tx,
  profileId: string,
  sources: readonly string[],
  most: number = limits.sales.countedPerSource,
): Promise<ReadonlyMap<string, RecordCounts>> {
  const newest =
    sources.length > 1
      ? sql`
        SELECT s.source, r.outcome_id AS id, row_number() OVER (PARTITION BY s.source ORDER BY r.occurred_at DESC) AS n
        FROM unnest(${[...sources]}::text[]) AS s (source) CROSS JOIN LATERAL (
          SELECT outcome_id, occurred_at FROM sale_records r WHERE r.profile_id = ${profileId} AND r.source = s.source
          ORDER BY occurred_at DESC LIMIT ${most + 1}) r`
      : sql`SELECT ${sources[0] ?? ''} AS source, id, row_number() OVER () AS n
          FROM unnest(${await listNewestPayments(tx, profileId, most + 1)}::uuid[]) AS id`;
  // Without OFFSET 0 the planner may read all payments of the profile for the join.
  const { rows } = await sql<RecordCounts & { source: string }>`
    WITH newest AS MATERIALIZED (${newest})
    SELECT n.source, count(*)::int AS records, count(*) FILTER (WHERE o.uncounted IS NULL)::int AS counted,
      count(*) FILTER (WHERE o.uncounted = 'duplicate')::int AS duplicates, count(*) FILTER (WHERE o.uncounted = 'excluded')::int AS excluded,
      count(*) FILTER (WHERE o.uncounted = 'pending')::int AS pending,
      EXISTS (SELECT FROM newest more WHERE more.source = n.source AND more.n > ${most}) AS has_more
    FROM newest n CROSS JOIN LATERAL (
      SELECT uncounted FROM outcome_meanings o WHERE o.profile_id = ${profileId} AND o.id = n.id OFFSET 0) o
    WHERE n.n <= ${most} GROUP BY n.source`.execute(tx);
  return new Map(rows.map(({ source, ...counts }) => [source, counts]));
}
