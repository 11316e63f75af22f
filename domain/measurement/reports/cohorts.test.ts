import { sumAmounts } from '@tributary/rules';
import { openTestWithClickHouse } from '@tributary/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { film, openShop, outlet, winter } from './reports.fixture.ts';

const world = await openTestWithClickHouse();

describe('GET /cohorts', () => {
  let shop: Awaited<ReturnType<typeof openShop>>;
  beforeAll(async () => {
    // Days in this time zone begin at 04:00 UTC.
    shop = await openShop(world, { timeZone: 'America/Santiago' });
    await shop.spend({ ...film, spend: '40' }, { ...film, date: '2026-06-02', spend: '99' });
    shop.click('ana', 1, winter);
    shop.click('ben', 2, winter);
    shop.click('ana', 20, outlet);
    shop.click('eva', 36, outlet);
    await shop.pay('ana', 3, '10.01');
    await shop.pay('ana', 21, '5');
    await shop.pay('ana', 40, '7.50');
    await shop.pay('ben', 5, '20', { idempotency_key: 'ben' });
    await shop.pay('eva', 37, '3');
    await shop.pay('leo', 32.1, '4');
    await shop.pay('mia', 33, '1');
    await shop.lead('ana', 2);
    await shop.event('ben', 6, {
      event_name: 'refund',
      refund_of: 'ben',
      properties: { value: '0.02', currency: 'USD' },
    });
    await shop.settle();
  });
  const year = { date_from: '2026-01-01', date_to: '2026-12-31' };

  test('groups customers by the month of their first payment and the entity credited with it, including later payments', async () => {
    const { data, meta } = await shop.read('/cohorts', { ...year, limit: 100 });
    expect(meta).toMatchObject({
      currency: 'USD',
      model: 'last_touch',
      level: 'campaign',
      time_zone: 'America/Santiago',
    });
    expect(data).toHaveLength(4);
    expect(data).toContainEqual({
      month: '2026-05',
      entity_id: shop.entity('campaign', 'winter'),
      name: 'Winter',
      customers: 2,
      value: '42.49',
      // Paid back with the payments of June.
      spend: '40.00',
      payback_months: 1,
      months: [
        { month: '2026-05', customers: 2, payments: 3, value: '34.99' },
        { month: '2026-06', customers: 1, payments: 1, value: '7.50' },
      ],
    });
    // Early on 1 June UTC it is still May in Santiago.
    const unattributed = data.filter(({ entity_id }: { entity_id: string | null }) => entity_id === null);
    expect(unattributed).toMatchObject([
      { month: '2026-05', customers: 1, value: '4.00', spend: null, payback_months: null },
      { month: '2026-06', customers: 1, value: '1.00' },
    ]);
  });

  test.each(['last_touch', 'first_touch', 'last_non_direct'])(
    'under %s all cohorts add up to all payments',
    async (model) => {
      const { data } = await shop.read('/overview', year);
      for (const level of ['campaign', 'ad']) {
        const rows = [];
        for (let cursor: string | undefined; ; ) {
          const page = await shop.read('/cohorts', { ...year, model, level, limit: 2, ...(cursor && { cursor }) });
          rows.push(...page.data);
          if (!page.pagination.has_next) break;
          cursor = page.pagination.cursor;
        }
        expect(Number(sumAmounts(rows.map(({ value }) => value)))).toBe(data.totals.outcome_value);
        const cells = rows.flatMap(({ months }) => months);
        expect(Number(sumAmounts(cells.map(({ value }) => value)))).toBe(data.totals.outcome_value);
        expect(cells.reduce((sum, { payments }) => sum + payments, 0)).toBe(data.totals.outcome_count);
      }
    },
  );

  test('the date range selects customers but does not limit their payments; returns 400 for a multi-touch model', async () => {
    const { data } = await shop.read('/cohorts', { date_from: '2026-05-01', date_to: '2026-05-03' });
    // Spend is limited to the requested days.
    expect(data).toMatchObject([{ customers: 1, value: '22.51', spend: '40.00', payback_months: null }]);
    expect(await shop.refused('/cohorts', { model: 'linear' })).toEqual([400, 'invalid_parameter']);
  });
});
