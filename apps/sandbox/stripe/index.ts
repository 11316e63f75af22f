import { createHmac, randomBytes } from 'node:crypto';
import { consentRoutes } from '../consent-page.ts';
import { type Company, type House, sandboxClient } from '../house.ts';
import { type Asked, bearerOf, formOf, json, type Reply, type Route } from '../route.ts';
import { salesOf } from '../sales.ts';
import { answerToken } from '../token-endpoint.ts';
import {
  type StripeCharge,
  type StripeEvent,
  type StripeReversal,
  type StripeState,
  stateOf,
  stripeAccount,
} from './state.ts';

const hourMs = 3_600_000;
const yearMs = 365 * 24 * hourMs;
const keptEventSeconds = 30 * 86_400;

export interface StripeBook {
  readonly state: StripeState;
  /** What an account that read everything must have: cents that came in by charge, and cents that went back by refund or dispute. */
  money(): {
    readonly charges: Map<string, number>;
    readonly reversals: Map<string, { charge: string; amount: number; isUndone: boolean }>;
  };
  /** As if a customer paid. */
  pay(of: {
    readonly amount: number;
    readonly currency: string;
    readonly isCaptured?: boolean;
    /** A new customer unless given. */
    readonly customer?: StripeCharge['customer'];
  }): StripeCharge;
  capture(charge: StripeCharge): void;
  refund(charge: StripeCharge, amount: number): StripeReversal;
  dispute(charge: StripeCharge): StripeReversal;
  /** A refund fails, or a dispute is won. */
  settle(reversal: StripeReversal, status: string): void;
  webhook(of: { readonly type: string; readonly account?: string }): {
    readonly headers: Record<string, string>;
    readonly body: Uint8Array;
  };
  readonly webhookSecret: string;
}

