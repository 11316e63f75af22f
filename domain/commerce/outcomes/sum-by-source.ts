import type { Tx } from '@tributary/postgres';
import type { OutcomeSource } from '@tributary/vocabulary';
import { sql } from 'kysely';

interface Sum {
  readonly count: number;
  readonly value: string;
}

/** Payments reported by a source, with counts and sums by status. */
export interface SourceSums {
  readonly source: OutcomeSource;
  readonly connectionId: string | null;
  readonly currency: string;
  readonly records: Sum;
  readonly counted: Sum;
  readonly duplicates: Sum;
  readonly excluded: Sum;
  readonly pending: Sum;
}

/** Payments of a period by source. `records` is the total of counted, duplicate, excluded and pending payments. Refunds are not subtracted. */
export async function sumBySource(tx: Tx, profileId: string, from: Date, until: Date): Promise<SourceSums[]> {
  const sum = (condition: string) =>
    sql.raw(
      `json_build_object('count', count(*) FILTER (WHERE ${condition}), 'value', coalesce(sum(o.amount) FILTER (WHERE ${condition}), 0)::text)`,
    );
  const { rows } = await sql<SourceSums>`
    SELECT o.source, o.connection_id AS "connectionId", o.currency, ${sum('true')} AS records, ${sum('o.uncounted IS NULL')} AS counted,
      ${sum("o.uncounted = 'duplicate'")} AS duplicates, ${sum("o.uncounted = 'excluded'")} AS excluded, ${sum("o.uncounted = 'pending'")} AS pending
    FROM outcome_meanings o
    WHERE o.profile_id = ${profileId} AND o.occurred_at >= ${from} AND o.occurred_at < ${until} AND o.is_cash_record AND o.amount > 0
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`.execute(tx);
  return rows;
}
