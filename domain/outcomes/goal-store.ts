import {
  type CustomerTotals,
  type Goal,
  type GoalReader,
  nothing,
  type Period,
  type Position,
  type Stretch,
} from '@tributary/domain/customers';
import type { Tx } from '@tributary/postgres';
import { revenueType } from '@tributary/rules';
import { type RawBuilder, sql } from 'kysely';

/** When the days begin and end where the profile is, and the currency it reports in. */
async function findPeriod(tx: Tx, profileId: string, firstDay: string, lastDay: string): Promise<Period> {
  const { rows } = await sql<Period>`
    SELECT ${firstDay}::date::timestamp AT TIME ZONE time_zone AS "from",
      (${lastDay}::date + 1)::timestamp AT TIME ZONE time_zone AS "to", reporting_currency AS currency
    FROM profiles WHERE id = ${profileId}`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('The profile is gone.');
  return row;
}

interface Row extends Position {
  readonly customerId: string | null;
  readonly visitorId: string | null;
  readonly amount: string | null;
  readonly conversionType: string;
  readonly countsAsCash: boolean;
  readonly isGoal: boolean;
  readonly isCut: boolean;
  readonly seen: number;
}

const shown = (currency: string) => sql`
  o.id, o.occurred_at AS at, o.customer_id AS "customerId", o.visitor_id AS "visitorId",
  CASE WHEN o.reporting_currency = ${currency} THEN o.reporting_amount END AS amount`;

/** The newest conversions of the goal before a place. Each of its event names is followed down the index that is in this order. */
async function readGoal(tx: Tx, goal: Goal, before: Position, most: number): Promise<Stretch> {
  const { profileId } = goal;
  const follow = (column: 'event_key' | 'event_type_key', more: RawBuilder<unknown>) => sql`
    SELECT o.*, n.definition_id FROM named n CROSS JOIN LATERAL (
      SELECT * FROM outcomes o WHERE o.profile_id = ${profileId} AND o.${sql.ref(column)} = n.event_key ${more}
        AND o.occurred_at >= ${goal.from} AND (o.occurred_at, o.id) < (${before.at}::timestamptz, ${before.id}::uuid)
      ORDER BY o.occurred_at DESC, o.id DESC LIMIT ${most}) o`;
  const { rows } = await sql<Row>`
    WITH named AS MATERIALIZED (
      SELECT e.event_key, d.id AS definition_id FROM definitions d
      JOIN definition_events e ON e.profile_id = d.profile_id AND e.definition_id = d.id
      WHERE d.profile_id = ${profileId} AND d.conversion_type = ${goal.conversionType}
    ), looked AS (
      SELECT * FROM (
        SELECT *, false AS is_by_type FROM (${follow('event_key', sql``)}) a
        UNION ALL
        SELECT *, true FROM (${follow('event_type_key', sql`AND o.event_type_key <> o.event_key`)}) b
      ) both_ways ORDER BY occurred_at DESC, id DESC LIMIT ${most}
    )
    SELECT ${shown(goal.currency)}, d.conversion_type AS "conversionType", d.counts_as_cash AS "countsAsCash",
      -- A name that is listed anywhere is the finer word: its type does not count then.
      NOT (o.is_by_type AND EXISTS (
        SELECT FROM definition_events e WHERE e.profile_id = ${profileId} AND e.event_key = o.event_key)) AS "isGoal",
      false AS "isCut", (SELECT count(*) FROM looked)::int AS seen
    FROM looked o JOIN definitions d ON d.profile_id = ${profileId} AND d.id = o.definition_id
    ORDER BY o.occurred_at DESC, o.id DESC`.execute(tx);
  return asStretch(rows, most);
}

/** At a time, of all customers and of each. Some do many things that are not the goal, and a walk-in has thousands of purchases. */
const mostOfAll = 20_000;
const mostOfEach = { fewest: 150, most: 2_000 } as const;