export function createStripeCompany({ consents, now, world }: House): Company<StripeBook> {
  const webhookSecret = `whsec_${randomBytes(12).toString('hex')}`;
  let made: StripeState | undefined;
  const state = (): StripeState => {
    made ??= stateOf(salesOf(world.market));
    return made;
  };
  const seconds = () => Math.floor(now().getTime() / 1000);
  const note = (type: string, object: StripeCharge | StripeReversal): void => {
    const id = `evt_${String(state().events.length).padStart(8, '0')}`;
    // A picture of the object at this moment, as Stripe keeps it.
    const event = { object: 'event', id, type, created: seconds(), account: stripeAccount } as const;
    state().events.push({ ...event, data: { object: structuredClone(object) } });
  };
  const withToken =
    (handle: (asked: Asked) => Reply) =>
    (asked: Asked): Reply => {
      const grant = consents.find(bearerOf(asked), 'access', 'stripe');
      return typeof grant === 'string' ? refused(401, undefined, 'Invalid API Key provided.') : handle(asked);
    };
  const listRoute = (path: string, rows: () => readonly { id: string; created: number }[]): Route => ({
    method: 'GET',
    path,
    handle: withToken((asked) => listPage(asked, rows())),
  });
  const keptEvents = (): readonly StripeEvent[] =>
    state().events.filter(({ created }) => created > seconds() - keptEventSeconds);

  /** When what was captured later than it was charged reached the balance. */
  const capturedAt = new Map<string, number>();
  /** Of each charge that was captured, what it brought to the balance, less the fee. */
  const movements = () =>
    state()
      .charges.filter(({ captured }) => captured)
      .map((charge) => ({
        id: `txn_${charge.id}`,
        object: 'balance_transaction',
        type: 'charge',
        amount: charge.amount_captured,
        fee: Math.round(charge.amount_captured * 0.03),
        currency: charge.currency,
        created: capturedAt.get(charge.id) ?? charge.created,
        source: charge,
      }))
      .sort((one, other) => one.created - other.created);

  return {
    routes: [
      ...consentRoutes(
        {
          of: 'stripe',
          name: 'Stripe',
          path: '/stripe/oauth/v2/authorize',
          scopesBy: ' ',
          scopes: ['stripe_apps'],
          choose: 'one',
          accounts: () => [{ id: stripeAccount, name: 'Sandbox shop' }],
          endings: {
            cancel: { error: 'access_denied', error_description: 'The user denied your request' },
            deny: { error: 'unauthorized_client', error_description: 'The app is not published' },
            fail: { error: 'server_error' },
          },
        },
        consents,
      ),
      {
        method: 'POST',
        path: '/stripe/v1/oauth/token',
        handle: (asked) =>
          answerToken(asked, consents, {
            of: 'stripe',
            accessPrefix: 'sk_sandbox_',
            accessMs: hourMs,
            refreshPrefix: 'rt_',
            refreshMs: yearMs,
            // No expires_in, like Stripe's own.
            answer: () => ({
              scope: 'stripe_apps',
              stripe_user_id: stripeAccount,
              stripe_publishable_key: 'pk_sandbox',
              livemode: false,
            }),
          }),
      },
      {
        method: 'POST',
        path: '/stripe/v1/oauth/deauthorize',
        handle(asked) {
          const key = Buffer.from((asked.headers.authorization ?? '').slice(6), 'base64').toString();
          if (key !== `${sandboxClient.secret}:`) return refused(401, undefined, 'Invalid API Key provided.');
          consents.revokeAll('stripe', formOf(asked).get('stripe_user_id') ?? '');
          return json(200, { stripe_user_id: stripeAccount });
        },
      },
      {
        method: 'GET',
        path: '/stripe/v1/account',
        handle: withToken(() =>
          json(200, {
            id: stripeAccount,
            object: 'account',
            country: 'CL',
            default_currency: 'clp',
            business_profile: { name: 'Sandbox shop' },
          }),
        ),
      },
      listRoute('/stripe/v1/charges', () => state().charges),
      listRoute('/stripe/v1/refunds', () => state().refunds),
      listRoute('/stripe/v1/disputes', () => state().disputes),
      listRoute('/stripe/v1/events', keptEvents),
      listRoute('/stripe/v1/balance_transactions', movements),
      {
        method: 'GET',
        path: '/stripe/v1/charges/:id',
        handle: withToken(({ params }) => {
          const charge = state().charges.find(({ id }) => id === params.id);
          return charge
            ? json(200, shown(charge, []))
            : refused(404, 'resource_missing', `No such charge: '${params.id}'`);
        }),
      },
    ],
    book: {
      get state() {
        return state();
      },
      money() {
        const { charges, refunds, disputes } = state();
        const counted = charges.filter(({ paid, captured }) => paid && captured);
        const moved = [...refunds, ...disputes.filter(({ status }) => !status.startsWith('warning'))];
        const isUndone = (status: string) => ['failed', 'canceled', 'won'].includes(status);
        return {
          charges: new Map(counted.map(({ id, amount_captured }) => [id, amount_captured])),
          reversals: new Map(
            moved.map(({ id, charge, amount, status }) => [id, { charge, amount, isUndone: isUndone(status) }]),
          ),
        };
      },
      pay({ amount, currency, isCaptured = true, customer }) {
        const { charges } = state();
        const nth = String(charges.length).padStart(8, '0');
        const charge: StripeCharge = {
          object: 'charge',
          id: `ch_${nth}`,
          amount,
          amount_captured: isCaptured ? amount : 0,
          amount_refunded: 0,
          currency,
          created: seconds(),
          status: 'succeeded',
          paid: true,
          captured: isCaptured,
          customer: customer ?? {
            id: `cus_new_${nth}`,
            email: `new${nth}@sandbox.test`,
            name: 'New Customer',
            phone: null,
          },
          billing_details: { email: null, name: null, phone: null },
          receipt_email: null,
          payment_intent: `pi_${nth}`,
          livemode: false,
        };
        charges.push(charge);
        note('charge.succeeded', charge);
        return charge;
      },
      capture(charge) {
        Object.assign(charge, { captured: true, amount_captured: charge.amount });
        capturedAt.set(charge.id, seconds());
        note('charge.captured', charge);
      },
      refund(charge, amount) {
        const { refunds } = state();
        const id = `re_new_${refunds.length}`;
        const row = { object: 'refund', id, amount, currency: charge.currency, charge: charge.id } as const;
        const refund: StripeReversal = { ...row, created: seconds(), status: 'succeeded' };
        refunds.push(refund);
        charge.amount_refunded += amount;
        note('refund.created', refund);
        note('charge.refunded', charge);
        return refund;
      },
      dispute(charge) {
        const { disputes } = state();
        const row = { object: 'dispute', id: `dp_new_${disputes.length}`, amount: charge.amount } as const;
        const of = { currency: charge.currency, charge: charge.id, created: seconds() };
        const dispute: StripeReversal = { ...row, ...of, status: 'needs_response' };
        disputes.push(dispute);
        note('charge.dispute.created', dispute);
        return dispute;
      },
      settle(reversal, status) {
        reversal.status = status;
        note(reversal.object === 'refund' ? 'refund.failed' : 'charge.dispute.closed', reversal);
      },
      webhook({ type, account = stripeAccount }) {
        const event = {
          id: `evt_${randomBytes(6).toString('hex')}`,
          object: 'event',
          type,
          account,
          created: seconds(),
        };
        const body = Buffer.from(JSON.stringify(event));
        const at = seconds();
        const v1 = createHmac('sha256', webhookSecret).update(`${at}.`).update(body).digest('hex');
        return { headers: { 'stripe-signature': `t=${at},v1=${'0'.repeat(64)},v1=${v1}` }, body };
      },
      webhookSecret,
    },
  };
}

