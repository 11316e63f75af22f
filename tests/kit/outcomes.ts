import { scene, type World } from './scene.ts';

/** Builds a shop that reports in Chilean pesos and sends events. */
export async function openEventSender(kit: World['kit'], api: World['api']) {
  const { profileId, full, call, ask, ledger } = await scene({ kit, api }, { reportingCurrency: 'CLP' });
  const send = async (url: string, body: unknown) => {
    const answer = await call('POST', url, JSON.stringify(body), { 'content-type': 'application/json' });
    return { status: answer.statusCode, headers: answer.headers, body: answer.json() };
  };
  const outcomes = () =>
    ledger.transaction((tx) =>
      tx.selectFrom('outcomes').selectAll().orderBy('occurred_at').orderBy('idempotency_key').execute(),
    );
  return {
    profileId,
    headers: { ...full },
    send,
    post: (body: unknown) => send('/api/v1/events', body),
    get: async (url: string) => (await ask(url)).body,
    outcomes,
    /** Maps each outcome's idempotency key to whether it is a first payment. */
    flags: async () => Object.fromEntries((await outcomes()).map((row) => [row.idempotency_key, row.is_first_payment])),
  };
}
export type EventSender = Awaited<ReturnType<typeof openEventSender>>;

let keys = 0;

/** The body of POST /events for a payment on a day of May 2026. */
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
