import { setTimeout as sleep } from 'node:timers/promises';
import { openTestWithClickHouse } from '@tributary/testkit';
import { hourMs } from '@tributary/vocabulary';
import { beforeEach, describe, expect, test } from 'vitest';
import { openStore } from './sales.fixture.ts';

const world = await openTestWithClickHouse();
const days = 'date_from=2026-05-01&date_to=2026-05-31';

let store: Awaited<ReturnType<typeof openStore>>;
beforeEach(async () => {
  store = await openStore(world);
});

/** Revenue of the overview, now or as of a time. */
const revenue = async (asOf?: Date): Promise<number> => {
  await store.attribute();
  const { body } = await store.ask(`/api/v1/overview?${days}${asOf ? `&as_of=${asOf.toISOString()}` : ''}`);
  expect(body.error).toBeUndefined();
  return body.data.totals.outcome_value;
};

/** A timestamp that differs from all stored ones. */
async function timestamp(): Promise<Date> {
  await sleep(20);
  const now = new Date();
  await sleep(20);
  return now;
}

describe('the revenue of a sale that two sources report', () => {
  test('is reproducible as of before and after a late reference, and the change report names the cause', async () => {
    await store.serve('order-1', 'ana', '49.90', 0);
    await store.provide('payments_a', [{ id: 'ch_0000000001', customer: 'ana', value: '49.90', minutes: 90 }]);
    expect(await revenue()).toBe(99.8);
    const before = await timestamp();
    await store.serve('order-1', 'ana', '49.90', 0, { payment_id: 'ch_0000000001' });
    expect(await revenue()).toBe(49.9);
    const after = await timestamp();
    // `as_of` must be some minutes in the past.
    world.kit.clock.set(new Date(Date.now() + hourMs));
    expect(await revenue(before)).toBe(99.8);
    expect(await revenue(after)).toBe(49.9);
    const { body } = await store.ask(`/api/v1/changes?${days}&field=outcome_value&from=${before.toISOString()}`);
    expect(body.data).toMatchObject({
      before: '99.80',
      after: '49.90',
      causes: [{ causes: expect.arrayContaining(['match']), difference: '-49.90' }],
    });
  });

  test('follows a merge of its customers and the undoing of the merge', async () => {
    for (let n = 0; n < 20; n += 1) await store.serve(`server-${n}`, `person-${n}`, `${10 + n}.00`, n * 60);
    await store.provide(
      'payments_a',
      Array.from({ length: 20 }, (_, n) => ({
        id: `ch_${n}`,
        customer: `person-${n}`,
        value: `${10 + n}.00`,
        minutes: n * 60,
      })),
    );
    const shared = await revenue();
    expect(shared).toBe(390);
    await store.serve('server-bea', 'bea', '500.00', 600);
    await store.provide('payments_a', [{ id: 'ch_bob', customer: 'bob', value: '500.00', minutes: 601 }]);
    expect(await revenue()).toBe(shared + 1000);
    const lead = {
      event_name: 'lead_created',
      idempotency_key: 'lead-1',
      occurred_at: '2026-05-12T12:00:00.000Z',
      properties: {},
    };
    await store.post('/api/v1/events', {
      ...lead,
      user_traits: { email: 'bea@example.test', store_customer_id: 'bea-1' },
    });
    await store.post('/api/v1/events', {
      ...lead,
      idempotency_key: 'lead-2',
      user_traits: { email: 'bob@example.test', store_customer_id: 'bea-1' },
    });
    expect(await revenue()).toBe(shared + 500);
    const today = world.kit.clock.now().toISOString().slice(0, 10);
    const { body } = await store.ask(`/api/v1/merges?date_from=${today}&date_to=${today}`);
    const undone = await store.call('POST', `/api/v1/merges/${body.data[0]?.id}/undo`, { reason: 'two people' });
    expect(undone.statusCode, undone.body).toBe(200);
    expect(await revenue()).toBe(shared + 1000);
  });
});