/** Newest first, between the cursors. */
function listPage({ path, query }: Asked, rows: readonly { id: string; created: number }[]): Reply {
  const limit = Number(query.get('limit') ?? 10);
  if (!(limit >= 1 && limit <= 100)) return refused(400, 'parameter_invalid_integer', 'limit is out of range');
  const types = query.getAll('types[]');
  const since = Number(query.get('created[gte]') ?? 0);
  const until = Number(query.get('created[lt]') ?? Number.POSITIVE_INFINITY);
  const all = rows
    .filter(
      (row) =>
        row.created >= since &&
        row.created < until &&
        (types.length === 0 || types.includes((row as StripeEvent).type)),
    )
    .toReversed();
  const [after, before] = [query.get('starting_after'), query.get('ending_before')];
  const place = all.findIndex(({ id }) => id === (after ?? before));
  if ((after ?? before) !== null && place < 0) {
    return refused(400, 'resource_missing', `No such object: '${after ?? before}'`);
  }
  const [begin, end] = before === null ? [place + 1, place + 1 + limit] : [Math.max(0, place - limit), place];
  const data = all.slice(begin, end).map((row) => shown(row, query.getAll('expand[]')));
  const hasMore = before === null ? end < all.length : begin > 0;
  return json(200, { object: 'list', data, has_more: hasMore, url: path.replace('/stripe', '') });
}

/** A customer is an id unless it was asked for, and so is what a movement of the balance came from. */
function shown(row: object, expand: readonly string[]): object {
  if ('source' in row) {
    const charge = row.source as StripeCharge;
    return { ...row, source: expand.includes('data.source') ? shown(charge, []) : charge.id };
  }
  const charge = row as Partial<StripeCharge>;
  return charge.object === 'charge' && !expand.includes('data.customer')
    ? { ...row, customer: charge.customer?.id }
    : row;
}

const refused = (status: number, code: string | undefined, message: string): Reply =>
  json(status, { error: { type: 'invalid_request_error', code, message } }, { 'request-id': 'req_sandbox' });
