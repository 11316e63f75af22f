import { scene, type World } from '@tributary/testkit';

/** Opens a test profile with a key that can manage its payments. */
export async function openMerchant(world: World) {
  const shop = await scene(world, {
    scopes: ['commerce:read', 'attribution:write', 'conversions:read', 'customers:read', 'campaigns:read'],
    reportingCurrency: 'USD',
  });
  const answerOf = async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object) => {
    const answer = await shop.call(method, `/api/v1${path}`, body);
    return { status: answer.statusCode, body: answer.json() };
  };
  const event = (body: object) => answerOf('POST', '/events', { event_name: 'payment_received', ...body });
  const pay = async (key: string, day: number, value: string, customer?: string, more: object = {}) =>
    (
      await event({
        idempotency_key: key,
        occurred_at: new Date(Date.UTC(2026, 4, day, 12)).toISOString(),
        properties: { value, currency: 'USD' },
        user_traits: customer ? { external_id: customer } : {},
        ...more,
      })
    ).body.data.outcome_event_id as string;
  const refund = (key: string, of: string, value: string, more: object = {}) =>
    event({ event_name: 'refund', idempotency_key: key, refund_of: of, properties: { value }, ...more });
  const list = async (query: Record<string, string> = {}) =>
    answerOf('GET', `/payments?${new URLSearchParams({ from: '2026-05-01', to: '2026-05-31', ...query })}`);
  return {
    ...shop,
    answerOf,
    event,
    pay,
    refund,
    list,
    read: async (id: string) => (await answerOf('GET', `/payments/${id}`)).body.data,
    put: (id: string, what: 'installment' | 'payer', body: object, query = '') =>
      answerOf('PUT', `/payments/${id}/${what}${query}`, body),
    refundByHand: (id: string, amount?: string | number, query = '') =>
      answerOf('POST', `/payments/${id}/refund${query}`, amount === undefined ? {} : { amount }),
    undoRefund: (id: string, query = '') => answerOf('DELETE', `/payments/${id}/refund${query}`),
    /** Whether each payment is a first payment, by external id. */
    flags: async () => {
      const { body } = await list();
      return Object.fromEntries(
        body.data.map((row: { external_id: string; is_first_payment: boolean }) => [
          row.external_id,
          row.is_first_payment,
        ]),
      );
    },
  };
}
export type Merchant = Awaited<ReturnType<typeof openMerchant>>;