/** The same of certain customers. */
async function readGoalOf(
  tx: Tx,
  goal: Goal,
  customerIds: readonly string[],
  before: Position,
  most: number,
): Promise<Stretch> {
  if (customerIds.length === 0) return nothing;
  const { profileId } = goal;
  const mostOfOne = Math.max(mostOfEach.fewest, Math.min(mostOfEach.most, Math.floor(mostOfAll / customerIds.length)));
  const { rows } = await sql<Row>`
    WITH looked AS MATERIALIZED (
      SELECT o.* FROM unnest(${customerIds}::uuid[]) AS c (id) CROSS JOIN LATERAL (
        SELECT *, row_number() OVER (ORDER BY o.occurred_at DESC, o.id DESC) AS nth FROM outcomes o
        WHERE o.profile_id = ${profileId} AND o.customer_id = c.id
          AND o.occurred_at >= ${goal.from} AND (o.occurred_at, o.id) < (${before.at}::timestamptz, ${before.id}::uuid)
        ORDER BY o.occurred_at DESC, o.id DESC LIMIT ${mostOfOne}) o
    ), cut AS MATERIALIZED (
      -- Below it there may be more of somebody.
      SELECT occurred_at, id FROM looked WHERE nth = ${mostOfOne} ORDER BY occurred_at DESC, id DESC LIMIT 1
    ), judged AS (
      SELECT ${shown(goal.currency)}, coalesce(d.conversion_type, '') AS "conversionType",
        coalesce(d.counts_as_cash, false) AS "countsAsCash",
        coalesce(d.conversion_type = ${goal.conversionType}, false) AS "isGoal",
        coalesce((o.occurred_at, o.id) = (SELECT occurred_at, id FROM cut), false) AS "isCut",
        (SELECT count(*) FROM looked)::int AS seen
      FROM looked o ${meaning}
      WHERE coalesce((o.occurred_at, o.id) >= (SELECT occurred_at, id FROM cut), true)
    )
    SELECT * FROM judged WHERE "isGoal" OR "isCut" ORDER BY at DESC, id DESC LIMIT ${most}`.execute(tx);
  return asStretch(rows, most);
}

/** The definition `d` of the outcome `o`, where it has one. */
const meaning = sql`
  LEFT JOIN definition_events byname ON byname.profile_id = o.profile_id AND byname.event_key = o.event_key
  LEFT JOIN definition_events bytype ON bytype.profile_id = o.profile_id AND bytype.event_key = o.event_type_key
  LEFT JOIN definitions d ON d.profile_id = o.profile_id AND d.id = coalesce(byname.definition_id, bytype.definition_id)`;

const asStretch = (rows: readonly Row[], most: number): Stretch => ({
  looked: rows.map(({ conversionType, countsAsCash, isCut: _cut, seen: _seen, ...row }) => ({
    ...row,
    revenueType: revenueType({ conversionType, countsAsCash }),
  })),
  seen: rows[0]?.seen ?? 0,
  isEnd: rows.length < most && !rows.at(-1)?.isCut,
});

/** What browsers that nobody is known of did in all their time. A browser has few outcomes; those of customers are kept counted. */
async function findVisitorTotals(
  tx: Tx,
  profileId: string,
  visitorIds: readonly string[],
  currency: string,
): Promise<Map<string, CustomerTotals>> {
  if (visitorIds.length === 0) return new Map();
  const { rows } = await sql<{ visitorId: string; conversions: string; cash: string }>`
    SELECT o.visitor_id AS "visitorId", count(d.id) AS conversions,
      coalesce(sum(o.reporting_amount) FILTER (WHERE d.counts_as_cash AND o.reporting_currency = ${currency}), 0)::text AS cash
    FROM outcomes o ${meaning}
    WHERE o.profile_id = ${profileId} AND o.visitor_id = ANY (${[...visitorIds]}::uuid[]) AND o.customer_id IS NULL
    GROUP BY o.visitor_id`.execute(tx);
  return new Map(
    rows.map(({ visitorId, conversions, cash }) => [
      visitorId,
      { conversionCount: Number(conversions), cashRevenue: cash },
    ]),
  );
}

export const goalReader: GoalReader = { findPeriod, readGoal, readGoalOf, findVisitorTotals };
