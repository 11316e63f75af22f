import { createHmac, randomBytes } from 'node:crypto';
import type { Company, CompanyDeps } from '../company.ts';
import { consentRoutes } from '../consent-page.ts';
import { bearerOf, json, type Reply, type SandboxRequest } from '../route.ts';
import { type Sale, salesOf } from '../sales.ts';
import { answerToken } from '../token-endpoint.ts';

const halfYearSeconds = 15_552_000;
export const mercadoPagoUser = '740000001';
/** A second seller, whose payments are in reais. */
export const secondMercadoPagoUser = '740000002';

export interface SandboxPayment {
  readonly id: number;
  status: string;
  status_detail: string;
  readonly transaction_amount: number;
  transaction_amount_refunded: number;
  readonly currency_id: string;
  readonly date_created: string;
  date_approved: string | null;
  date_last_updated: string;
  readonly payer: Readonly<Record<string, unknown>>;
  readonly external_reference: string;
  readonly live_mode: false;
  readonly collector_id: number;
  /** Every other payment contains only the refunded sum, and its refunds must be requested. */
  refunds: { id: number; payment_id: number; amount: number; status: string; date_created: string }[];
}

export interface MercadoPagoBook {
  readonly payments: SandboxPayment[];
  /** Creates a payment: 25.5 means 25.50 in the seller's currency. */
  pay(of: {
    readonly amount: number;
    readonly payer?: SandboxPayment['payer'];
    readonly user?: string;
    readonly currency?: string;
    readonly reference?: string;
  }): SandboxPayment;
  change(payment: SandboxPayment, to: Partial<Pick<SandboxPayment, 'status' | 'status_detail'>>): void;
  refund(payment: SandboxPayment, amount: number): void;
  webhook(of: { readonly type: string; readonly action?: string; readonly dataId?: string; readonly user?: string }): {
    readonly headers: Record<string, string>;
    readonly body: Uint8Array;
  };
  readonly webhookSecret: string;
}

