import type { Tx } from '@tributary/postgres';
import { sql } from 'kysely';

export interface RecordCounts {
  readonly records: number;
  readonly counted: number;
  readonly duplicates: number;
  readonly excluded: number;
  readonly pending: number;
}

/**
 * Payments of each source, and how many of them count. Records that the queue has seen come from its own index; those of a profile's only
 * source are counted in the ledger.
 */
export async function countRecords(
  tx: Tx,
  profileId: string,
  sources: readonly string[],
): Promise<ReadonlyMap<string, RecordCounts>> {
  const { rows } = await sql<RecordCounts & { source: string }>`
    WITH uncounted AS MATERIALIZED (
      SELECT o.id, o.uncounted, o.source || coalesce(':' || o.connection_id, '') AS source FROM outcome_meanings o
      WHERE o.profile_id = ${profileId} AND o.uncounted IS NOT NULL),
    known AS (${
      sources.length > 1
        ? sql`SELECT outcome_id AS id, source FROM sale_records WHERE profile_id = ${profileId}`
        : sql`SELECT o.id, o.source || coalesce(':' || o.connection_id, '') AS source FROM outcome_meanings o
            WHERE o.profile_id = ${profileId} AND o.is_cash_record AND o.amount > 0`
    })
    SELECT coalesce(k.source, u.source) AS source, count(*)::int AS records, count(*) FILTER (WHERE u.id IS NULL)::int AS counted,
      count(*) FILTER (WHERE u.uncounted = 'duplicate')::int AS duplicates, count(*) FILTER (WHERE u.uncounted = 'excluded')::int AS excluded,
      count(*) FILTER (WHERE u.uncounted = 'pending')::int AS pending
    FROM known k FULL JOIN uncounted u ON u.id = k.id GROUP BY 1`.execute(tx);
  return new Map(rows.map(({ source, ...counts }) => [source, counts]));
}
