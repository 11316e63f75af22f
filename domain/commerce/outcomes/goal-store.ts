import {
  type CustomerTotals,
  emptyRange,
  type Goal,
  type GoalReader,
  type Position,
  type ScannedRange,
} from '@tributary/domain/commerce/customers';
import { readDefinitions } from '@tributary/domain/commerce/definitions';
import type { Tx } from '@tributary/postgres';
import { revenueType } from '@tributary/rules';
import { type RawBuilder, sql } from 'kysely';
import { sumWithoutRate } from './sum-without-rate.ts';

interface Row extends Position {
  readonly customerId: string | null;
  readonly visitorId: string | null;
  readonly amount: string | null;
  readonly isUnconverted: boolean;
  readonly key?: string;
  readonly countsAsCash: boolean;
  readonly isGoal: boolean;
  readonly isCut: boolean;
  readonly seen: number;
}

const columns = (currency: string) => sql`
  o.id, o.occurred_at AS at, o.customer_id AS "customerId", o.visitor_id AS "visitorId",
  CASE WHEN o.reporting_currency = ${currency} THEN o.reporting_amount END AS amount,
  o.amount IS NOT NULL AND o.reporting_currency IS DISTINCT FROM ${currency} AS "isUnconverted"`;

/** The events of a goal, and all listed events: an event type counts only if no definition lists the event name. */
interface GoalEvents {
  readonly keys: readonly string[];
  readonly cashKeys: readonly string[];
  readonly listed: readonly string[];
}

async function findEvents(tx: Tx, { profileId, conversionType }: Goal): Promise<GoalEvents> {
  const definitions = await readDefinitions(tx, profileId);
  const ofGoal = definitions.filter((definition) => definition.conversionType === conversionType);
  return {
    keys: ofGoal.flatMap(({ eventNames }) => eventNames),
    cashKeys: ofGoal.flatMap(({ eventNames, countsAsCash }) => (countsAsCash ? eventNames : [])),
    listed: definitions.flatMap(({ eventNames }) => eventNames),
  };
}

/** The newest conversions of the goal after a position. Reads each of its events by an index range scan in this order. */
async function readGoal(tx: Tx, goal: Goal, events: GoalEvents, before: Position, most: number): Promise<ScannedRange> {
  const { profileId } = goal;
  const follow = (column: 'event_key' | 'event_type_key', more: RawBuilder<unknown>) => sql`
    SELECT o.*, e.key = ANY (${events.cashKeys}::text[]) AS is_cash FROM unnest(${events.keys}::text[]) AS e (key) CROSS JOIN LATERAL (
      SELECT * FROM outcomes o WHERE o.profile_id = ${profileId} AND o.${sql.ref(column)} = e.key ${more} AND o.uncounted IS NULL
        AND o.occurred_at >= ${goal.from} AND (o.occurred_at, o.id) < (${before.at}::timestamptz, ${before.id}::uuid)
      ORDER BY o.occurred_at DESC, o.id DESC LIMIT ${most}) o`;
  const { rows } = await sql<Row>`
    WITH scanned AS (
      SELECT * FROM (
        SELECT *, true AS is_goal FROM (${follow('event_key', sql``)}) a
        UNION ALL
        SELECT *, event_key <> ALL (${events.listed}::text[]) FROM (${follow('event_type_key', sql`AND o.event_type_key <> o.event_key`)}) b
      ) both_ways ORDER BY occurred_at DESC, id DESC LIMIT ${most}
    )
    SELECT ${columns(goal.currency)}, o.is_cash AS "countsAsCash", o.is_goal AS "isGoal", false AS "isCut",
      (SELECT count(*) FROM scanned)::int AS seen
    FROM scanned o ORDER BY o.occurred_at DESC, o.id DESC`.execute(tx);
  return toRange(rows, goal, most);
}

/** Limits per query, over all customers and per customer. Some customers have thousands of outcomes, or many that are not the goal. */
const maxRows = 20_000;
const maxPerCustomer = { fewest: 150, most: 2_000 } as const;

