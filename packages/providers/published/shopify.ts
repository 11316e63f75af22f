import { asProvider } from '../registry.ts';
import { createShopify } from '../shopify/index.ts';
import type { PublishedExamples } from './example.ts';

const graphql =
  'shopify.dev/docs/api/admin-graphql: objects Order and OrderTransaction, enum OrderDisplayFinancialStatus';
const webhooks =
  'shopify.dev/docs/api/webhooks (orders/paid, orders/updated, refunds/create); shopify.dev/docs/api/admin-rest: Order, Refund';

const money = (amount: string, currencyCode = 'USD') => ({ shopMoney: { amount, currencyCode } });

const sale = {
  id: 'gid://shopify/OrderTransaction/389404469',
  kind: 'SALE',
  status: 'SUCCESS',
  gateway: 'shopify_payments',
  createdAt: '2026-01-10T16:15:47Z',
  processedAt: '2026-01-10T16:15:47Z',
  amountSet: money('409.94'),
};
const refund = (over: object) => ({
  ...sale,
  id: 'gid://shopify/OrderTransaction/389404470',
  kind: 'REFUND',
  createdAt: '2026-01-12T10:00:00Z',
  processedAt: '2026-01-12T10:00:05Z',
  amountSet: money('41.94'),
  ...over,
});
const node = (over: object) => ({
  id: 'gid://shopify/Order/450789469',
  name: '#1001',
  test: false,
  createdAt: '2026-01-10T16:15:47Z',
  processedAt: '2026-01-10T16:15:47Z',
  updatedAt: '2026-01-12T10:00:05Z',
  displayFinancialStatus: 'PAID',
  paymentGatewayNames: ['shopify_payments'],
  totalPriceSet: money('409.94'),
  email: 'bob.norman@mail.example.com',
  phone: '+557734881234',
  customer: { id: 'gid://shopify/Customer/207119551', firstName: 'Bob', lastName: 'Norman' },
  transactions: [sale],
  ...over,
});
const paid = (over: object = {}) => ({
  kind: 'outcome',
  externalId: '450789469',
  outcomeType: 'payment_received',
  occurredAt: '2026-01-10T16:15:47.000Z',
  value: '409.94',
  currency: 'USD',
  person: { externalId: '207119551', email: 'bob.norman@mail.example.com', phone: '+557734881234', name: 'Bob Norman' },
  properties: { order_name: '#1001' },
  ...over,
});
const back = (over: object = {}) => ({
  kind: 'refund',
  externalId: '389404470',
  ofExternalId: '450789469',
  amount: '41.94',
  currency: 'USD',
  occurredAt: '2026-01-12T10:00:05.000Z',
  isDispute: false,
  ...over,
});

const cost = {
  requestedQueryCost: 101,
  actualQueryCost: 46,
  throttleStatus: { maximumAvailable: 2_000, currentlyAvailable: 1_954, restoreRate: 100 },
};
const of = (name: string, over: object, said: readonly unknown[]) => ({
  name,
  source: graphql,
  answers: {
    '/graphql.json': {
      data: { orders: { nodes: [node(over)], pageInfo: { hasNextPage: false, endCursor: 'eyJsYXN0X2lkIjo0NTB9' } } },
      extensions: { cost },
    },
  },
  said,
});

/** The format of a webhook: texts for amounts, numeric ids larger than a double can hold, and many more fields. */
const body = (over: object) => ({
  id: '#820982911946154508',
  admin_graphql_api_id: 'gid://shopify/Order/820982911946154508',
  app_id: null,
  browser_ip: null,
  cancelled_at: null,
  confirmed: false,
  created_at: '2026-01-09T18:50:00-05:00',
  currency: 'JPY',
  current_total_price: '3980',
  customer: {
    id: '#115310627314723954',
    email: 'john@example.com',
    phone: null,
    first_name: 'John',
    last_name: 'Smith',
    state: 'disabled',
  },
  email: 'jon@example.com',
  financial_status: 'paid',
  gateway: '',
  name: '#9999',
  note: null,
  payment_gateway_names: ['visa', 'bogus'],
  phone: null,
  processed_at: null,
  refunds: [],
  test: false,
  total_price: '3980',
  updated_at: '2026-01-09T18:50:00-05:00',
  ...over,
});
const webhookOrder = (over: object = {}) => ({
  kind: 'outcome',
  externalId: '820982911946154508',
  outcomeType: 'payment_received',
  occurredAt: '2026-01-09T23:50:00.000Z',
  value: '3980',
  currency: 'JPY',
  person: { externalId: '115310627314723954', email: 'jon@example.com', name: 'John Smith' },
  properties: { order_name: '#9999' },
  ...over,
});
const hook = (name: string, topic: string, sent: object, said: readonly unknown[]) => ({
  name,
  source: webhooks,
  webhook: { topic, body: sent },
  said,
});
const refundBody = (transactions: readonly object[]) => ({
  id: '#890088186047892319',
  order_id: '#820982911946154508',
  created_at: '2026-01-11T09:00:00-05:00',
  note: 'Things were damaged',
  user_id: 548_380_009,
  refund_line_items: [],
  transactions,
});
const refunded = {
  id: '#245135271310201194',
  order_id: '#820982911946154508',
  kind: 'refund',
  gateway: 'bogus',
  status: 'success',
  amount: '1500',
  currency: 'JPY',
  parent_id: null,
};

