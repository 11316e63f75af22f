import { firstPayments } from '@tributary/domain/commerce/payments/module.ts';
import { type EventSender, openEventSender, openTest, paymentEvent, processQueue } from '@tributary/testkit';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';

const { kit, api } = await openTest();
let sender: EventSender;
beforeEach(async () => {
  sender = await openEventSender(kit, api);
});

const inProfile = <Row>(text: ReturnType<typeof sql<Row>>) =>
  kit.app.forProfile(sender.profileId).transaction(async (tx) => (await text.execute(tx)).rows);

/** Compares the stored totals with totals computed from the outcomes. */
async function expectTotalsToMatch() {
  const counted = await inProfile(sql`
    SELECT customer_id, event_key, event_type_key, currency, outcomes::int, trim_scale(amount)::text AS amount FROM outcome_totals ORDER BY 1, 2, 3, 4`);
  const recomputed = await inProfile(sql`
    SELECT customer_id, event_key, event_type_key, coalesce(reporting_currency, '') AS currency, count(*)::int AS outcomes,
      trim_scale(coalesce(sum(reporting_amount), 0))::text AS amount
    FROM outcomes WHERE customer_id IS NOT NULL GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`);
  expect(counted).toEqual(recomputed);
  return counted.length;
}
const searchTotals = async (q: string) => {
  const { data } = await sender.get(`/api/v1/customers/search?q=${encodeURIComponent(q)}`);
  return data.map((one: { conversion_count: number; cash_revenue: string }) => [
    one.conversion_count,
    one.cash_revenue,
  ]);
};
const withCustomer = (event: object, first_name: string, external_id: string) => ({
  ...event,
  user_traits: { external_id, first_name },
});

test('search returns all conversions and the revenue of payments in the reporting currency', async () => {
  await sender.post(withCustomer(paymentEvent({ value: 1_000 }), 'Rosa', 'r-1'));
  await sender.post(withCustomer(paymentEvent({ value: 2_500 }), 'Rosa', 'r-1'));
  await sender.post(withCustomer({ event_name: 'lead_created' }, 'Rosa', 'r-1'));
  // An event without definition, and a payment without exchange rate.
  await sender.post(withCustomer({ event_name: 'something else' }, 'Rosa', 'r-1'));
  await sender.post(withCustomer(paymentEvent({ value: 7, currency: 'PEN' }), 'Rosa', 'r-1'));
  expect(await searchTotals('rosa')).toEqual([[4, '3500']]);
  await expectTotalsToMatch();
});

test('after a change of the reporting currency, amounts in the old currency are not added', async () => {
  await sender.post(withCustomer(paymentEvent({ value: 1_000, currency: 'CLP' }), 'Pia', 'p-1'));
  await inProfile(sql`UPDATE profiles SET reporting_currency = 'USD'`);
  // The earlier payment is not converted yet.
  await sender.post(withCustomer(paymentEvent({ value: 30, currency: 'USD' }), 'Pia', 'p-1'));
  expect(await searchTotals('pia')).toEqual([[2, '30.00']]);
  await expectTotalsToMatch();
});

test('a new definition also counts outcomes recorded before it', async () => {
  await sender.post(withCustomer({ ...paymentEvent({ value: 900 }), event_name: 'abono' }, 'Luz', 'l-1'));
  expect(await searchTotals('luz')).toEqual([[0, '0']]);
  const { status } = await sender.send('/api/v1/goals/definitions', {
    name: 'Abonos',
    conversion_key: 'abono',
    event_names: ['abono'],
    counts_as_cash: true,
  });
  expect(status).toBeLessThan(300);
  expect(await searchTotals('luz')).toEqual([[1, '900']]);
});

test('the event type counts only if no definition lists the event name', async () => {
  const typed = (key: string, event_name: string, value: number) =>
    withCustomer({ ...paymentEvent({ key, value }), event_name, event_type: 'payment_received' }, 'Ema', 'e-1');
  await sender.post(typed('ordered', 'order_placed', 900));
  await sender.post(typed('paid', 'caja 3', 500));
  expect(await searchTotals('ema')).toEqual([[2, '500']]);
  const flags = { ordered: null, paid: true };
  expect(await sender.flags()).toEqual(flags);
  // The same result when derived again from all her payments.
  await inProfile(sql`INSERT INTO dirty_customers (profile_id, customer_id) SELECT profile_id, id FROM customers`);
  await processQueue(kit.system, 'firstPayments', firstPayments(kit.app));
  expect(await sender.flags()).toEqual(flags);
});

test('totals follow updates, moves, merges and deletions', async () => {
  await sender.post(paymentEvent({ key: 'k-1', customer: 'a', value: 100 }));
  await sender.post(paymentEvent({ key: 'k-1', customer: 'a', value: 250 }));
  await sender.post(paymentEvent({ key: 'k-2', customer: 'b', value: 50 }));
  // Moves the outcome to another customer.
  await sender.post(paymentEvent({ key: 'k-2', customer: 'a', value: 50 }));
  expect(await expectTotalsToMatch()).toBe(1);
  await sender.post({ ...paymentEvent({ value: 10 }), user_traits: { external_id: 'c', phone: '+56912345678' } });
  await sender.post({ ...paymentEvent({ value: 10 }), user_traits: { email: 'd@example.cl' } });
  await sender.post({ ...paymentEvent({ value: 10 }), user_traits: { external_id: 'c', email: 'd@example.cl' } });
  expect(await expectTotalsToMatch()).toBe(2);
  await inProfile(sql`UPDATE outcomes SET reporting_amount = 77 WHERE idempotency_key = 'k-1'`);
  await inProfile(sql`UPDATE outcomes SET customer_id = NULL WHERE idempotency_key = 'k-2'`);
  await expectTotalsToMatch();
  await inProfile(sql`DELETE FROM outcomes WHERE idempotency_key = 'k-1'`);
  expect(await expectTotalsToMatch()).toBe(1);
});

test('concurrent batches for the same customers are counted correctly', async () => {
  const batch = (round: number) =>
    Array.from({ length: 30 }, (_, index) =>
      paymentEvent({ key: `${round}-${index}`, customer: `m-${(index * (round + 3)) % 7}`, value: index + 1 }),
    );
  const responses = await Promise.all(Array.from({ length: 8 }, (_, round) => sender.post({ events: batch(round) })));
  expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 202));
  expect(await expectTotalsToMatch()).toBe(7);
});

test('deleting a profile deletes its totals', async () => {
  await sender.post(paymentEvent());
  await kit.app
    .forProfile(sender.profileId)
    .transaction((tx) => tx.deleteFrom('profiles').where('id', '=', sender.profileId).execute());
  expect(await inProfile(sql`SELECT * FROM outcome_totals`)).toEqual([]);
});
