import { openTestWithClickHouse } from '@tributary/testkit';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { openStore } from './sales.fixture.ts';

const world = await openTestWithClickHouse();
let store: Awaited<ReturnType<typeof openStore>>;
beforeEach(async () => {
  store = await openStore(world);
});

describe('a sale that two sources report', () => {
  test('counts once by its reference, and lists both records', async () => {
    await store.serve('order-77', 'ana', '49.90', 0, { payment_id: 'ch_0000000001' });
    expect(await store.revenue()).toBe('49.90');
    await store.provide('payments_a', [{ id: 'ch_0000000001', customer: 'ana', value: '49.90', minutes: 2 }]);
    expect(await store.revenue()).toBe('49.90');
    const [one, other] = await store.payments();
    expect([one, other].map((row) => [row?.external_id, row?.counted])).toEqual([
      ['ch_0000000001', true],
      ['order-77', false],
    ]);
    expect(other?.sale_id).toBe(one?.id);
    expect(one?.records.map(({ external_id, counted }) => [external_id, counted])).toEqual([
      ['ch_0000000001', true],
      ['order-77', false],
    ]);
  });

  test('revenue changes by exactly the unmatched charges when a provider with the same payments is connected', async () => {
    const shared = Array.from({ length: 24 }, (_, n) => ({ n, value: `${10 + n}.50`, minutes: n * 60 }));
    for (const { n, value, minutes } of shared) await store.serve(`server-${n}`, `person-${n}`, value, minutes);
    const before = Number(await store.revenue());
    const charges = shared.map(({ n, value, minutes }) => ({
      id: `ch_${n}`,
      customer: `person-${n}`,
      value,
      minutes: minutes + 1,
    }));
    await store.provide('payments_a', [
      ...charges,
      { id: 'ch_new', customer: 'new-customer', value: '7.00', minutes: 30 },
    ]);
    expect(Number(await store.revenue())).toBeCloseTo(before + 7, 10);
    const rows = await store.payments();
    expect(rows.filter(({ counted }) => counted)).toHaveLength(25);
    expect(rows.filter(({ counted, external_id }) => counted && external_id.startsWith('ch_'))).toHaveLength(25);
    // Each customer has one first payment, not two.
    expect(rows.filter(({ is_first_payment }) => is_first_payment)).toHaveLength(25);
  });

  test('is only suggested, and counts twice, while too few records of the two sources overlap', async () => {
    await store.serve('server-1', 'ana', '49.90', 0);
    await store.provide('payments_a', [{ id: 'ch_1', customer: 'ana', value: '49.90', minutes: 1 }]);
    expect(await store.revenue()).toBe('99.80');
  });

  test('is reduced once by a refund that both sources report, and by one that only the duplicate has', async () => {
    await store.serve('order-78', 'ana', '100.00', 0, { payment_id: 'ch_0000000002' });
    await store.provide('payments_a', [{ id: 'ch_0000000002', customer: 'ana', value: '100.00', minutes: 1 }]);
    await store.attribute();
    await store.refund('payments_a', 'ch_0000000002', 're_1', '30');
    await store.refund('payments_b', 'order-78', 'refund-1', '30');
    expect(await store.revenue()).toBe('70.00');
    await store.refund('payments_b', 'order-78', 'refund-2', '20');
    expect(await store.revenue()).toBe('50.00');
    expect((await store.payments()).find(({ counted }) => counted)?.net).toBe('50.00');
  });

  test('counts once if the first source does not name the customer', async () => {
    await store.serve('order-80', null, '10.00', 0, { payment_id: 'ch_0000000004' });
    await store.provide('payments_a', [{ id: 'ch_0000000004', customer: 'ana', value: '10.00', minutes: 1 }]);
    expect(await store.revenue()).toBe('10.00');
  });

  test('still counts once after its customer was erased with the reference', async () => {
    await store.serve('order-81', 'ana', '10.00', 0, { payment_id: 'ch_0000000005' });
    await store.provide('payments_a', [{ id: 'ch_0000000005', customer: 'ana', value: '10.00', minutes: 60 }]);
    expect(await store.revenue()).toBe('10.00');
    await store.post('/api/v1/customers/erasures', { request_ref: 'ticket-1', email: 'ana@example.test' });
    expect(await store.revenue()).toBe('10.00');
    const { rows } = await store.ledger.transaction((tx) =>
      sql`SELECT evidence, reference, state FROM sale_matches WHERE valid_to IS NULL`.execute(tx),
    );
    expect(rows).toEqual([{ evidence: 'reference', reference: null, state: 'automatic' }]);
  });

  test('matches another record when its matched one is corrected', async () => {
    const paid = { payment_id: 'ch_0000000006' };
    await store.serve('order-82', 'ana', '10.00', 0, paid);
    await store.serve('order-83', 'ana', '10.00', 5, paid);
    await store.provide('payments_a', [{ id: 'ch_0000000006', customer: 'ana', value: '10.00', minutes: 1 }]);
    expect(await store.revenue()).toBe('20.00');
    await store.serve('order-82', 'bo', '3.00', 0);
    expect(await store.revenue()).toBe('13.00');
    const counted = (await store.payments()).filter((row) => row.counted).map(({ external_id }) => external_id);
    expect(counted.sort()).toEqual(['ch_0000000006', 'order-82']);
  });

  test('matches equal purchases in order after one of them is corrected to another amount', async () => {
    const seconds = (n: number) => n / 60;
    for (const [key, minutes] of [
      ['order-84', 0],
      ['order-85', 1],
      ['order-86', 9],
    ] as const)
      await store.serve(key, 'ana', '10.00', minutes);
    const charges = [50, 110].map((n) => ({ id: `ch_${n}`, customer: 'ana', value: '10.00', minutes: seconds(n) }));
    await store.provide('payments_a', charges);
    await store.attribute();
    await store.serve('order-86', 'ana', '5.00', 9);
    await store.attribute();
    const { rows } = await store.ledger.transaction((tx) =>
      sql<{ pair: string }>`
        SELECT concat_ws(' ', least(a.idempotency_key, b.idempotency_key), greatest(a.external_id, b.external_id)) AS pair FROM sale_matches m
        JOIN outcomes a ON a.id = m.first_id JOIN outcomes b ON b.id = m.second_id WHERE m.valid_to IS NULL ORDER BY 1`.execute(
        tx,
      ),
    );
    expect(rows.map(({ pair }) => pair)).toEqual(['order-84 ch_50', 'order-85 ch_110']);
  });

  test('moves a refund to the sale that its record belongs to', async () => {
    const paid = { payment_id: 'ch_0000000007' };
    await store.serve('order-87', 'ana', '10.00', 5, paid);
    await store.provide('payments_a', [{ id: 'ch_0000000007', customer: 'ana', value: '10.00', minutes: 0 }]);
    await store.refund('payments_b', 'order-87', 'refund-3', '4');
    await store.attribute();
    expect(await store.revenue()).toBe('6.00');
    await store.serve('order-87', 'ana', '10.00', 5);
    expect(await store.revenue()).toBe('16.00');
    const nets = (await store.payments()).map(({ external_id, net }) => [external_id, net]);
    expect(nets.sort()).toEqual([
      ['ch_0000000007', '10.00'],
      ['order-87', '6.00'],
    ]);
  });

  test('reports count it once', async () => {
    await store.serve('order-79', 'ana', '10.00', 0, { payment_id: 'ch_0000000003' });
    await store.provide('payments_a', [{ id: 'ch_0000000003', customer: 'ana', value: '10.00', minutes: 1 }]);
    const { body } = await store.overview();
    expect(body.data.totals).toMatchObject({ outcome_count: 1, outcome_value: 10 });
    expect(body.meta.exclusions).toEqual([
      { of: 'payments', reason: 'duplicate', currency: 'USD', count: 1, amount: '10.00' },
    ]);
  });
});
