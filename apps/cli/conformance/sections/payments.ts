import assert from 'node:assert/strict';
import { checksOf } from '../check.ts';
import type { Json } from '../client.ts';
import { eventually } from '../context.ts';
import { dataOf, refusal } from '../expect.ts';
import { lead, payment, record } from './fixtures.ts';

export const payments = checksOf('payments', (check) => {
  check('pay-001 pay-002', 'lists payments with the corrections of merchants', async ({ api, unique, clock }) => {
    const { outcome_event_id: id } = await record(api, payment(unique('listed'), { key: unique('o'), value: '80.00' }));
    dataOf(await api.put(`payments/${id}/installment`, { is_installment: true }));
    dataOf(await api.post(`payments/${id}/refund`, { amount: '30.00' }));
    const rows: Json[] = dataOf(await api.get(`payments?from=${clock.day(1)}&to=${clock.day(-1)}&limit=100`));
    const row = rows.find((one) => one.id === id);
    assert.deepEqual([row.is_installment, row.net, row.amount], [true, '50.00', '80.00']);
    assert.equal(row.manual_refund.amount, '30.00');
  });

  check('pay-003 pay-004', 'sets and removes the installment flag', async ({ api, unique }) => {
    const { outcome_event_id: id } = await record(api, payment(unique('mark'), { key: unique('o') }));
    const mark = async (is_installment: boolean) =>
      dataOf(await api.put(`payments/${id}/installment`, { is_installment }));
    await eventually(async () => assert.equal(dataOf(await api.get(`payments/${id}`)).is_first_payment, true));
    assert.equal((await mark(true)).after.is_first_payment, false);
    assert.equal((await mark(true)).outcome, 'no_change');
    const { after } = await mark(false);
    assert.deepEqual([after.is_installment, after.is_first_payment], [false, true]);
  });

  check('pay-005', 'moves a payment to the customer who paid', async ({ api, unique }) => {
    const [from, to] = [unique('from'), unique('to')];
    await record(api, lead(to));
    const { outcome_event_id: id } = await record(api, payment(from, { key: unique('o') }));
    const answer = await api.put(`payments/${id}/payer`, { customer_key: to });
    if (answer.status !== 502) assert.equal(dataOf(answer).after.customer_key, to);
    const { body } = await api.get(`customers/journey?customer_key=${to}`);
    assert.equal(body.data.total_count, 2);
    refusal(await api.put(`payments/${id}/payer`, { customer_key: unique('nobody') }), 422, 'customer_not_in_profile');
  });

  check('pay-006 pay-007 pay-013', 'records a refund, undoes it and records another', async ({ api, unique }) => {
    const { outcome_event_id: id } = await record(api, payment(unique('refund'), { key: unique('o'), value: '60.00' }));
    assert.equal(dataOf(await api.post(`payments/${id}/refund`, { amount: '20.00' })).after.net, '40.00');
    assert.equal(dataOf(await api.delete(`payments/${id}/refund`)).after.net, '60.00');
    assert.equal(dataOf(await api.post(`payments/${id}/refund`)).after.net, '0.00');
  });

  check('pay-010 err-092', 'returns 422 amount_invalid for a refund of zero or less', async ({ api, unique }) => {
    const { outcome_event_id: id } = await record(api, payment(unique('nothing'), { key: unique('o') }));
    for (const amount of ['0', '0.00', '-1.00', 'all'])
      refusal(await api.post(`payments/${id}/refund`, { amount }), 422, 'amount_invalid');
  });

  check(
    'pay-011 err-092',
    "refuses a refund of more than is left after the provider's own",
    async ({ api, unique }) => {
      const key = unique('o');
      const customer = unique('left');
      const { outcome_event_id: id } = await record(api, payment(customer, { key, value: '50.00' }));
      refusal(await api.post(`payments/${id}/refund`, { amount: '50.01' }), 422, 'amount_invalid');
      await record(api, payment(customer, { key: unique('r'), value: '20.00', refund_of: key }));
      const { message } = refusal(await api.post(`payments/${id}/refund`, { amount: '30.01' }), 422, 'amount_invalid');
      assert.match(message, /30\.00/);
      assert.equal(dataOf(await api.post(`payments/${id}/refund`, { amount: '30.00' })).after.net, '0.00');
    },
  );

  check('pay-012 err-093', 'returns 422 manual_refund_exists for a second manual refund', async ({ api, unique }) => {
    const { outcome_event_id: id } = await record(api, payment(unique('second'), { key: unique('o') }));
    dataOf(await api.post(`payments/${id}/refund`, { amount: '1.00' }));
    refusal(await api.post(`payments/${id}/refund`, { amount: '2.00' }), 422, 'manual_refund_exists');
  });

  check(
    'pay-008 pay-009',
    'accepts a payment of a card gateway without a connection, once per external_id',
    async ({ api, unique, clock }) => {
      const customer = unique('card');
      const body = {
        external_id: unique('gateway'),
        amount: '45.00',
        currency: 'USD',
        paid_at: clock.at(-60_000),
        user_traits: { external_id: customer },
      };
      const first = dataOf(await api.post('payments/cardpay', body), 202);
      assert.equal(dataOf(await api.post('payments/cardpay', body), 202).id, first.id);
      const read = dataOf(await api.get(`payments/${first.id}`));
      assert.deepEqual([read.amount, read.currency, read.customer_key], ['45.00', 'USD', customer]);
    },
  );

  check('err-074', 'refuses a payer who is not a customer of the profile', async ({ api, unique }) => {
    const { outcome_event_id: id } = await record(api, payment(unique('payer'), { key: unique('o') }));
    const customer_profile_id = '0195d3a0-0000-7000-8000-000000000000';
    refusal(await api.put(`payments/${id}/payer`, { customer_profile_id }), 422, 'customer_not_in_profile');
  });

  check('', 'previews an action with dry_run, without executing it', async ({ api, unique }) => {
    const { outcome_event_id: id } = await record(api, payment(unique('dry'), { key: unique('o'), value: '10.00' }));
    assert.equal(dataOf(await api.post(`payments/${id}/refund?dry_run=true`, { amount: '4.00' })).after.net, '6.00');
    assert.equal(dataOf(await api.get(`payments/${id}`)).net, '10.00');
  });
});
