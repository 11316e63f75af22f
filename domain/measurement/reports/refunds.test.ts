import { openTestWithClickHouse } from '@tributary/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { film, openShop, winter } from './reports.fixture.ts';

const world = await openTestWithClickHouse();

describe('Refunded payments', () => {
  let shop: Awaited<ReturnType<typeof openShop>>;
  const refund = (key: string, of: string, value: string, more: object = {}) =>
    shop.event('ana', 4, {
      event_name: 'refund',
      idempotency_key: key,
      refund_of: of,
      properties: { value, currency: 'USD' },
      ...more,
    });
  beforeAll(async () => {
    shop = await openShop(world, { scopes: ['campaigns:read', 'attribution:write', 'goals:write', 'commerce:read'] });
    // Refunds are not outcomes, even when a definition lists them.
    await shop.post('/api/v1/goals/definitions', { name: 'Refunds', event_names: ['refund'], counts_as_cash: true });
    await shop.spend({ ...film, spend: '40', conversions: '1', conversion_value: '10' });
    for (const person of ['ana', 'ben', 'cal']) shop.click(person, 1, winter);
    await shop.pay('ana', 2, '100.50', { idempotency_key: 'whole' });
    await shop.pay('ben', 2, '60', { idempotency_key: 'part' });
    await shop.pay('cal', 2, '7', { idempotency_key: 'disputed' });
    await shop.lead('ana', 3);
    await refund('r-1', 'whole', '100.50');
    await refund('r-2', 'part', '19.99');
    await refund('r-3', 'disputed', '7', { refund_kind: 'dispute' });
    await shop.settle();
  });

  test('[comp-010] credited cash is a decimal string, net of refunds and disputes', async () => {
    const { data } = await shop.read('/campaigns/platform-comparison');
    for (const row of [data.platforms[0], data.rows[0]])
      expect(row).toMatchObject({ atribu_cash_revenue: '40.01', value_gap: '30.01', atribu_cash_conversions: 3 });
  });

  test('[camp-011] refunds are not attributed outcomes; the refunded payments are', async () => {
    const { Winter } = await shop.rows();
    expect(Winter).toMatchObject({
      attributed_outcome_count: 4,
      attributed_outcomes_by_type: { lead_created: 1, payment_received: 3 },
    });
  });

  test('a fully refunded payment still counts, also as a first payment and in CAC, and adds no value', async () => {
    const { Winter } = await shop.rows({ level: 'campaign' });
    expect(Winter).toMatchObject({
      outcome_count: 3,
      outcome_value: 40.01,
      outcome_count_first_payment: 3,
      cac: 13.33,
    });
  });

  test('a withdrawn refund restores the earlier figures through dirty marks alone', async () => {
    await refund('r-2', 'part', '19.99', { refund_status: 'withdrawn' });
    await shop.attribute();
    expect((await shop.rows()).Winter).toMatchObject({ outcome_value: 60, outcome_count: 3 });
    await refund('r-2', 'part', '19.99');
    await shop.attribute();
    expect((await shop.rows()).Winter).toMatchObject({ outcome_value: 40.01 });
    const query = { field: 'outcome_value', entity_id: shop.entity('campaign', 'winter'), level: 'campaign' };
    const { data } = await shop.read('/explain', query);
    expect(data.value).toBe('40.01');
    expect(data.conversions).toContainEqual(
      expect.objectContaining({ value: '40.01', original_amount: '40.01', contributes: '40.01' }),
    );
  });
});
