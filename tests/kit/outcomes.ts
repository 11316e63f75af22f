import type { TestApi } from './api.ts';
import { buildProfile } from './builders.ts';
import { buildApiKey } from './keys.ts';
import type { Testkit } from './testkit.ts';

/** A profile and a key of its own that sends events. */
export async function openEventSender(kit: Testkit, api: TestApi) {
  const profileId = (await buildProfile(kit.app, { reportingCurrency: 'CLP' })).id;
  const { headers } = await buildApiKey(kit.app, profileId, {
    scopes: ['attribution:write', 'customers:read', 'goals:write', 'campaigns:read'],
  });
  const send = async (url: string, body: unknown) => {
    const response = await api.fastify.inject({
      method: 'POST',
      url,
      headers: { ...headers, 'content-type': 'application/json' },
      payload: JSON.stringify(body),
    });
    return { status: response.statusCode, headers: response.headers, body: response.json() };
  };
  const outcomes = () =>
    kit.app
      .forProfile(profileId)
      .transaction((tx) =>
        tx.selectFrom('outcomes').selectAll().orderBy('occurred_at').orderBy('idempotency_key').execute(),
      );
  return {
    profileId,
    headers: { ...headers },
    send,
    post: (body: unknown) => send('/api/v1/events', body),
    get: async (url: string) => (await api.fastify.inject({ url, headers: { ...headers } })).json(),
    outcomes,
    /** Of each outcome, by its key, whether it is a first payment. */
    flags: async () => Object.fromEntries((await outcomes()).map((row) => [row.idempotency_key, row.is_first_payment])),
  };
}
export type EventSender = Awaited<ReturnType<typeof openEventSender>>;

let keys = 0;

/** A payment as a body of POST /events, on a day of May 2026. */
export function paymentEvent(
  more: {
    key?: string;
    day?: number;
    customer?: string;
    value?: number | string;
    subject?: string;
    currency?: string;
  } = {},
) {
  keys += 1;
  return {
    event_name: 'payment_received',
    idempotency_key: more.key ?? `pay-${keys}`,
    occurred_at: new Date(Date.UTC(2026, 4, more.day ?? 1)).toISOString(),
    properties: {
      value: more.value ?? 1_000,
      currency: more.currency ?? 'CLP',
      ...(more.subject && { subject_ref: more.subject }),
    },
    user_traits: { external_id: more.customer ?? 'c-1' },
  };
}
