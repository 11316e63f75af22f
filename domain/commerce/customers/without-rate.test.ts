import { openTestWithClickHouse, scene } from '@tributary/testkit';
import { expect, test } from 'vitest';

const world = await openTestWithClickHouse();
const day = (number: number) => new Date(Date.UTC(2026, 2, number)).toISOString();

async function open() {
  return scene(world, { scopes: ['attribution:write', 'customers:read'], reportingCurrency: 'USD' });
}

test('a payment without an exchange rate is null and listed as an exclusion, in the list and the search', async () => {
  const shop = await open();
  const user_traits = { external_id: 'c-1', email: 'rateless@example.test' };
  const properties = { value: '199.90', currency: 'MXN' };
  await shop.send({ idempotency_key: 'p-1', occurred_at: day(5), user_traits, properties });
  const list = '/api/v1/customers?date_from=2026-03-01&date_to=2026-03-31&goal=payment_received';
  const excluded = [{ of: 'payments', reason: 'no_exchange_rate', currency: 'MXN', count: 1, amount: '199.90' }];
  const { body: listed } = await shop.ask(list);
  expect(listed.data).toMatchObject([{ revenue: null, total_revenue: null }]);
  expect(listed.meta.exclusions).toMatchObject(excluded);
  const search = () => shop.ask('/api/v1/customers/search?q=rateless');
  const { body: found } = await search();
  expect(found.data).toMatchObject([{ cash_revenue: null }]);
  expect(found.meta.exclusions).toMatchObject(excluded);

  await shop.send({
    idempotency_key: 'p-2',
    occurred_at: day(6),
    user_traits,
    properties: { value: '10', currency: 'USD' },
  });
  expect((await search()).body.data).toMatchObject([{ cash_revenue: '10.00' }]);
});

test('first_seen_at and last_seen_at are payment times, not the times of the requests', async () => {
  const shop = await open();
  const user_traits = { external_id: 'c-2', email: 'seen@example.test' };
  await shop.send({ idempotency_key: 's-2', occurred_at: day(20), user_traits });
  await shop.send({ idempotency_key: 's-1', occurred_at: day(5), user_traits });
  await shop.call('POST', '/api/v1/customers', { rows: [{ external_id: 'c-2', email: 'seen@example.test' }] });
  const { body } = await shop.ask('/api/v1/customers/search?q=seen@example.test');
  expect(body.data).toMatchObject([{ first_seen_at: day(5), last_seen_at: day(20) }]);
});

test('orders equal matches by revenue, highest first', async () => {
  const shop = await open();
  for (const [index, value] of ['5', '900', '40'].entries())
    await shop.send({
      idempotency_key: `r-${index}`,
      occurred_at: day(5 + index),
      user_traits: { external_id: `r-${index}`, first_name: 'Renata' },
      properties: { value, currency: 'USD' },
    });
  const { body } = await shop.ask('/api/v1/customers/search?q=renata');
  expect(body.data.map((one: { cash_revenue: string }) => one.cash_revenue)).toEqual(['900.00', '40.00', '5.00']);
});
