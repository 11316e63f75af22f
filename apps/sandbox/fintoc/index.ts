import { createHmac, randomBytes } from 'node:crypto';
import type { Company, CompanyDeps } from '../company.ts';
import { json, type Reply, type SandboxRequest } from '../route.ts';
import { salesOf } from '../sales.ts';
import { widgetScript } from './widget.ts';

export const fintocKeys = { secret: 'sk_test_sandbox', public: 'pk_test_sandbox' } as const;

export interface FintocMovement {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly type: 'transfer' | 'check' | 'other';
  readonly post_date: string;
  readonly transaction_date: string | null;
  readonly pending: boolean;
  readonly sender_account: { readonly holder_id: string; readonly holder_name: string } | null;
}

export interface FintocBook {
  /** Movements of the account `acc_current`, newest first. */
  readonly movements: FintocMovement[];
  /** Movements of `acc_sight`, newest first. */
  readonly dollarMovements: FintocMovement[];
  /** Completes the widget as a user would; returns the exchange token. */
  endWidget(widgetToken: string): string;
  /** Ends every link, as when the customer's bank credentials change. */
  endLinks(): void;
  /** Simulates an incoming transfer, in whole pesos, or in cents for the dollar account `acc_sight`. */
  receive(
    amount: number,
    of?: { account?: 'acc_current' | 'acc_sight'; sender?: FintocMovement['sender_account'] },
  ): FintocMovement;
  webhook(of: { readonly type: string; readonly account: string }): {
    readonly headers: Record<string, string>;
    readonly body: Uint8Array;
  };
  readonly webhookSecret: string;
}

const exchangeMs = 30 * 60_000;

