import {
  type BookedConversion,
  conversionsOf,
  definitions,
  type Household,
  type Outcome,
  openMarket,
  touchesOf,
} from '@tributary/market';
import { attribute, conversionIdOf } from '@tributary/rules';
import { openTestWithClickHouse, settleAll } from '@tributary/testkit';
import { fillFast } from '@tributary/testkit/market';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ListedConversion, openShop } from './customers.fixture.ts';

const world = await openTestWithClickHouse();
const market = openMarket({
  seed: 11,
  people: 400,
  days: 60,
  start: '2026-03-01',
  timeZone: 'America/Santiago',
  currencies: ['USD', 'CLP'],
});
const range = { date_from: '2026-03-10', date_to: '2026-04-09' };
const money = (minor: bigint) => Number(minor) / 100;

const booked: { household: Household; conversion: BookedConversion }[] = [];
// Outcomes without a definition are excluded; definitions that do not count for attribution are included.
const outcomes: Outcome[] = [];
const isDefined = ({ eventName }: Outcome) => definitions.some(({ key }) => key === eventName);
const { kit, clickhouse } = world;
const stores = { app: kit.app, system: kit.system, clickhouse };
await fillFast(market, stores, {
  watch: (household) => {
    booked.push(...conversionsOf(market, household).map((conversion) => ({ household, conversion })));
    outcomes.push(...household.people.flatMap((person) => person.outcomes.filter(isDefined)));
  },
});
await settleAll(stores);
const shop = await openShop(world, { profileId: market.profileId });
const getSubject = ({ customerId, visitorId, id }: Outcome) => customerId ?? visitorId ?? id;

/** The expected row, computed from the simulated market. */
function expectedRow({ household, conversion }: (typeof booked)[number], lifetime: Map<string, Outcome[]>) {
  const { outcome, person, at } = conversion;
  const { touches, touchCount } = attribute(conversion, touchesOf(household, conversion));
  const last = touches.at(-1);
  const subjectOutcomes = lifetime.get(getSubject(outcome)) ?? [];
  const cash = subjectOutcomes.filter(({ eventName }) => eventName === 'payment_received');
  const browser = household.browsers.find((one) => one.touches.some((touch) => touch.at === last?.at));
  return {
    conversion_id: conversionIdOf(outcome.id),
    customer_profile_id: getSubject(outcome),
    email: outcome.customerId ? (person.customer?.email ?? null) : null,
    country: browser?.country ?? 'ZZ',
    device: browser?.device ?? 'unknown',
    channel: last?.channel ?? 'unknown',
    source: last?.source ?? 'unknown',
    revenue: money(conversion.value),
    conversion_time: new Date(at).toISOString(),
    time_to_complete_seconds: touches[0] ? Math.floor((at - touches[0].at) / 1_000) : 0,
    touch_count: touchCount,
    touch_channels: [...new Set(touches.map(({ channel }) => channel))],
    conversion_count: subjectOutcomes.length,
    total_revenue: money(cash.reduce((sum, one) => sum + (one.money?.reporting?.value ?? 0n), 0n)),
  };
}

describe.each(['payment_received', 'lead_created', 'order_placed'])(
  'customer list of %s in a simulated market',
  (goal) => {
    let rows: readonly ListedConversion[];
    let expected: readonly ReturnType<typeof expectedRow>[];
    const of = <Row extends object>(some: readonly Row[], ...fields: string[]) =>
      some.map((row) => fields.map((field) => (row as Record<string, unknown>)[field]));

    beforeAll(async () => {
      ({ rows } = await shop.all({ ...range, goal, limit: '100' }));
      const lifetime = Map.groupBy(outcomes, getSubject);
      expected = booked
        .filter(({ conversion }) => conversion.conversionType === goal)
        .filter(({ conversion: { day } }) => day >= range.date_from && day <= range.date_to)
        .sort(
          (a, b) => b.conversion.at - a.conversion.at || (a.conversion.outcome.id < b.conversion.outcome.id ? 1 : -1),
        )
        .map((one) => expectedRow(one, lifetime));
    });

    test('equals the simulated conversions row by row', () => {
      expect(expected.length).toBeGreaterThan(10);
      expect(rows).toHaveLength(expected.length);
      expect(rows).toMatchObject(expected);
    });

    test('[cust-007] [cust-008] returns country and device of the last touchpoint', () => {
      expect(of(rows, 'country', 'device')).toEqual(of(expected, 'country', 'device'));
      const seen = rows.filter(({ touch_count }) => Number(touch_count) > 0);
      expect(new Set(seen.map(({ device }) => device))).toEqual(new Set(['desktop', 'mobile', 'tablet']));
      for (const { country } of seen) expect(country).toMatch(/^(?!ZZ)[A-Z]{2}$/);
    });

    test('[cust-010] [cust-016] returns the source of the last touchpoint and each channel once', () => {
      expect(of(rows, 'source', 'touch_channels')).toEqual(of(expected, 'source', 'touch_channels'));
    });

    test('[cust-013] returns the conversion time in ISO 8601', () => {
      expect(of(rows, 'conversion_time')).toEqual(of(expected, 'conversion_time'));
    });

    test('[cust-017] [cust-018] returns the lifetime conversions and revenue of the customer', () => {
      expect(of(rows, 'conversion_count', 'total_revenue')).toEqual(of(expected, 'conversion_count', 'total_revenue'));
      expect(rows.some(({ conversion_count }) => Number(conversion_count) > 1)).toBe(true);
    });
  },
);

test('lists conversions of a goal that does not count for attribution, with the channel unknown', async () => {
  const days = { date_from: '2026-03-01', date_to: '2026-05-30' };
  const { rows: quotes } = await shop.all({ ...days, goal: 'quote_sent', limit: '100' });
  expect(quotes).toHaveLength(outcomes.filter(({ eventName }) => eventName === 'quote_sent').length);
  expect(quotes.length).toBeGreaterThan(0);
  expect(new Set(quotes.map(({ channel }) => channel))).toEqual(new Set(['unknown']));
});
