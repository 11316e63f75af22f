import { listNewestPayments } from '@tributary/domain/commerce/outcomes';
import type { Tx } from '@tributary/postgres';
import { limits } from '@tributary/vocabulary';
import { sql } from 'kysely';

export interface RecordCounts {
  readonly records: number;
  readonly counted: number;
  readonly duplicates: number;
  readonly excluded: number;
  readonly pending: number;
  /** True if the source has more payments than were counted; the counts cover the newest ones. */
  readonly has_more: boolean;
}

/**
 * Counts the newest payments of each source by whether they count. With several sources they are read from
 * `sale_records`. A profile's only source has no rows there, so its payments are read from the ledger.
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
  // OFFSET 0 keeps the lookup by key: otherwise the planner may read all payments of the profile for the join.
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
