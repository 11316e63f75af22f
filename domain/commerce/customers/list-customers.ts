import type { ClickHouse, Row } from '@tributary/clickhouse';
import { Device, type Routes } from '@tributary/contract';
import { findDays } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { conversionIdOf, outcomeIdOf, searchQuestion } from '@tributary/rules';
import { nilUuid } from '@tributary/vocabulary';
import {
  type CustomerListServices,
  emptyRange,
  type OpenGoal,
  type Position,
  type ScannedOutcome,
} from './goal-reader.ts';
import { filterMatching, findMatching } from './match-customers.ts';
import { type CustomerName, findNames } from './store.ts';
import { type CustomerTotals, toExclusion } from './totals.ts';
import { type GoalPage, type GoalScan, walkGoal } from './walk-goal.ts';

/** Outcomes scanned per request. Needed for common names, when few customers with the name reached the goal. */
const maxScannedOutcomes = 20_000;

/** Reads customers and conversion times from PostgreSQL, and the touchpoints of a page of at most 100 from ClickHouse. */
export const listCustomers: Handles<
  Routes['listCustomers'],
  CustomerListServices & { readonly clickhouse: ClickHouse }
> = async ({ query }, { caller, ledger, mentions, signal, clickhouse, goals, findCustomerTotals }) => {
  const profileId = caller.profileId;
  const { goalPage, names, totals, withoutRate } = await ledger.transaction(
    async (tx) => {
      const { currency, from, until } = await findDays(tx, profileId, query.date_from, query.date_to);
      const goal = { profileId, conversionType: query.goal, currency, from };
      const page = await walkGoal({
        from: getStart(query, until),
        limit: query.limit,
        most: maxScannedOutcomes,
        ...(await createSearch(tx, profileId, await goals.open(tx, goal), query.search)),
      });
      const customerIds = page.found.flatMap(({ customerId }) => customerId ?? []);
      const visitorIds = page.found.flatMap(({ customerId, visitorId }) => (customerId ? [] : (visitorId ?? [])));
      return {
        goalPage: page,
        withoutRate: await goals.sumWithoutRate(tx, profileId, from, until),
        names: await findNames(tx, profileId, customerIds),
        totals: new Map([
          ...(await findCustomerTotals(tx, profileId, customerIds)),
          ...(await goals.findVisitorTotals(tx, profileId, visitorIds, currency)),
        ]),
      };
    },
    { readOnly: true },
  );
  for (const id of names.keys()) mentions(id);
  const touches = await readTouches(clickhouse, profileId, goalPage.found, signal);
  return answer(200, {
    data: goalPage.found.map((conversion) => {
      const subject = getSubject(conversion);
      return toRow(conversion, names.get(subject), totals.get(subject), touches.get(conversion.id));
    }),
    pagination: { has_next: goalPage.isMore, cursor: toCursor(goalPage) },
    meta: {
      date_from: query.date_from,
      date_to: query.date_to,
      exclusions: withoutRate.map(toExclusion),
    },
  });
};

function getStart(query: { cursor_time?: string | undefined; cursor_id?: string | undefined }, end: Date): Position {
  if (query.cursor_time === undefined || query.cursor_id === undefined) return { at: end, id: nilUuid };
  const at = new Date(query.cursor_time);
  return at < end ? { at, id: outcomeIdOf(query.cursor_id) } : { at: end, id: nilUuid };
}

const toCursor = ({ through }: GoalPage): string | null =>
  through && `${through.at.toISOString()}|${conversionIdOf(through.id)}`;

/** With few matching customers, scans their outcomes. Without a search or with too many matches, scans all outcomes and filters by customer. */
async function createSearch(
  tx: Tx,
  profileId: string,
  goal: OpenGoal,
  search = '',
): Promise<Pick<GoalScan, 'read' | 'keep'>> {
  const { read } = goal;
  const question = searchQuestion(search);
  if (!question) return { read: search.trim() === '' ? read : async () => emptyRange, keep: keepAll };
  const customerIds = await findMatching(tx, profileId, question);
  if (customerIds) return { read: (before, most) => goal.readOf(customerIds, before, most), keep: keepAll };
  const keep: GoalScan['keep'] = async (outcomes) => {
    const matching = await filterMatching(
      tx,
      profileId,
      outcomes.flatMap(({ customerId }) => customerId ?? []),
      question,
    );
    return outcomes.filter(({ customerId }) => customerId !== null && matching.has(customerId));
  };
  return { read, keep };
}

const keepAll: GoalScan['keep'] = async (outcomes) => outcomes;

/** The subject of a conversion, as in attribution: the customer, else the anonymous visitor, else the conversion itself. */
const getSubject = ({ customerId, visitorId, id }: ScannedOutcome): string => customerId ?? visitorId ?? id;

type Touches = Row<'conversion_read_touches'>;

// ClickHouse stores only timestamps in this range.
const isStorable = ({ at }: ScannedOutcome) => at.getUTCFullYear() >= 1900 && at.getUTCFullYear() < 2299;

async function readTouches(
  clickhouse: ClickHouse,
  profileId: string,
  found: readonly ScannedOutcome[],
  signal: AbortSignal,
): Promise<Map<string, Touches>> {
  const storable = found.filter(isStorable);
  if (storable.length === 0) return new Map();
  const rows = await clickhouse.query(
    'conversion_read_touches',
    {
      profile_id: profileId,
      conversion_times: storable.map(({ at }) => at.getTime()),
      conversion_ids: storable.map(({ id }) => id),
    },
    { signal },
  );
  return new Map(rows.map((row) => [row.conversion_id, row]));
}

function toRow(
  conversion: ScannedOutcome,
  name: CustomerName | undefined,
  totals: CustomerTotals | undefined,
  touches: Touches | undefined,
) {
  return {
    conversion_id: conversionIdOf(conversion.id),
    customer_profile_id: getSubject(conversion),
    name: name ? [name.firstName, name.lastName].filter(Boolean).join(' ') || null : null,
    email: name?.email ?? null,
    country: touches?.country || 'ZZ',
    device: Device.catch('unknown').parse(touches?.device),
    channel: touches?.channels.at(-1) ?? 'unknown',
    source: touches?.source || 'unknown',
    revenue: conversion.isUnconverted ? null : Number(conversion.amount ?? 0),
    revenue_type: conversion.revenueType,
    conversion_time: conversion.at.toISOString(),
    time_to_complete_seconds: secondsSince(touches?.first_touch_at ?? null, conversion.at),
    touch_count: touches?.touch_count ?? 0,
    touch_channels: [...new Set(touches?.channels)],
    // A conversion without customer and visitor counts alone.
    conversion_count: totals?.conversionCount ?? 1,
    total_revenue: totals ? toNumber(totals.cashRevenue) : getOwnRevenue(conversion),
  };
}

const toNumber = (amount: string | null): number | null => (amount === null ? null : Number(amount));

/** The total of a conversion without customer and visitor: its own amount. */
function getOwnRevenue({ revenueType, amount, isUnconverted }: ScannedOutcome): number | null {
  if (revenueType !== 'cash') return 0;
  return isUnconverted ? null : Number(amount ?? 0);
}

const secondsSince = (first: string | null, at: Date): number =>
  first === null ? 0 : Math.max(0, Math.floor((at.getTime() - Date.parse(first)) / 1_000));
