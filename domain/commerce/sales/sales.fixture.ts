import {
  type openTestWithClickHouse,
  type ProvidedPayment,
  providePayments,
  type SceneTraits,
  scene,
  testOutcomeServices,
} from '@tributary/testkit';
import type { OutcomeProvider } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import type { MatchResponse } from './match-response.ts';
import type { SourcesResponse } from './sources-response.ts';

const minute = 60_000;
const noon = Date.UTC(2026, 4, 10, 12);

/** A test profile whose payments are reported by its server and by providers. */
export async function openStore(world: Awaited<ReturnType<typeof openTestWithClickHouse>>, traits: SceneTraits = {}) {
  const { kit } = world;
  const store = await scene(world, {
    scopes: ['commerce:read', 'attribution:write', 'campaigns:read', 'customers:read', 'conversions:read'],
    reportingCurrency: 'USD',
    ...traits,
  });
  const at = (minutes: number) => new Date(noon + minutes * minute).toISOString();
  /** Reports a payment from the store's server. */
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
  /** Reports payments from a provider, like a page of its sync. */
  const provide = (source: OutcomeProvider, payments: readonly Payment[], connectionId: string | null = null) =>
    providePayments(
      kit,
      store.profileId,
      { source, connectionId },
      payments.map(({ minutes, ...payment }) => ({ ...payment, at: new Date(at(minutes)) })),
    );
  const refund = (source: OutcomeProvider, of: string, key: string, amount: string) =>
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
  const answerOf = async (method: 'GET' | 'POST' | 'PUT' | 'PATCH', path: string, body?: object) => {
    const answer = await store.call(method, `/api/v1${path}`, body);
    return { status: answer.statusCode, body: answer.json() };
  };
  return {
    ...store,
    answerOf,
    matches: async (query: Record<string, string> = {}): Promise<MatchResponse[]> =>
      (await answerOf('GET', `/sale-matches?${new URLSearchParams({ limit: '100', ...query })}`)).body.data,
    sources: async (): Promise<SourcesResponse> => (await answerOf('GET', '/sale-sources')).body.data,
    /** Sends the undo request that a change returned. */
    async sendUndo({ undo }: { undo: { method: 'POST' | 'PUT' | 'PATCH'; path: string; body: object | null } }) {
      const answer = await store.call(undo.method, undo.path, undo.body ?? undefined);
      return { status: answer.statusCode, body: answer.json() };
    },
    serve,
    provide,
    refund,
    eraseCustomer: (email: string) => store.post('/api/v1/customers/erasures', { request_ref: uuid(), email }),
    /** The overview report of the month. */
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
