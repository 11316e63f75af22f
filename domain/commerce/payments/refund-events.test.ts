import { saveRates } from '@tributary/domain/commerce/money/module.ts';
import { openTest } from '@tributary/testkit';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { applyWaitingRefunds } from './module.ts';
import { type Merchant, openMerchant } from './payments.fixture.ts';

const world = await openTest();
let shop: Merchant;
beforeEach(async () => {
  shop = await openMerchant(world);
});

test('a refund is deducted once however often it is sent, and the payment follows corrections, withdrawals and moves', async () => {
  const id = await shop.pay('p-1', 1, '100', 'ana');
  const recorded = await shop.refund('r-1', 'p-1', '30');
  expect(recorded.body.data).toMatchObject({ status: 'recorded', payment_id: id, customer_key: null });
  expect((await shop.refund('r-1', 'p-1', '30')).body.data).toMatchObject({ status: 'duplicate' });
  expect(await shop.read(id)).toMatchObject({ net: '70.00', amount_refunded: '30.00', status: 'partially_refunded' });
  expect((await shop.refund('r-1', 'p-1', '20')).body.data).toMatchObject({ status: 'updated' });
  await shop.refund('r-2', id, '5');
  expect(await shop.read(id)).toMatchObject({ net: '75.00' });
  await shop.refund('r-1', 'p-1', '20', { refund_status: 'withdrawn' });
  expect(await shop.read(id)).toMatchObject({ net: '95.00' });
  // The refund was reported for the wrong payment.
  const other = await shop.pay('p-2', 2, '8', 'ana');
  await shop.refund('r-2', 'p-2', '5');
  expect([(await shop.read(id)).net, (await shop.read(other)).net]).toEqual(['100.00', '3.00']);
});

test('a dispute has its own status, and winning it restores the money', async () => {
  const id = await shop.pay('p-1', 1, '100', 'ana');
  await shop.refund('d-1', 'p-1', '100', { refund_kind: 'dispute' });
  expect(await shop.read(id)).toMatchObject({ net: '0.00', status: 'disputed' });
  await shop.refund('d-1', 'p-1', '100', { refund_kind: 'dispute', refund_status: 'withdrawn' });
  expect(await shop.read(id)).toMatchObject({ net: '100.00', status: 'succeeded' });
});

test('a refund that arrives before its payment is applied later, within a batch in any order and across requests', async () => {
  const early = await shop.refund('r-1', 'p-1', '30');
  expect(early.body.data).toMatchObject({ status: 'recorded', payment_id: null, warnings: ['payment_unknown'] });
  const id = await shop.pay('p-1', 1, '100', 'ana');
  const apply = () =>
    applyWaitingRefunds(world.kit.app, world.kit.system, world.kit.clock.now(), AbortSignal.timeout(9_000));
  expect(await apply()).toBe(1);
  expect(await apply()).toBe(0);
  expect(await shop.read(id)).toMatchObject({ net: '70.00' });
  const payment = { event_name: 'payment_received', idempotency_key: 'p-2', properties: { value: 9, currency: 'USD' } };
  const refund = { event_name: 'refund', idempotency_key: 'r-2', refund_of: 'p-2', properties: { value: 10 } };
  const bad = { ...refund, idempotency_key: 'r-3', properties: { value: 1, currency: 'EUR' } };
  const { body } = await shop.answerOf('POST', '/events', { events: [refund, payment, bad] });
  expect(body.data.results).toMatchObject([
    { status: 'recorded', warnings: ['refund_exceeds_payment'] },
    { status: 'recorded' },
    { status: 'rejected', field: 'properties.currency' },
  ]);
  expect(await shop.read(body.data.results[1].outcome_event_id)).toMatchObject({
    net: '0.00',
    amount_refunded: '9.00',
  });
});

test.each([
  [{ properties: {} }, 'properties.value'],
  [{ properties: { value: 0 } }, 'properties.value'],
  [{ properties: { value: -1 } }, 'properties.value'],
  [{ properties: { value: 1, currency: 'XXY' } }, 'properties.currency'],
  [{ properties: { value: 1, currency: 'EUR' } }, 'properties.currency'],
  [{ idempotency_key: null }, 'idempotency_key'],
  [{ refund_of: 'lead' }, 'refund_of'],
  [{ refund_kind: 'theft' }, 'refund_kind'],
])('%j is 422 and names the field', async (wrong, field) => {
  await shop.pay('p-1', 1, '100', 'ana');
  await shop.event({ event_name: 'lead_created', idempotency_key: 'lead', user_traits: { external_id: 'ana' } });
  const sent = { event_name: 'refund', idempotency_key: 'r-1', refund_of: 'p-1', properties: { value: 1 }, ...wrong };
  const { status, body } = await shop.event(sent);
  expect([status, body.error.code, body.error.field]).toEqual([422, 'validation_error', field]);
});

