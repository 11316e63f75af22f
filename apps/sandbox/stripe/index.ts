import { createHmac, randomBytes } from 'node:crypto';
import { type Company, type CompanyDeps, sandboxClient } from '../company.ts';
import { consentRoutes } from '../consent-page.ts';
import { bearerOf, formOf, json, type Reply, type Route, type SandboxRequest } from '../route.ts';
import { salesOf } from '../sales.ts';
import { answerToken } from '../token-endpoint.ts';
import { expandRow, listPage, refused } from './lists.ts';
import {
  type StripeCharge,
  type StripeReversal,
  type StripeState,
  secondStripeAccount,
  stateOf,
  stripeAccount,
} from './state.ts';

const hourMs = 3_600_000;
const yearMs = 365 * 24 * hourMs;
const eventRetentionSeconds = 30 * 86_400;

export interface StripeBook {
  readonly state: StripeState;
  /** The expected totals of an account after a complete sync: cents received per charge, and cents returned per refund or dispute. */
  money(): {
    readonly charges: Map<string, number>;
    readonly reversals: Map<string, { charge: string; amount: number; isUndone: boolean }>;
  };
  /** Creates a payment by a customer. */
  pay(of: {
    readonly amount: number;
    readonly currency: string;
    readonly isCaptured?: boolean;
    /** Defaults to the market's account. */
    readonly account?: string;
    /** A customer of the account; null: a guest, of whom only the card is known. */
    readonly customer?: StripeCharge['customer'];
  }): StripeCharge;
  capture(charge: StripeCharge): void;
  refund(charge: StripeCharge, amount: number): StripeReversal;
  /** Disputes a charge, or a part of it such as the remainder after a refund. */
  dispute(charge: StripeCharge, amount?: number): StripeReversal;
  /** Settles a reversal: a refund fails, or a dispute is won. */
  settle(reversal: StripeReversal, status: string): void;
  webhook(of: { readonly type: string; readonly account?: string }): {
    readonly headers: Record<string, string>;
    readonly body: Uint8Array;
  };
  readonly webhookSecret: string;
}

