import { firstPayments } from '@tributary/domain/payments/room.ts';
import { type EventSender, openEventSender, openTest, paymentEvent, workOff } from '@tributary/testkit';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';

const { kit, api } = await openTest();
let sender: EventSender;
beforeEach(async () => {
  sender = await openEventSender(kit, api);
});

const inProfile = <Row>(text: ReturnType<typeof sql<Row>>) =>
  kit.app.forProfile(sender.profileId).transaction(async (tx) => (await text.execute(tx)).rows);

/** What the ledger has counted, and what counting anew gives. */
async function expectTrue() {
  const counted = await inProfile(sql`
    SELECT customer_id, event_key, event_type_key, currency, outcomes::int, trim_scale(amount)::text AS amount FROM outcome_totals ORDER BY 1, 2, 3, 4`);
  const anew = await inProfile(sql`
    SELECT customer_id, event_key, event_type_key, coalesce(reporting_currency, '') AS currency, count(*)::int AS outcomes,
      trim_scale(coalesce(sum(reporting_amount), 0))::text AS amount
    FROM outcomes WHERE customer_id IS NOT NULL GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`);
  expect(counted).toEqual(anew);
  return counted.length;
}
const found = async (q: string) => {
  const { data } = await sender.get(`/api/v1/customers/search?q=${encodeURIComponent(q)}`);
  return data.map((one: { conversion_count: number; cash_revenue: string }) => [
    one.conversion_count,
    one.cash_revenue,
  ]);
};
const named = (event: object, first_name: string, external_id: string) => ({
  ...event,
  user_traits: { external_id, first_name },
});

test('a search shows true numbers: conversions of any kind, cash of payments, in the reporting currency', async () => {
  await sender.post(named(paymentEvent({ value: 1_000 }), 'Rosa', 'r-1'));
  await sender.post(named(paymentEvent({ value: 2_500 }), 'Rosa', 'r-1'));
  await sender.post(named({ event_name: 'lead_created' }, 'Rosa', 'r-1'));
  // No definition lists it; no rate is known for it.
  await sender.post(named({ event_name: 'something else' }, 'Rosa', 'r-1'));
  await sender.post(named(paymentEvent({ value: 7, currency: 'PEN' }), 'Rosa', 'r-1'));
  expect(await found('rosa')).toEqual([[4, '3500']]);
  await expectTrue();
});

test('after the reporting currency changed, cash in the old one is not added up as the new', async () => {
  await sender.post(named(paymentEvent({ value: 1_000, currency: 'CLP' }), 'Pia', 'p-1'));
  await inProfile(sql`UPDATE profiles SET reporting_currency = 'USD'`);
  // What came before waits for its conversion.
  await sender.post(named(paymentEvent({ value: 30, currency: 'USD' }), 'Pia', 'p-1'));
  expect(await found('pia')).toEqual([[2, '30.00']]);
  await expectTrue();
});

test('what a name means is looked up: a definition that comes later counts what was there before', async () => {
  await sender.post(named({ ...paymentEvent({ value: 900 }), event_name: 'abono' }, 'Luz', 'l-1'));
  expect(await found('luz')).toEqual([[0, '0']]);
  const { status } = await sender.send('/api/v1/goals/definitions', {
    name: 'Abonos',
    conversion_key: 'abono',
    event_names: ['abono'],
    counts_as_cash: true,
  });
  expect(status).toBeLessThan(300);
  expect(await found('luz')).toEqual([[1, '900']]);
});

test('an event means what its name means, and what its type means only where its name has no meaning', async () => {
  const typed = (key: string, event_name: string, value: number) =>
    named({ ...paymentEvent({ key, value }), event_name, event_type: 'payment_received' }, 'Ema', 'e-1');
  await sender.post(typed('ordered', 'order_placed', 900));
  await sender.post(typed('paid', 'caja 3', 500));
  expect(await found('ema')).toEqual([[2, '500']]);
  const flags = { ordered: null, paid: true };
  expect(await sender.flags()).toEqual(flags);
  // Derived again from all that the ledger has of her, too.
  await inProfile(sql`INSERT INTO dirty_customers (profile_id, customer_id) SELECT profile_id, id FROM customers`);
  await workOff(kit.system, 'firstPayments', firstPayments(kit.app));
  expect(await sender.flags()).toEqual(flags);
});

test('the totals follow updates, moves, merges and deletions, a statement at a time', async () => {
  await sender.post(paymentEvent({ key: 'k-1', customer: 'a', value: 100 }));
  await sender.post(paymentEvent({ key: 'k-1', customer: 'a', value: 250 }));
  await sender.post(paymentEvent({ key: 'k-2', customer: 'b', value: 50 }));
  // The same outcome is somebody else's now.
  await sender.post(paymentEvent({ key: 'k-2', customer: 'a', value: 50 }));
  expect(await expectTrue()).toBe(1);
  await sender.post({ ...paymentEvent({ value: 10 }), user_traits: { external_id: 'c', phone: '+56912345678' } });
  await sender.post({ ...paymentEvent({ value: 10 }), user_traits: { email: 'd@example.cl' } });
  await sender.post({ ...paymentEvent({ value: 10 }), user_traits: { external_id: 'c', email: 'd@example.cl' } });
  expect(await expectTrue()).toBe(2);
  await inProfile(sql`UPDATE outcomes SET reporting_amount = 77 WHERE idempotency_key = 'k-1'`);
  await inProfile(sql`UPDATE outcomes SET customer_id = NULL WHERE idempotency_key = 'k-2'`);
  await expectTrue();
  await inProfile(sql`DELETE FROM outcomes WHERE idempotency_key = 'k-1'`);
  expect(await expectTrue()).toBe(1);
});

test('many at once, of the same people in any order, are counted right', async () => {
  const batch = (round: number) =>
    Array.from({ length: 30 }, (_, index) =>
      paymentEvent({ key: `${round}-${index}`, customer: `m-${(index * (round + 3)) % 7}`, value: index + 1 }),
    );
  const answers = await Promise.all(Array.from({ length: 8 }, (_, round) => sender.post({ events: batch(round) })));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 202));
  expect(await expectTrue()).toBe(7);
});

test('a profile goes with its totals', async () => {
  await sender.post(paymentEvent());
  await kit.app
    .forProfile(sender.profileId)
    .transaction((tx) => tx.deleteFrom('profiles').where('id', '=', sender.profileId).execute());
  expect(await inProfile(sql`SELECT * FROM outcome_totals`)).toEqual([]);
});