test("a refund is converted at its payment's rate, and follows corrections of the payment", async () => {
  const quote = (day: string, units: string) => ({ day, currency: 'CLP', units, usd: '1' });
  const dollar = { day: '2026-05-01', currency: 'USD', units: '1', usd: '1' };
  await saveRates(world.kit.system, 'file', [dollar, quote('2026-05-01', '900'), quote('2026-05-10', '1000')]);
  const id = await shop.pay('p-1', 1, '10000', 'ana', { properties: { value: '10000', currency: 'CLP' } });
  await shop.refund('r-1', 'p-1', '3333', { occurred_at: '2026-05-20T00:00:00Z' });
  expect(await shop.read(id)).toMatchObject({ net: '6667', reporting_net: '7.41', rate_date: '2026-05-01' });
  await shop.pay('p-1', 1, '3000', 'ana', { properties: { value: '3000', currency: 'CLP' } });
  expect(await shop.read(id)).toMatchObject({ net: '0', amount_refunded: '3000', reporting_net: '0.00' });
  // A refund in another currency than the payment is ignored until the currencies match.
  await shop.refund('r-1', 'p-1', '3333', { properties: { value: '3333', currency: 'CLP' } });
  await shop.pay('p-1', 1, '10', 'ana', { properties: { value: '10', currency: 'USD' } });
  expect(await shop.read(id)).toMatchObject({ net: '10.00', status: 'succeeded' });
  await shop.pay('p-1', 1, '10000', 'ana', { properties: { value: '10000', currency: 'CLP' } });
  expect(await shop.read(id)).toMatchObject({ net: '6667', reporting_net: '7.41' });
});

test('[pay-008] [pay-009] the card gateway’s payments are recorded without a connection, with their refunded total', async () => {
  const cardpay = (body: object, query = '') => shop.answerOf('POST', `/payments/cardpay${query}`, body);
  const body = {
    external_id: 'tx-1',
    amount: '40',
    currency: 'USD',
    paid_at: '2026-05-02T00:00:00Z',
    user_traits: { external_id: 'ana' },
  };
  expect((await cardpay(body, '?dry_run=true')).body.data).toMatchObject({ status: 'recorded', dry_run: true });
  expect((await shop.list()).body.data).toEqual([]);
  const { status, body: recorded } = await cardpay(body);
  expect([status, recorded.data.status, recorded.data.customer_key]).toEqual([202, 'recorded', 'ana']);
  expect((await cardpay({ ...body, amount_refunded: 0 })).body.data).toMatchObject({
    id: recorded.data.id,
    status: 'duplicate',
  });
  expect(await shop.read(recorded.data.id)).toMatchObject({ provider: 'cardpay', external_id: 'tx-1', net: '40.00' });
  await cardpay({ ...body, amount_refunded: '15' });
  await shop.refundByHand(recorded.data.id, '20');
  // The next report of the gateway does not change the manual refund.
  await cardpay({ ...body, amount_refunded: '10' });
  expect(await shop.read(recorded.data.id)).toMatchObject({ net: '10.00', manual_refund: { amount: '20.00' } });
  await cardpay({ ...body, amount_refunded: 0 });
  await shop.refund('r-1', 'tx-1', '1');
  expect(await shop.read(recorded.data.id)).toMatchObject({ net: '19.00' });
  for (const wrong of [{ amount: '-1' }, { amount: 'x' }, { currency: 'XXY' }, { external_id: '' }])
    expect((await cardpay({ ...body, ...wrong })).status).toBe(422);
});

test('the net amount depends only on the last report of each refund, in any order', async () => {
  const report = fc.record({
    key: fc.constantFrom('r-1', 'r-2', 'r-3'),
    value: fc.constantFrom('1', '40', '99.99'),
    refund_status: fc.constantFrom('completed', 'completed', 'withdrawn'),
  });
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(report, { minLength: 1, maxLength: 8 }), fc.nat(8), async (reports, paymentIndex) => {
      run += 1;
      const of = `p-${run}`;
      let id: string | undefined;
      for (const [index, { key, value, refund_status }] of reports.entries()) {
        if (index === paymentIndex) id = await shop.pay(of, 1, '100', 'ana');
        await shop.refund(`${run} ${key}`, of, value, { refund_status });
      }
      id ??= await shop.pay(of, 1, '100', 'ana');
      await applyWaitingRefunds(world.kit.app, world.kit.system, world.kit.clock.now(), AbortSignal.timeout(9_000));
      const last = new Map(reports.map((one) => [one.key, one]));
      const cents = [...last.values()].reduce(
        (sum, one) => sum + (one.refund_status === 'completed' ? Math.round(Number(one.value) * 100) : 0),
        0,
      );
      expect(Number((await shop.read(id)).net)).toBe(Math.max(0, 10_000 - cents) / 100);
    }),
    { numRuns: 25 },
  );
});
