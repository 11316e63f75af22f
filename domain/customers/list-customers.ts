import type { ClickHouse, Row } from '@tributary/clickhouse';
import { Device, type Routes } from '@tributary/contract';
import { findDays } from '@tributary/domain/tenants';
import { answer, type Handles } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import { conversionIdOf, outcomeIdOf, searchQuestion } from '@tributary/rules';
import { nilUuid } from '@tributary/vocabulary';
import { type CustomerListServices, type LookedAt, nothing, type OpenGoal, type Position } from './goal-reader.ts';
import { findFitting, fittingAmong } from './match-customers.ts';
import { type CustomerName, findNames } from './store.ts';
import { type CustomerTotals, toExclusion } from './totals.ts';
import { type Walk, type Walked, walkGoal } from './walk-goal.ts';

/** In one answer: where a name is common, few of those who have it may have reached the goal. */
const mostLookedAt = 20_000;

/** The ledger says who and when; the columns add, for a page of at most a hundred, how they came. */
export const listCustomers: Handles<
  Routes['listCustomers'],
  CustomerListServices & { readonly clickhouse: ClickHouse }
> = async ({ query }, { caller, ledger, mentions, signal, clickhouse, goals, findCustomerTotals }) => {
  const profileId = caller.profileId;
  const { walked, names, totals, withoutRate } = await ledger.transaction(
    async (tx) => {
      const { currency, from, until } = await findDays(tx, profileId, query.date_from, query.date_to);
      const goal = { profileId, conversionType: query.goal, currency, from };
      const page = await walkGoal({
        from: startOf(query, until),
        limit: query.limit,
        most: mostLookedAt,
        ...(await searcher(tx, profileId, await goals.open(tx, goal), query.search)),
      });
      const customerIds = page.found.flatMap(({ customerId }) => customerId ?? []);
      const visitorIds = page.found.flatMap(({ customerId, visitorId }) => (customerId ? [] : (visitorId ?? [])));
      return {
        walked: page,
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
  const touches = await readTouches(clickhouse, profileId, walked.found, signal);
  return answer(200, {
    data: walked.found.map((conversion) => {
      const person = personOf(conversion);
      return showRow(conversion, names.get(person), totals.get(person), touches.get(conversion.id));
    }),
    pagination: { has_next: walked.isMore, cursor: cursorOf(walked) },
    meta: {
      date_from: query.date_from,
      date_to: query.date_to,
      exclusions: withoutRate.map(toExclusion),
    },
  });
};

function startOf(query: { cursor_time?: string | undefined; cursor_id?: string | undefined }, end: Date): Position {
  if (query.cursor_time === undefined || query.cursor_id === undefined) return { at: end, id: nilUuid };
  const at = new Date(query.cursor_time);
  return at < end ? { at, id: outcomeIdOf(query.cursor_id) } : { at: end, id: nilUuid };
}

const cursorOf = ({ through }: Walked): string | null =>
  through && `${through.at.toISOString()}|${conversionIdOf(through.id)}`;

/** Few people: what each of them did. Any number, or a name that thousands have: what was done, and by whom. */
async function searcher(tx: Tx, profileId: string, goal: OpenGoal, search = ''): Promise<Pick<Walk, 'read' | 'keep'>> {
  const { read } = goal;
  const question = searchQuestion(search);
  if (!question) return { read: search.trim() === '' ? read : async () => nothing, keep: all };
  const people = await findFitting(tx, profileId, question);
  if (people) return { read: (before, most) => goal.readOf(people, before, most), keep: all };
  const keep: Walk['keep'] = async (looked) => {
    const fitting = await fittingAmong(
      tx,
      profileId,
      looked.flatMap(({ customerId }) => customerId ?? []),
      question,
    );
    return looked.filter(({ customerId }) => customerId !== null && fitting.has(customerId));
  };
  return { read, keep };
}

const all: Walk['keep'] = async (looked) => looked;

/** Whose conversion it is, as attribution has it: the customer, the browser of somebody unknown, or nobody but itself. */
const personOf = ({ customerId, visitorId, id }: LookedAt): string => customerId ?? visitorId ?? id;

type Touches = Row<'conversion_read_touches'>;

// The columns keep no moments before and after these.
const isInColumns = ({ at }: LookedAt) => at.getUTCFullYear() >= 1900 && at.getUTCFullYear() < 2299;

async function readTouches(
  clickhouse: ClickHouse,
  profileId: string,
  found: readonly LookedAt[],
  signal: AbortSignal,
): Promise<Map<string, Touches>> {
  const known = found.filter(isInColumns);
  if (known.length === 0) return new Map();
  const rows = await clickhouse.query(
    'conversion_read_touches',
    {
      profile_id: profileId,
      conversion_times: known.map(({ at }) => at.getTime()),
      conversion_ids: known.map(({ id }) => id),
    },
    { signal },
  );
  return new Map(rows.map((row) => [row.conversion_id, row]));
}

function showRow(
  conversion: LookedAt,
  name: CustomerName | undefined,
  totals: CustomerTotals | undefined,
  touches: Touches | undefined,
) {
  return {
    conversion_id: conversionIdOf(conversion.id),
    customer_profile_id: personOf(conversion),
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
    // A conversion that names nobody counts for itself alone.
    conversion_count: totals?.conversionCount ?? 1,
    total_revenue: totals ? asNumber(totals.cashRevenue) : revenueOfItself(conversion),
  };
}

const asNumber = (amount: string | null): number | null => (amount === null ? null : Number(amount));

/** A conversion that names no customer has nothing but itself. */
function revenueOfItself({ revenueType, amount, isUnconverted }: LookedAt): number | null {
  if (revenueType !== 'cash') return 0;
  return isUnconverted ? null : Number(amount ?? 0);
}

const secondsSince = (first: string | null, at: Date): number =>
  first === null ? 0 : Math.max(0, Math.floor((at.getTime() - Date.parse(first)) / 1_000));
