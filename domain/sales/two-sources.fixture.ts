import {
  type openTestWithClickHouse,
  type ProvidedPayment,
  providePayments,
  type SceneTraits,
  scene,
} from '@tributary/testkit';
import type { OutcomeProvider } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';

const minute = 60_000;
const noon = Date.UTC(2026, 4, 10, 12);

/** A store whose server and providers report payments. */
export async function openStore(world: Awaited<ReturnType<typeof openTestWithClickHouse>>, traits: SceneTraits = {}) {
  const { kit } = world;
  const store = await scene(world, {
    scopes: ['commerce:read', 'attribution:write', 'campaigns:read', 'customers:read', 'conversions:read'],
    reportingCurrency: 'USD',
    ...traits,
  });
  const at = (minutes: number) => new Date(noon + minutes * minute).toISOString();
  /** A payment that the store's server reports. */
  const serve = (
    key: string,
    customer: string | null,
    value: string,
    minutes: number,
    properties: object = {},
    more: object = {},
  ) =>
    store.post('/api/v1/events', {
      event_name: 'payment_received',
      idempotency_key: key,
      occurred_at: at(minutes),
      properties: { value, currency: 'USD', ...properties },
      user_traits: customer ? { email: `${customer}@example.test` } : {},
      ...more,
    });
  /** Payments that a provider reports, as a page of its sync. */
  const provide = (source: OutcomeProvider, payments: readonly Payment[]) =>
    providePayments(
      kit,
      store.profileId,
      { source },
      payments.map(({ minutes, ...payment }) => ({ ...payment, at: new Date(at(minutes)) })),
    );
  return {
    ...store,
    serve,
    provide,
    eraseCustomer: (email: string) => store.post('/api/v1/customers/erasures', { request_ref: uuid(), email }),
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

export interface Payment extends Omit<ProvidedPayment, 'at'> {
  readonly minutes: number;
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