export function createStripeCompany({ consents, now, world }: CompanyDeps): Company<StripeBook> {
  const webhookSecret = `whsec_${randomBytes(12).toString('hex')}`;
  let made: StripeState | undefined;
  const state = (): StripeState => {
    made ??= stateOf(salesOf(world.market));
    return made;
  };
  const seconds = () => Math.floor(now().getTime() / 1000);
  const owners = new WeakMap<object, string>();
  const accountOf = (row: object): string => owners.get(row) ?? stripeAccount;
  const note = (type: string, object: StripeCharge | StripeReversal): void => {
    const id = `evt_${String(state().events.length).padStart(8, '0')}`;
    // Events contain a snapshot of the object, as at Stripe.
    const account = accountOf(object);
    const event = { object: 'event', id, type, created: seconds(), account } as const;
    const made = { ...event, data: { object: structuredClone(object) } };
    owners.set(made, account);
    state().events.push(made);
  };
  const withToken =
    (handle: (request: SandboxRequest, account: string) => Reply) =>
    (request: SandboxRequest): Reply => {
      const grant = consents.find(bearerOf(request), 'access', 'stripe');
      if (typeof grant === 'string') return refused(401, undefined, 'Invalid API Key provided.');
      return handle(request, grant.accounts[0] ?? stripeAccount);
    };
  const listRoute = (path: string, rows: () => readonly { id: string; created: number }[]): Route => ({
    method: 'GET',
    path,
    handle: withToken((request, account) =>
      listPage(
        request,
        rows().filter((row) => accountOf(row) === account),
      ),
    ),
  });
  const retainedEvents = () => state().events.filter(({ created }) => created > seconds() - eventRetentionSeconds);

  /** When a charge that was captured later reached the balance. */
  const capturedAt = new Map<string, number>();
  /** The balance movement of each captured charge, minus the fee. */
  const movements = () =>
    state()
      .charges.filter(({ captured }) => captured)
      .map((charge) => {
        const movement = {
          id: `txn_${charge.id}`,
          object: 'balance_transaction',
          type: 'charge',
          amount: charge.amount_captured,
          fee: Math.round(charge.amount_captured * 0.03),
          currency: charge.currency,
          created: capturedAt.get(charge.id) ?? charge.created,
          source: charge,
        };
        owners.set(movement, accountOf(charge));
        return movement;
      })
      .sort((one, other) => one.created - other.created);

  return {
    routes: [
      ...consentRoutes(
        {
          company: 'stripe',
          name: 'Stripe',
          path: '/stripe/oauth/v2/authorize',
          scopesBy: ' ',
          scopes: ['stripe_apps'],
          choose: 'one',
          accounts: () => [
            { id: stripeAccount, name: 'Sandbox shop' },
            { id: secondStripeAccount, name: 'Second sandbox shop' },
          ],
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
        handle: (request) =>
          answerToken(request, consents, {
            of: 'stripe',
            accessPrefix: 'sk_sandbox_',
            accessMs: hourMs,
            refreshPrefix: 'rt_',
            refreshMs: yearMs,
            // No expires_in, as at Stripe.
            answer: ({ accounts: [account = stripeAccount] }) => ({
              scope: 'stripe_apps',
              stripe_user_id: account,
              stripe_publishable_key: 'pk_sandbox',
              livemode: false,
            }),
          }),
      },
      {
        method: 'POST',
        path: '/stripe/v1/oauth/deauthorize',
        handle(request) {
          const key = Buffer.from((request.headers.authorization ?? '').slice(6), 'base64').toString();
          if (key !== `${sandboxClient.secret}:`) return refused(401, undefined, 'Invalid API Key provided.');
          const account = formOf(request).get('stripe_user_id') ?? '';
          consents.revokeAll('stripe', account);
          return json(200, { stripe_user_id: account });
        },
      },
      {
        method: 'GET',
        path: '/stripe/v1/account',
        handle: withToken((_, id) =>
          json(200, {
            id,
            object: 'account',
            country: id === stripeAccount ? 'CL' : 'JP',
            default_currency: id === stripeAccount ? 'clp' : 'jpy',
            business_profile: { name: id === stripeAccount ? 'Sandbox shop' : 'Second sandbox shop' },
          }),
        ),
      },
      listRoute('/stripe/v1/charges', () => state().charges),
      listRoute('/stripe/v1/refunds', () => state().refunds),
      listRoute('/stripe/v1/disputes', () => state().disputes),
      listRoute('/stripe/v1/events', retainedEvents),
      listRoute('/stripe/v1/balance_transactions', movements),
      {
        method: 'GET',
        path: '/stripe/v1/charges/:id',
        handle: withToken(({ params }) => {
          const charge = state().charges.find(({ id }) => id === params.id);
          return charge
            ? json(200, expandRow(charge, []))
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
      pay({ amount, currency, isCaptured = true, account = stripeAccount, customer }) {
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
          customer:
            customer === undefined
              ? { id: `cus_new_${nth}`, email: `new${nth}@sandbox.test`, name: 'New Customer', phone: null }
              : customer,
          billing_details: { email: null, name: null, phone: null },
          receipt_email: null,
          payment_intent: `pi_${nth}`,
          livemode: false,
        };
        owners.set(charge, account);
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
        owners.set(refund, accountOf(charge));
        refunds.push(refund);
        charge.amount_refunded += amount;
        note('refund.created', refund);
        note('charge.refunded', charge);
        return refund;
      },
      dispute(charge, amount = charge.amount) {
        const { disputes } = state();
        const row = { object: 'dispute', id: `dp_new_${disputes.length}`, amount } as const;
        const of = { currency: charge.currency, charge: charge.id, created: seconds() };
        const dispute: StripeReversal = { ...row, ...of, status: 'needs_response' };
        owners.set(dispute, accountOf(charge));
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