export function createFintocCompany({ now, world }: CompanyDeps): Company<FintocBook> {
  const webhookSecret = `whsec_${randomBytes(12).toString('hex')}`;
  const widgets = new Set<string>();
  const exchanges = new Map<string, number>();
  const links = new Set<string>();
  let made: FintocMovement[] | undefined;
  const movements = (): FintocMovement[] => {
    made ??= salesOf(world.market)
      .filter(({ outcome }) => outcome.money && outcome.eventName === 'payment_received')
      .map(({ outcome, customer }, place) => ({
        id: `mov_${String(place).padStart(8, '0')}`,
        // Some movements are outgoing, and some are not transfers.
        amount: (place % 6 === 5 ? -1 : 1) * (1_000 + place),
        currency: 'CLP',
        type: (['transfer', 'transfer', 'check', 'transfer', 'other'] as const)[place % 5] ?? 'transfer',
        post_date: `${new Date(outcome.at).toISOString().slice(0, 10)}T00:00:00Z`,
        transaction_date: place % 2 === 0 ? new Date(outcome.at).toISOString() : null,
        pending: place % 11 === 10,
        sender_account: { holder_id: '12345678K', holder_name: `${customer.firstName} ${customer.lastName}` },
      }))
      .reverse();
    return made;
  };
  const dollars: FintocMovement[] = [];
  const withKey =
    (handle: (request: SandboxRequest) => Reply) =>
    (request: SandboxRequest): Reply =>
      request.headers.authorization === fintocKeys.secret
        ? handle(request)
        : refused(401, 'authentication_error', 'invalid_api_key', 'The API key is not valid.');

  const endWidget = (widgetToken: string): string => {
    if (!widgets.delete(widgetToken)) throw new RangeError('There is no such widget.');
    const token = `${widgetToken}_sec_${randomBytes(6).toString('hex')}`;
    exchanges.set(token, now().getTime() + exchangeMs);
    return token;
  };

  return {
    routes: [
      { method: 'GET', path: '/fintoc/widget.js', handle: () => widgetScript },
      {
        method: 'GET',
        path: '/fintoc/widget/:token/end',
        handle: ({ params }) =>
          json(200, { exchangeToken: endWidget(params.token ?? '') }, { 'access-control-allow-origin': '*' }),
      },
      {
        method: 'POST',
        path: '/fintoc/v1/link_intents',
        handle: withKey(({ body }) => {
          if ((JSON.parse(body) as { product?: string }).product !== 'movements') {
            return refused(400, 'invalid_request_error', 'invalid_product', 'There is no such product.');
          }
          const widget_token = `li_${randomBytes(12).toString('hex')}`;
          widgets.add(widget_token);
          const exchange_token_expires_at = new Date(now().getTime() + exchangeMs).toISOString();
          return json(201, {
            id: 'li_sandbox',
            object: 'link_intent',
            widget_token,
            status: 'created',
            exchange_token_expires_at,
          });
        }),
      },
      {
        method: 'GET',
        path: '/fintoc/v1/links/exchange',
        handle: withKey(({ query }) => {
          const token = query.get('exchange_token') ?? '';
          const expiresAt = exchanges.get(token);
          exchanges.delete(token);
          if (expiresAt === undefined || expiresAt < now().getTime()) {
            return refused(400, 'invalid_request_error', 'invalid_exchange_token', 'The exchange token is not valid.');
          }
          const link_token = `link_${randomBytes(12).toString('hex')}`;
          links.add(link_token);
          return json(200, {
            id: 'link_sandbox',
            link_token,
            institution: { id: 'cl_banco_sandbox', name: 'Banco Sandbox', country: 'cl' },
            accounts: [
              { id: 'acc_current', name: 'Cuenta corriente', number: '000012345678', currency: 'CLP' },
              { id: 'acc_sight', name: 'Cuenta vista', number: '000087654321', currency: 'USD' },
            ],
          });
        }),
      },
      {
        method: 'GET',
        path: '/fintoc/v1/accounts/:id/movements',
        handle: withKey(({ query, params }) => {
          if (!links.has(query.get('link_token') ?? '')) {
            return refused(400, 'link_error', 'invalid_link_token', 'The link token is not valid.');
          }
          const size = Number(query.get('per_page') ?? 30);
          if (size > 300) return refused(400, 'invalid_request_error', 'invalid_per_page', 'per_page is at most 300.');
          const since = query.get('since') ?? '';
          const rows = params.id === 'acc_current' ? movements() : params.id === 'acc_sight' ? dollars : [];
          const all = rows.filter(({ post_date }) => post_date >= since);
          const page = Number(query.get('page') ?? 1);
          return json(200, all.slice((page - 1) * size, page * size));
        }),
      },
    ],
    book: {
      get movements() {
        return movements();
      },
      dollarMovements: dollars,
      endLinks: () => links.clear(),
      endWidget,
      receive(amount, { account = 'acc_current', sender = { holder_id: '76543210K', holder_name: 'New Payer' } } = {}) {
        const rows = account === 'acc_sight' ? dollars : movements();
        const movement: FintocMovement = {
          id: `mov_new_${movements().length + dollars.length}`,
          amount,
          currency: account === 'acc_sight' ? 'USD' : 'CLP',
          type: 'transfer',
          post_date: `${now().toISOString().slice(0, 10)}T00:00:00Z`,
          transaction_date: now().toISOString(),
          pending: false,
          sender_account: sender,
        };
        rows.unshift(movement);
        return movement;
      },
      webhook({ type, account }) {
        const event = {
          id: `evt_${randomBytes(6).toString('hex')}`,
          object: 'event',
          type,
          data: { refreshed_object_id: account },
        };
        const body = Buffer.from(JSON.stringify(event));
        const at = Math.floor(now().getTime() / 1000);
        const v1 = createHmac('sha256', webhookSecret).update(`${at}.`).update(body).digest('hex');
        return { headers: { 'fintoc-signature': `t=${at},v1=${v1}` }, body };
      },
      webhookSecret,
    },
  };
}

const refused = (status: number, type: string, code: string, message: string): Reply =>
  json(status, { error: { type, code, message } });