/** Like `readGoal`, limited to certain customers. */
async function readGoalOf(
  tx: Tx,
  goal: Goal,
  { keys, cashKeys, listed }: GoalEvents,
  customerIds: readonly string[],
  before: Position,
  most: number,
): Promise<ScannedRange> {
  if (customerIds.length === 0) return emptyRange;
  const { profileId } = goal;
  const limitPerCustomer = Math.max(
    maxPerCustomer.fewest,
    Math.min(maxPerCustomer.most, Math.floor(maxRows / customerIds.length)),
  );
  const { rows } = await sql<Row>`
    WITH scanned AS MATERIALIZED (
      SELECT o.* FROM unnest(${customerIds}::uuid[]) AS c (id) CROSS JOIN LATERAL (
        SELECT *, row_number() OVER (ORDER BY o.occurred_at DESC, o.id DESC) AS nth FROM outcomes o
        WHERE o.profile_id = ${profileId} AND o.customer_id = c.id AND o.uncounted IS NULL
          AND o.occurred_at >= ${goal.from} AND (o.occurred_at, o.id) < (${before.at}::timestamptz, ${before.id}::uuid)
        ORDER BY o.occurred_at DESC, o.id DESC LIMIT ${limitPerCustomer}) o
    ), cut AS MATERIALIZED (
      -- The earliest point up to which all customers were read completely.
      SELECT occurred_at, id FROM scanned WHERE nth = ${limitPerCustomer} ORDER BY occurred_at DESC, id DESC LIMIT 1
    ), judged AS (
      SELECT ${columns(goal.currency)},
        CASE WHEN o.event_key = ANY (${listed}::text[]) THEN o.event_key ELSE o.event_type_key END AS key,
        coalesce((o.occurred_at, o.id) = (SELECT occurred_at, id FROM cut), false) AS "isCut",
        (SELECT count(*) FROM scanned)::int AS seen
      FROM scanned o
      WHERE coalesce((o.occurred_at, o.id) >= (SELECT occurred_at, id FROM cut), true)
    )
    SELECT *, key = ANY (${keys}::text[]) AS "isGoal", key = ANY (${cashKeys}::text[]) AS "countsAsCash" FROM judged
    WHERE key = ANY (${keys}::text[]) OR "isCut" ORDER BY at DESC, id DESC LIMIT ${most}`.execute(tx);
  return toRange(rows, goal, most);
}

const toRange = (rows: readonly Row[], { conversionType }: Goal, most: number): ScannedRange => ({
  outcomes: rows.map(({ countsAsCash, isCut: _cut, seen: _seen, key: _key, ...row }) => ({
    ...row,
    revenueType: revenueType({ conversionType, countsAsCash }),
  })),
  scannedCount: rows[0]?.seen ?? 0,
  isEnd: rows.length < most && !rows.at(-1)?.isCut,
});

/** Lifetime totals of anonymous visitors. Computed on read, because a visitor has few outcomes; customers use stored totals. */
async function findVisitorTotals(
  tx: Tx,
  profileId: string,
  visitorIds: readonly string[],
  currency: string,
): Promise<Map<string, CustomerTotals>> {
  if (visitorIds.length === 0) return new Map();
  const { rows } = await sql<{ visitorId: string; conversions: string; cash: string | null }>`
    SELECT visitor_id AS "visitorId", count(definition_id) AS conversions,
      CASE WHEN bool_or(counts_as_cash AND amount IS NOT NULL AND reporting_amount IS NULL)
        THEN sum(reporting_amount) FILTER (WHERE counts_as_cash AND reporting_currency = ${currency})
        ELSE coalesce(sum(reporting_amount) FILTER (WHERE counts_as_cash AND reporting_currency = ${currency}), 0) END::text AS cash
    FROM outcome_meanings
    WHERE profile_id = ${profileId} AND visitor_id = ANY (${[...visitorIds]}::uuid[]) AND customer_id IS NULL
    GROUP BY visitor_id`.execute(tx);
  return new Map(
    rows.map(({ visitorId, conversions, cash }) => [
      visitorId,
      { conversionCount: Number(conversions), cashRevenue: cash, withoutRate: [] },
    ]),
  );
}

export const goalReader: GoalReader = {
  open: async (tx, goal) => {
    const events = await findEvents(tx, goal);
    return {
      read: (before, most) => readGoal(tx, goal, events, before, most),
      readOf: (customerIds, before, most) => readGoalOf(tx, goal, events, customerIds, before, most),
    };
  },
  findVisitorTotals,
  sumWithoutRate,
};
