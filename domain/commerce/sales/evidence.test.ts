import { openTestWithClickHouse } from '@tributary/testkit';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { openStore } from './sales.fixture.ts';

const world = await openTestWithClickHouse();

let store: Awaited<ReturnType<typeof openStore>>;
beforeEach(async () => {
  store = await openStore(world);
});

describe('a sale of which only one record names the customer, reference or ad', () => {
  test('counts the record that names the customer, so that the customer keeps the payment', async () => {
    await store.serve('order-80', 'ana', '49.90', 0, { payment_id: 'ch_0000000004' });
    await store.provide('payments_a', [{ id: 'ch_0000000004', customer: null, value: '52.00', minutes: 2 }]);
    expect(await store.revenue()).toBe('49.90');
    const { body } = await store.ask('/api/v1/customers/search?q=ana@example.test');
    expect(body.data).toMatchObject([{ cash_revenue: '49.90' }]);
  });

  test('counts once after its customer was erased together with the reference', async () => {
    await store.serve('order-81', 'ana', '30.00', 0, { payment_id: 'ch_0000000005' });
    await store.provide('payments_a', [{ id: 'ch_0000000005', customer: 'bea', value: '30.00', minutes: 5_000 }]);
    expect(await store.revenue()).toBe('30.00');
    for (const customer of ['ana', 'bea']) {
      await store.eraseCustomer(`${customer}@example.test`);
      expect(await store.revenue()).toBe('30.00');
    }
    expect((await store.payments()).map(({ counted }) => counted).sort()).toEqual([false, true]);
  });

  test('is credited to the ad that only the duplicate names, even if it is reported later', async () => {
    await store.spend({
      ...{ external_id: 'film', ad_set_external_id: 'broad', campaign_external_id: 'winter' },
      ...{ date: '2026-05-09', spend: '10' },
    });
    await store.provide('payments_a', [{ id: 'ch_0000000006', customer: 'ana', value: '30.00', minutes: 0 }]);
    await store.attribute();
    await store.serve('order-82', 'ana', '30.00', 3, { payment_id: 'ch_0000000006' }, { ad_id: 'film' });
    await store.attribute();
    const { body } = await store.ask('/api/v1/campaigns/unattributed?date_from=2026-05-01&date_to=2026-05-31');
    expect(body.data).toMatchObject({ outcome_value: 0 });
  });

  test('records the first day on which duplicates exceed 2% of the cash', async () => {
    const noticed = async () => {
      await store.attribute();
      const { rows } = await store.ledger.transaction((tx) =>
        sql<{
          day: string | null;
        }>`SELECT noticed_day::text AS day FROM sale_overlaps WHERE profile_id = ${store.profileId}`.execute(tx),
      );
      return rows.map(({ day }) => day);
    };
    const day = 1_440;
    await store.serve('large', 'zoe', '980.00', 0);
    await store.serve('order-90', 'ana', '20.00', 0, { payment_id: 'ch_0000000090' });
    await store.provide('payments_a', [{ id: 'ch_0000000090', customer: 'ana', value: '20.00', minutes: 1 }]);
    // Duplicates are 20 of 1,020: below 2%.
    expect(await noticed()).toEqual([null]);
    await store.serve('order-91', 'ana', '30.00', day, { payment_id: 'ch_0000000091' });
    await store.provide('payments_a', [{ id: 'ch_0000000091', customer: 'ana', value: '30.00', minutes: day }]);
    expect(await noticed()).toEqual(['2026-05-11']);
    await store.serve('order-92', 'ana', '40.00', 2 * day, { payment_id: 'ch_0000000092' });
    await store.provide('payments_a', [{ id: 'ch_0000000092', customer: 'ana', value: '40.00', minutes: 2 * day }]);
    expect(await noticed()).toEqual(['2026-05-11']);
  });
});