export const shopifyExamples: PublishedExamples = {
  provider: asProvider(createShopify({ apiUrl: 'https://{shop}', apiVersion: '2026-10' })),
  account: { externalId: 'shop.myshopify.com', credentials: { accessToken: 'shpat', webhookSecret: 's' }, details: {} },
  position: null,
  empty: () => ({ data: { orders: { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } } } }),
  examples: [
    of('a paid order', {}, [paid()]),
    of('an order of a guest', { email: null, phone: null, customer: null }, [paid({ person: {} })]),
    of(
      'an order that was refunded in part',
      { displayFinancialStatus: 'PARTIALLY_REFUNDED', transactions: [sale, refund({})] },
      [paid(), back()],
    ),
    of(
      'a refund in two transactions, one of which failed',
      {
        displayFinancialStatus: 'REFUNDED',
        transactions: [
          sale,
          refund({}),
          refund({ id: 'gid://shopify/OrderTransaction/389404471', status: 'FAILURE' }),
          refund({ id: 'gid://shopify/OrderTransaction/389404472', amountSet: money('368.00') }),
        ],
      },
      [paid(), back(), back({ externalId: '389404472', amount: '368.00' })],
    ),
    of(
      'a refund that is pending or has an error',
      { transactions: [sale, refund({ status: 'PENDING' }), refund({ status: 'ERROR' })] },
      [paid()],
    ),
    of(
      'an order that was authorised and captured',
      {
        transactions: [
          { ...sale, kind: 'AUTHORIZATION' },
          { ...sale, kind: 'CAPTURE' },
        ],
      },
      [paid()],
    ),
    of('an order that was paid in another gateway of ours', { paymentGatewayNames: ['Mercado Pago'] }, [
      paid({ processedBy: ['payments_b'] }),
    ]),
    of('an order that was authorised only', { displayFinancialStatus: 'AUTHORIZED' }, []),
    of('an order that was paid in part', { displayFinancialStatus: 'PARTIALLY_PAID' }, []),
    of('an order that was voided', { displayFinancialStatus: 'VOIDED' }, []),
    of('an order that expired', { displayFinancialStatus: 'EXPIRED' }, []),
    of('an order with a status that is new', { displayFinancialStatus: 'SETTLING' }, []),
    of('an order without a status', { displayFinancialStatus: null }, []),
    of('a test order', { test: true }, []),
    hook('a paid order in yen', 'orders/paid', body({}), [webhookOrder()]),
    hook('an order of a guest', 'orders/updated', body({ customer: null, email: '', name: null }), [
      webhookOrder({ person: {}, properties: undefined }),
    ]),
    hook('an order that is not paid yet', 'orders/create', body({ financial_status: 'pending' }), []),
    hook(
      'an order that was refunded in part',
      'orders/updated',
      body({ financial_status: 'partially_refunded', refunds: [refundBody([refunded])] }),
      [
        webhookOrder(),
        {
          kind: 'refund',
          externalId: '245135271310201194',
          ofExternalId: '820982911946154508',
          amount: '1500',
          currency: 'JPY',
          occurredAt: '2026-01-11T14:00:00.000Z',
          isDispute: false,
        },
      ],
    ),
    hook('a refund', 'refunds/create', refundBody([refunded]), [
      {
        kind: 'refund',
        externalId: '245135271310201194',
        ofExternalId: '820982911946154508',
        amount: '1500',
        currency: 'JPY',
        occurredAt: '2026-01-11T14:00:00.000Z',
        isDispute: false,
      },
    ]),
    hook('a refund that moved no money', 'refunds/create', refundBody([]), []),
    hook('a topic that is about something else', 'products/update', { id: 1 }, []),
  ],
};
