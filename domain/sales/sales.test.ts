import { type ReadEvent, readOneOfMany, recordOutcomes } from '@tributary/domain/outcomes';
import { openTestWithClickHouse, scene, testOutcomeServices } from '@tributary/testkit';
import type { OutcomeProvider } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { beforeEach, describe, expect, test } from 'vitest';

const world = await openTestWithClickHouse();
const { kit } = world;
const minute = 60_000;
const noon = Date.UTC(2026, 4, 10, 12);

async function openStore() {
  const store = await scene(world, {
    scopes: ['commerce:read', 'attribution:write', 'campaigns:read', 'customers:read', 'conversions:read'],
    reportingCurrency: 'USD',
  });
  const at = (minutes: number) => new Date(noon + minutes * minute).toISOString();
  /** A payment that the store's server reports. */
  const serve = (key: string, customer: string | null, value: string, minutes: number, properties: object = {}) =>
    store.post('/api/v1/events', {
      event_name: 'payment_received',
      idempotency_key: key,
      occurred_at: at(minutes),
      properties: { value, currency: 'USD', ...properties },
      user_traits: customer ? { email: `${customer}@example.test` } : {},
    });
  /** Payments that a provider reports, as a page of its sync. */
  const provide = (source: OutcomeProvider, payments: readonly Payment[]) =>
    kit.app.forProfile(store.profileId).transaction(async (tx) => {
      const now = kit.clock.now();
      const reads = payments.map(({ id, customer, value, minutes, properties }): ReadEvent => {
        const key = `${source}:${id}:payment_received`;
        const body = {
          event_name: 'payment_received',
          idempotency_key: key,
          occurred_at: at(minutes),
          properties: { value, currency: 'USD', ...properties },
          user_traits: customer ? { email: `${customer}@example.test` } : {},
        };
        const read = readOneOfMany(store.profileId, body, now, () => key);
        if (!('event' in read)) throw new Error(JSON.stringify(read));
        return { ...read, provided: { externalId: id, outcomeType: 'payment_received' } };
      });
      await recordOutcomes(tx, reads, {
        ...testOutcomeServices,
        profileId: store.profileId,
        now,
        evidence: { source, saidAt: now, requestId: `req_${uuid()}` },
        teller: { source, connectionId: null },
      });
    });
  const giveBack = (source: OutcomeProvider, of: string, key: string, amount: string) =>
    kit.app.forProfile(store.profileId).transaction((tx) =>
      testOutcomeServices.payments.refund(
        tx,
        store.profileId,
        [
          {
            idempotencyKey: key,
            paymentRef: of,
            kind: 'refund',
            status: 'completed',
            amount,
            currency: 'USD',
            refundedAt: kit.clock.now(),
          },
        ],
        { source, now: kit.clock.now() },
      ),
    );
  return {
    ...store,
    serve,
    provide,
    giveBack,
    /** Revenue and payments of the month, as Overview has them. */
    async overview() {
      await store.attribute();
      const { body } = await store.ask('/api/v1/overview?date_from=2026-05-01&date_to=2026-05-31');
      return { body };
    },
    async payments(): Promise<Row[]> {
      const { body } = await store.ask('/api/v1/payments?from=2026-05-01&to=2026-05-31&limit=100');
      return body.data;
    },
    async revenue() {
      await store.attribute();
      const { rows } = await kit.app.forProfile(store.profileId).transaction((tx) =>
        sql<{ revenue: string }>`
          SELECT coalesce(sum(reporting_amount), 0)::text AS revenue FROM outcome_meanings WHERE profile_id = ${store.profileId} AND counts_as_cash`.execute(
          tx,
        ),
      );
      return rows[0]?.revenue;
    },
  };
}

interface Payment {
  readonly id: string;
  readonly customer: string | null;
  readonly value: string;
  readonly minutes: number;
  readonly properties?: object;
}
interface Row {
  readonly id: string;
  readonly external_id: string;
  readonly counted: boolean;
  readonly sale_id: string;
  readonly net: string;
  readonly is_first_payment: boolean | null;
  readonly records: readonly { external_id: string; counted: boolean }[];
}

let store: Awaited<ReturnType<typeof openStore>>;
beforeEach(async () => {
  store = await openStore();
});

describe('A sale that two sources report', () => {
  test('counts once by its reference, and shows both records', async () => {
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
    await store.provide('payments_a', [...charges, { id: 'ch_new', customer: 'somebody', value: '7.00', minutes: 30 }]);
    expect(Number(await store.revenue())).toBeCloseTo(before + 7, 10);
    const rows = await store.payments();
    expect(rows.filter(({ counted }) => counted)).toHaveLength(25);
    expect(rows.filter(({ counted, external_id }) => counted && external_id.startsWith('ch_'))).toHaveLength(25);
    // Each customer has one first payment, not two.
    expect(rows.filter(({ is_first_payment }) => is_first_payment)).toHaveLength(25);
  });

  test('is suggested and counted twice while too few records of two sources overlap', async () => {
    await store.serve('server-1', 'ana', '49.90', 0);
    await store.provide('payments_a', [{ id: 'ch_1', customer: 'ana', value: '49.90', minutes: 1 }]);
    expect(await store.revenue()).toBe('99.80');
  });

  test('is reduced once by a refund that both report, and also by one that only the duplicate knows', async () => {
    await store.serve('order-78', 'ana', '100.00', 0, { payment_id: 'ch_0000000002' });
    await store.provide('payments_a', [{ id: 'ch_0000000002', customer: 'ana', value: '100.00', minutes: 1 }]);
    await store.attribute();
    await store.giveBack('payments_a', 'ch_0000000002', 're_1', '30');
    await store.giveBack('payments_b', 'order-78', 'refund-1', '30');
    expect(await store.revenue()).toBe('70.00');
    await store.giveBack('payments_b', 'order-78', 'refund-2', '20');
    expect(await store.revenue()).toBe('50.00');
    expect((await store.payments()).find(({ counted }) => counted)?.net).toBe('50.00');
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
