import { raw } from '@tributary/clickhouse';
import { countByRegion } from '@tributary/domain/commerce/outcomes';
import { openTestWithClickHouse } from '@tributary/testkit';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { openStore, type Payment } from './sales.fixture.ts';

const world = await openTestWithClickHouse();
const scopes = ['commerce:read', 'attribution:write', 'campaigns:read'] as const;

type Store = Awaited<ReturnType<typeof openStore>>;
// biome-ignore lint/suspicious/noExplicitAny: responses of many routes.
type Body = any;

const open = () => openStore(world, { scopes: ['customers:read', 'conversions:read', ...scopes] });

const charges: Payment[] = Array.from({ length: 24 }, (_, n) => ({
  id: `ch_${n}`,
  customer: `person-${n}`,
  value: `${10 + n}.50`,
  minutes: n * 60,
}));
const days = 'date_from=2026-05-01&date_to=2026-05-31';

/** The business reports each payment with its ad and region, and a provider reports the same payments. */
const stores = {} as { single: Store; both: Store };

beforeAll(async () => {
  stores.single = await open();
  stores.both = await open();
  const { single, both } = stores;
  for (const store of [single, both]) {
    await store.spend({
      ...{ external_id: 'film', ad_set_external_id: 'broad', campaign_external_id: 'winter' },
      campaign_name: 'Winter',
      ...{ date: '2026-05-09', spend: '10' },
    });
    for (const { customer, value, minutes } of charges)
      await store.serve(`server-${customer}`, customer, value, minutes + 1, {}, { ad_id: 'film', region: 'CL-RM' });
  }
  await both.provide('payments_a', charges);
  for (const store of [single, both]) await store.attribute();
}, 120_000);

const sum = (rows: readonly Body[], of: (row: Body) => unknown): number =>
  rows.reduce((total: number, row) => total + Number(of(row)), 0);

const readers: readonly [name: string, path: string, pick: (body: Body) => unknown][] = [
  ['the overview', `/overview?${days}`, ({ data }) => data.totals],
  [
    'campaigns',
    `/campaigns?${days}&level=campaign&model=linear`,
    ({ data }) =>
      data.map(({ name, spend, outcome_value, outcome_count }: Body) => [name, spend, outcome_value, outcome_count]),
  ],
  ['campaigns without attribution', `/campaigns/unattributed?${days}`, ({ data }) => [data, 1]],
  [
    'the platform comparison',
    `/campaigns/platform-comparison?${days}`,
    ({ data }) => data.rows.map((row: Body) => ({ ...row, entity_id: null })),
  ],
  ['cohorts', `/cohorts?${days}`, ({ data }) => data.map((row: Body) => ({ ...row, entity_id: null }))],
  [
    'the conversions of a row',
    `/campaigns/winter/conversions?${days}&limit=100`,
    ({ data }) => [
      data.length,
      sum(data, ({ value }) => value),
      data.filter((row: Body) => row.is_first_payment).length,
    ],
  ],
  [
    'an explained figure',
    `/explain?${days}&field=outcome_value`,
    ({ data }) => [data.value, sum(data.conversions, ({ contributes }) => contributes)],
  ],
  [
    'customers who reached a goal',
    `/customers?${days}&goal=payment_received&limit=100`,
    ({ data }) => [data.length, sum(data, ({ value_amount }) => value_amount)],
  ],
  [
    'a search of customers',
    '/customers/search?q=person-3@example.test',
    ({ data }) => data.map((row: Body) => [row.total_revenue, row.cash_revenue, row.conversion_count]),
  ],
  [
    'payments that count',
    `/payments?from=2026-05-01&to=2026-05-31&limit=100`,
    ({ data }) =>
      sum(
        data.filter((row: Body) => row.counted),
        ({ net }) => net,
      ),
  ],
];

describe('a sale that two sources report counts once in', () => {
  test.each(readers)('%s', async (_name, path, pick) => {
    const [single, both] = await Promise.all(
      [stores.single, stores.both].map(async (store) => {
        const { status, body } = await store.ask(`/api/v1${path}`);
        expect(status, JSON.stringify(body)).toBe(200);
        return pick(body);
      }),
    );
    expect(both).toEqual(single);
    expect(JSON.stringify(single)).toMatch(/[1-9]/);
  });

  test('the journey of a customer', async () => {
    const journeys = [stores.single, stores.both].map(async (store) => {
      const { rows } = await store.ledger.transaction((tx) =>
        sql<{ id: string }>`SELECT customer_id AS id FROM identifiers WHERE value = 'person-5@example.test'`.execute(
          tx,
        ),
      );
      const { body } = await store.ask(`/api/v1/customers/${rows[0]?.id}/journey`);
      return body.data.events.map((event: Body) => [
        event.event_type,
        event.value_amount,
        event.campaign,
        event.channel,
      ]);
    });
    const [single, both] = await Promise.all(journeys);
    expect(single).toEqual([['payment_received', 15.5, 'Winter', 'paid_social']]);
    expect(both).toEqual(single);
  });

  test('attributed conversions, the source of Parquet exports, models and scores', async () => {
    const credited = [stores.single, stores.both].map(({ profileId }) =>
      world.clickhouse.query(
        raw(`SELECT count() AS conversions, sum(value) AS value, sum(touch_count) AS touches, countIf(is_first_payment) AS first_payments
          FROM attributed_conversions FINAL WHERE profile_id = '${profileId}' AND conversion_type != '' AND touch_count > 0`),
        {},
      ),
    );
    const [single, both] = await Promise.all(credited);
    expect(single).toMatchObject([{ conversions: '24', first_payments: '24' }]);
    expect(both).toEqual(single);
  });

  test('payments by region, the input of experiments', async () => {
    for (const { ledger, profileId } of [stores.single, stores.both])
      expect(
        await ledger.transaction((tx) => countByRegion(tx, profileId, new Date('2026-05-01'), new Date('2026-06-01'))),
      ).toEqual([{ region: 'CL-RM', payments: 24 }]);
  });

  test('an explained figure, which lists the duplicates', async () => {
    const { body } = await stores.both.ask(`/api/v1/explain?${days}&field=outcome_value&limit=1`);
    expect(body.data.conversions[0].duplicates).toEqual([
      {
        outcome_event_id: expect.any(String),
        provider: 'manual',
        external_id: 'server-person-23',
        amount: '33.50',
        currency: 'USD',
        paid_at: '2026-05-11T11:01:00.000Z',
      },
    ]);
  });
});