export function createMercadoPagoCompany({ consents, now, world }: CompanyDeps): Company<MercadoPagoBook> {
  const webhookSecret = randomBytes(16).toString('hex');
  let made: SandboxPayment[] | undefined;
  const payments = (): SandboxPayment[] => {
    made ??= paymentsOf(salesOf(world.market));
    return made;
  };
  const withToken =
    (handle: (request: SandboxRequest, user: string) => Reply) =>
    (request: SandboxRequest): Reply => {
      const grant = consents.find(bearerOf(request), 'access', 'mercado-pago');
      if (typeof grant === 'string') return refused(401, 'unauthorized', 'invalid access token');
      return handle(request, grant.accounts[0] ?? mercadoPagoUser);
    };
  return {
    routes: [
      ...consentRoutes(
        {
          company: 'mercado-pago',
          name: 'Mercado Pago',
          path: '/mercado-pago/authorization',
          scopesBy: ' ',
          scopes: ['offline_access', 'read', 'write'],
          choose: 'one',
          accounts: () => sellers.map(({ id, nickname }) => ({ id, name: nickname })),
          endings: {
            cancel: { error: 'access_denied' },
            deny: { error: 'unauthorized_client' },
            fail: { error: 'server_error' },
          },
        },
        consents,
      ),
      {
        method: 'POST',
        path: '/mercado-pago/oauth/token',
        handle: (request) =>
          answerToken(request, consents, {
            of: 'mercado-pago',
            accessPrefix: 'APP_USR-',
            accessMs: halfYearSeconds * 1000,
            refreshPrefix: 'TG-',
            refreshMs: halfYearSeconds * 1000,
            answer: ({ scopes, accounts: [user] }) => ({
              token_type: 'Bearer',
              expires_in: halfYearSeconds,
              scope: scopes.join(' '),
              user_id: Number(user ?? mercadoPagoUser),
              public_key: 'APP_USR-public',
              live_mode: false,
            }),
          }),
      },
      {
        method: 'GET',
        path: '/mercado-pago/users/me',
        handle: withToken((_, user) => {
          const seller = sellers.find(({ id }) => id === user);
          return json(200, { id: Number(user), nickname: seller?.nickname, site_id: seller?.site });
        }),
      },
      { method: 'GET', path: '/mercado-pago/v1/payments/search', handle: withToken(search) },
      {
        method: 'GET',
        path: '/mercado-pago/v1/payments/:id',
        handle: withToken(({ params }) => {
          const payment = payments().find(({ id }) => String(id) === params.id);
          return payment ? json(200, payment) : refused(404, 'not_found', 'Payment not found');
        }),
      },
      {
        method: 'GET',
        path: '/mercado-pago/v1/payments/:id/refunds',
        handle: withToken(({ params }) => {
          const payment = payments().find(({ id }) => String(id) === params.id);
          return payment ? json(200, payment.refunds) : refused(404, 'not_found', 'Payment not found');
        }),
      },
    ],
    book: {
      get payments() {
        return payments();
      },
      pay({ amount, payer = anonymous, user = mercadoPagoUser, currency, reference }) {
        const at = now().toISOString();
        const number = payments().length;
        const payment: SandboxPayment = {
          id: 70_000_000_000 + number,
          status: 'approved',
          status_detail: 'accredited',
          transaction_amount: amount,
          transaction_amount_refunded: 0,
          currency_id: currency ?? (user === mercadoPagoUser ? 'MXN' : 'BRL'),
          date_created: at,
          date_approved: at,
          date_last_updated: at,
          payer,
          external_reference: reference ?? `new-order-${number}`,
          live_mode: false,
          collector_id: Number(user),
          refunds: [],
        };
        payments().push(payment);
        return payment;
      },
      change(payment, to) {
        Object.assign(payment, to, { date_last_updated: now().toISOString() });
      },
      refund(payment, amount) {
        const at = now().toISOString();
        const id = 900_000_000 + payments().reduce((count, { refunds }) => count + refunds.length, 0);
        payment.refunds.push({ id, payment_id: payment.id, amount, status: 'approved', date_created: at });
        payment.transaction_amount_refunded += amount;
        const isWhole = payment.transaction_amount_refunded === payment.transaction_amount;
        payment.status = isWhole ? 'refunded' : 'approved';
        payment.status_detail = isWhole ? 'refunded' : 'partially_refunded';
        payment.date_last_updated = at;
      },
      webhook({ type, action, dataId = '1', user = mercadoPagoUser }) {
        const requestId = randomBytes(8).toString('hex');
        const at = Math.floor(now().getTime() / 1000);
        const user_id = Number(user);
        const body = { id: at, live_mode: false, type, action, user_id, api_version: 'v1', data: { id: dataId } };
        const manifest = `id:${dataId.toLowerCase()};request-id:${requestId};ts:${at};`;
        const v1 = createHmac('sha256', webhookSecret).update(manifest).digest('hex');
        const headers = { 'x-signature': `ts=${at},v1=${v1}`, 'x-request-id': requestId };
        return { headers, body: Buffer.from(JSON.stringify(body)) };
      },
      webhookSecret,
    },
  };

  function search({ query }: SandboxRequest, user: string): Reply {
    const [begin, end] = [query.get('begin_date') ?? '', query.get('end_date') ?? ''].map((date) => Date.parse(date));
    const [limit, offset] = [Number(query.get('limit') ?? 30), Number(query.get('offset') ?? 0)];
    if (limit > 100) return refused(400, 'bad_request', 'limit must be at most 100');
    const timeOf = (payment: SandboxPayment) =>
      query.get('range') === 'date_approved' ? (payment.date_approved ?? '') : payment.date_last_updated;
    const found = payments()
      .filter((payment) => {
        if (String(payment.collector_id) !== user) return false;
        const at = Date.parse(timeOf(payment));
        return at >= (begin as number) && at <= (end as number);
      })
      .sort((one, other) => timeOf(one).localeCompare(timeOf(other)) || one.id - other.id);
    const results = found
      .slice(offset, offset + limit)
      .map((payment) => (payment.id % 2 === 0 ? payment : { ...payment, refunds: [] }));
    return json(200, { paging: { total: found.length, limit, offset }, results });
  }
}

const sellers = [
  { id: mercadoPagoUser, nickname: 'SANDBOX_SELLER', site: 'MLC' },
  { id: secondMercadoPagoUser, nickname: 'SEGUNDA_LOJA', site: 'MLB' },
];
const anonymous = { id: null, email: 'XXXXXXXXXXX', first_name: null, last_name: null };

const statuses = ['approved', 'approved', 'rejected', 'approved', 'pending', 'approved', 'charged_back'] as const;

/** The market's payments, in pesos without cents. */
function paymentsOf(sales: readonly Sale[]): SandboxPayment[] {
  return sales
    .filter(({ outcome }) => outcome.money && outcome.eventName === 'payment_received')
    .map(({ outcome, customer }, place): SandboxPayment => {
      const at = new Date(outcome.at).toISOString();
      const status = statuses[place % statuses.length] as string;
      return {
        id: 60_000_000_000 + place,
        status,
        status_detail: status === 'charged_back' ? 'settled' : 'accredited',
        transaction_amount: Number(outcome.money?.paid ?? 0n) / 100,
        transaction_amount_refunded: 0,
        currency_id: 'MXN',
        date_created: at,
        date_approved: ['rejected', 'pending'].includes(status) ? null : at,
        date_last_updated: at,
        payer: {
          id: String(50_000_000 + place),
          email: place % 4 === 3 ? 'XXXXXXXXXXX' : customer.email,
          first_name: place % 4 === 3 ? null : customer.firstName,
          last_name: place % 4 === 3 ? null : customer.lastName,
          phone: { area_code: null, number: null },
          identification: place % 3 === 0 ? { type: 'RUT', number: '12345678K' } : { type: null, number: null },
        },
        external_reference: `order-${place}`,
        live_mode: false,
        collector_id: Number(mercadoPagoUser),
        refunds: [],
      };
    });
}

const refused = (status: number, error: string, message: string): Reply =>
  json(status, { status, error, message, cause: [] });
