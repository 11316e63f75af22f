import { Readable } from 'node:stream';
import type { ClickHouse, TableName } from '@tributary/clickhouse';
import type { Postgres } from '@tributary/postgres';
import { currencies } from '@tributary/rules';
import { nilUuid } from '@tributary/vocabulary';
import type { KeyItems } from '@tributary/work';
import {
  conversionColumns,
  conversionValues,
  definition,
  isEligible,
  linkColumns,
  minorUnits,
  partnerTouch,
  touchColumns,
  touchValues,
} from './ledger-rows.ts';

/** The ledger's rows of one profile in a batch. */
export interface StagedProfile {
  readonly is_served: boolean;
  readonly dirty: readonly { readonly id: string; readonly revision: string }[] | null;
  /** Some conversion was withdrawn or moved in time. */
  readonly has_buried: boolean;
  /** Definitions for which conversion.attributed was not published yet. */
  readonly unstamped: readonly string[] | null;
  /** Lines of JSON for ClickHouse. */
  readonly conversions: string | null;
  readonly links: string | null;
  readonly touches: string | null;
}

/** Reads what attribution needs from the ledger, for all profiles as of one moment, and inserts it into ClickHouse. */
export async function stageBatch(
  postgres: Postgres,
  clickhouse: ClickHouse,
  batchId: string,
  batches: readonly KeyItems[],
): Promise<ReadonlyMap<string, StagedProfile>> {
  const rows = await postgres.walk<StagedProfile>(
    statement,
    batches.map(({ key, items }) => ({ profileId: key, ids: items.map(({ id }) => id) })),
  );
  const found = new Map([...rows].flatMap(([key, [row]]) => (row ? [[key, row] as const] : [])));
  const served = [...found.values()].filter(({ is_served }) => is_served);
  const insert = async (table: TableName, columns: readonly string[], texts: readonly (string | null)[]) => {
    const lines = texts.filter((text) => text !== null).join('\n');
    if (lines === '') return;
    // The batch id is prepended here, so that the statement text is the same for every batch.
    const text = lines.replaceAll(/^\[/gm, `["${batchId}",`);
    await clickhouse.insertText(table, ['batch_id', 'profile_id', ...columns], Readable.from([text]), {
      format: 'JSONCompactEachRow',
    });
  };
  await Promise.all([
    insert(
      'attribution_conversions',
      [...conversionColumns, 'cause', 'cause_ref'],
      served.map(({ conversions }) => conversions),
    ),
    insert(
      'attribution_links',
      linkColumns,
      served.map(({ links }) => links),
    ),
    insert(
      'attribution_touches',
      touchColumns,
      served.map(({ touches }) => touches),
    ),
  ]);
  return found;
}

const unitsByCurrency = Map.groupBy(currencies, minorUnits);
const money = {
  currency: 'pr.reporting_currency',
  units: `CASE ${[...unitsByCurrency]
    .filter(([units]) => units !== '100')
    .map(([units, codes]) => `WHEN pr.reporting_currency IN (${codes.map((code) => `'${code}'`)}) THEN ${units}`)
    .join(' ')} ELSE 100 END`,
};
const lines = (...values: string[]) => `string_agg(json_build_array(o.profile_id, ${values.join(', ')})::text, E'\\n')`;
const eligible = `o.is_there AND ${isEligible}`;

/**
 * A range of one value, sorted by that value: only an index with this column right after the profile provides the order. With an equality,
 * and statistics that expect few rows, any index on the profile looks as good and is read in full for each row.
 */
const inKeyOrder = (column: string, value: string) =>
  `${column} >= ${value} AND ${column} <= ${value} ORDER BY ${column}`;

/**
 * Runs under the row-level security of one profile; `$1` are its dirty conversions. While a rules replay is unfinished, the cause `rules`
 * is added to every conversion, because its result may differ for that reason. Statistics say little about rows that have just arrived, and
 * based on them PostgreSQL once joined every dirty row with every outcome. The OFFSETs and LIMITs force key lookups: from each dirty row to
 * its outcome, and from each customer to their rows.
 */
const statement = `
  WITH rules AS MATERIALIZED (
    SELECT ARRAY[cause] AS causes FROM attribution_replays WHERE profile_id = current_profile() AND cause = 'rules' AND state <> 'done' LIMIT 1),
  q AS MATERIALIZED (
    SELECT outcome_id, revision, array_to_string(unite_causes(d.causes, array_remove(ARRAY[d.cause], NULL) || rules.causes), ',') AS cause,
      CASE WHEN rules.causes IS NULL THEN d.cause_ref END AS cause_ref
    FROM unnest($1) AS asked (id)
    CROSS JOIN LATERAL (SELECT * FROM dirty_conversions WHERE profile_id = current_profile() AND ${inKeyOrder('outcome_id', 'asked.id')} LIMIT 1) d
    LEFT JOIN rules ON 'outcome_recorded' <> ALL (d.causes)),
  chosen AS MATERIALIZED (
    SELECT q.cause, q.cause_ref, o.* FROM q
    CROSS JOIN LATERAL (SELECT * FROM outcomes WHERE profile_id = current_profile() AND ${inKeyOrder('id', 'q.outcome_id')} LIMIT 1) o),
  people AS MATERIALIZED (SELECT DISTINCT customer_id FROM chosen WHERE customer_id IS NOT NULL),
  conversions AS (
    SELECT ${lines(...conversionValues('o.at', eligible, money), 'o.cause', `coalesce(o.cause_ref, '${nilUuid}')`)} AS conversions, coalesce(bool_or(NOT (${eligible})), false) AS has_buried
    FROM (
      SELECT o.*, o.occurred_at AS at, true AS is_there FROM chosen o
      UNION ALL
      SELECT o.*, m.left_time, false FROM chosen o
      JOIN moved_conversions m ON m.profile_id = current_profile() AND m.outcome_id = o.id AND m.left_time <> o.occurred_at) o
    JOIN profiles pr ON pr.id = current_profile() ${definition}),
  links AS (
    SELECT ${lines('o.visitor_id', 'o.person_id')} AS links
    FROM (
      SELECT l.profile_id, l.visitor_id, l.customer_id AS person_id FROM people p
      CROSS JOIN LATERAL (SELECT * FROM visitor_links WHERE profile_id = current_profile() AND ${inKeyOrder('customer_id', 'p.customer_id')} OFFSET 0) l
      UNION ALL
      SELECT DISTINCT profile_id, visitor_id, visitor_id FROM chosen WHERE customer_id IS NULL AND visitor_id IS NOT NULL) o),
  touches AS (
    SELECT ${lines(...touchValues)} AS touches
    FROM (
      SELECT t.profile_id, t.id, t.customer_id, t.visitor_id, t.occurred_at, t.origin, t.rest, t.duplicate_of FROM people p
      CROSS JOIN LATERAL (SELECT * FROM outcomes WHERE profile_id = current_profile() AND origin IS NOT NULL AND ${inKeyOrder('customer_id', 'p.customer_id')} OFFSET 0) t
      UNION ALL
      SELECT t.* FROM people p
      CROSS JOIN LATERAL (
        SELECT ${partnerTouch} FROM partner_touches WHERE profile_id = current_profile() AND NOT is_second AND ${inKeyOrder('customer_id', 'p.customer_id')} OFFSET 0) t
      UNION ALL
      SELECT profile_id, id, customer_id, visitor_id, occurred_at, origin, rest, duplicate_of FROM chosen WHERE customer_id IS NULL AND origin IS NOT NULL) o)
  SELECT
    EXISTS (SELECT FROM profiles WHERE id = current_profile() AND NOT is_being_deleted(id)) AS is_served,
    (SELECT json_agg(json_build_object('id', outcome_id, 'revision', revision::text)) FROM q) AS dirty,
    (SELECT array_agg(id::text) FROM definitions WHERE profile_id = current_profile() AND kind = 'goal' AND first_attributed_at IS NULL) AS unstamped,
    conversions.*, links.*, touches.*
  FROM conversions, links, touches`;
