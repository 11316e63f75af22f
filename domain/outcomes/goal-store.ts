import {
  type CustomerTotals,
  type Goal,
  type GoalReader,
  nothing,
  type Position,
  type Stretch,
} from '@tributary/domain/customers';
import { readDefinitions } from '@tributary/domain/definitions';
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

const shown = (currency: string) => sql`
  o.id, o.occurred_at AS at, o.customer_id AS "customerId", o.visitor_id AS "visitorId",
  CASE WHEN o.reporting_currency = ${currency} THEN o.reporting_amount END AS amount,
  o.amount IS NOT NULL AND o.reporting_currency IS DISTINCT FROM ${currency} AS "isUnconverted"`;

/** The events of a goal as definitions list them, and all that any lists: an event's type counts only where its name is not listed. */
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

/** The newest conversions of the goal before a place. Each of its events is followed down the index that is in this order. */
async function readGoal(tx: Tx, goal: Goal, events: GoalEvents, before: Position, most: number): Promise<Stretch> {
  const { profileId } = goal;
  const follow = (column: 'event_key' | 'event_type_key', more: RawBuilder<unknown>) => sql`
    SELECT o.*, e.key = ANY (${events.cashKeys}::text[]) AS is_cash FROM unnest(${events.keys}::text[]) AS e (key) CROSS JOIN LATERAL (
      SELECT * FROM outcomes o WHERE o.profile_id = ${profileId} AND o.${sql.ref(column)} = e.key ${more} AND o.uncounted IS NULL
        AND o.occurred_at >= ${goal.from} AND (o.occurred_at, o.id) < (${before.at}::timestamptz, ${before.id}::uuid)
      ORDER BY o.occurred_at DESC, o.id DESC LIMIT ${most}) o`;
  const { rows } = await sql<Row>`
    WITH looked AS (
      SELECT * FROM (
        SELECT *, true AS is_goal FROM (${follow('event_key', sql``)}) a
        UNION ALL
        SELECT *, event_key <> ALL (${events.listed}::text[]) FROM (${follow('event_type_key', sql`AND o.event_type_key <> o.event_key`)}) b
      ) both_ways ORDER BY occurred_at DESC, id DESC LIMIT ${most}
    )
    SELECT ${shown(goal.currency)}, o.is_cash AS "countsAsCash", o.is_goal AS "isGoal", false AS "isCut",
      (SELECT count(*) FROM looked)::int AS seen
    FROM looked o ORDER BY o.occurred_at DESC, o.id DESC`.execute(tx);
  return asStretch(rows, goal, most);
}

/** At a time, of all customers and of each. Some do many things that are not the goal, and a walk-in has thousands of purchases. */
const mostOfAll = 20_000;
const mostOfEach = { fewest: 150, most: 2_000 } as const;

/** The same of certain customers. */
async function readGoalOf(
  tx: Tx,
  goal: Goal,
  { keys, cashKeys, listed }: GoalEvents,
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
        WHERE o.profile_id = ${profileId} AND o.customer_id = c.id AND o.uncounted IS NULL
          AND o.occurred_at >= ${goal.from} AND (o.occurred_at, o.id) < (${before.at}::timestamptz, ${before.id}::uuid)
        ORDER BY o.occurred_at DESC, o.id DESC LIMIT ${mostOfOne}) o
    ), cut AS MATERIALIZED (
      -- Below it there may be more of somebody.
      SELECT occurred_at, id FROM looked WHERE nth = ${mostOfOne} ORDER BY occurred_at DESC, id DESC LIMIT 1
    ), judged AS (
      SELECT ${shown(goal.currency)},
        CASE WHEN o.event_key = ANY (${listed}::text[]) THEN o.event_key ELSE o.event_type_key END AS key,
        coalesce((o.occurred_at, o.id) = (SELECT occurred_at, id FROM cut), false) AS "isCut",
        (SELECT count(*) FROM looked)::int AS seen
      FROM looked o
      WHERE coalesce((o.occurred_at, o.id) >= (SELECT occurred_at, id FROM cut), true)
    )
    SELECT *, key = ANY (${keys}::text[]) AS "isGoal", key = ANY (${cashKeys}::text[]) AS "countsAsCash" FROM judged
    WHERE key = ANY (${keys}::text[]) OR "isCut" ORDER BY at DESC, id DESC LIMIT ${most}`.execute(tx);
  return asStretch(rows, goal, most);
}

const asStretch = (rows: readonly Row[], { conversionType }: Goal, most: number): Stretch => ({
  looked: rows.map(({ countsAsCash, isCut: _cut, seen: _seen, key: _key, ...row }) => ({
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
