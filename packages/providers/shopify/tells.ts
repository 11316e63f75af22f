import { z } from 'zod';
import type { Received, Said, SaidPerson, Tells } from '../provider.ts';
import { decimalText, readJson, told } from '../read-answer.ts';
import { isSignedBy } from '../signature.ts';
import type { ShopifyCredentials } from './credentials.ts';

const id = z.union([z.number(), z.string()]).transform(String);
const text = z.string().nullish();

const Refund = z.object({
  order_id: id,
  created_at: z.iso.datetime({ offset: true }),
  transactions: z.array(
    z.object({ id, amount: decimalText, currency: z.string(), kind: z.string(), status: z.string() }),
  ),
});
type Refund = z.infer<typeof Refund>;

const Order = z.object({
  id,
  name: text,
  currency: z.string(),
  total_price: decimalText,
  financial_status: text,
  test: z.boolean().default(false),
  created_at: z.iso.datetime({ offset: true }),
  processed_at: z.iso.datetime({ offset: true }).nullish(),
  email: text,
  phone: text,
  customer: z.object({ id, email: text, phone: text, first_name: text, last_name: text }).nullish(),
  refunds: z.array(Refund).default([]),
});
type Order = z.infer<typeof Order>;

/** What was paid once stays a payment; what went back of it is said beside it. */
const wasPaid = ['paid', 'partially_refunded', 'refunded'];

/** A store signs what it tells with its own secret. Any of its topics about orders and refunds will do, in any order. */
export const shopifyTells: Tells<ShopifyCredentials> = {
  accountOf: ({ headers }) => headers['x-shopify-shop-domain'],
  verify: ({ headers, body }, { webhookSecret }) =>
    webhookSecret !== null && isSignedBy(webhookSecret, [body], headers['x-shopify-hmac-sha256'] ?? '', 'base64'),
  read({ headers, body }: Received) {
    const [about] = (headers['x-shopify-topic'] ?? '').split('/');
    const said = readJson(Buffer.from(body).toString('utf8'));
    if (about === 'orders') return sayOrder(Order.parse(said));
    return about === 'refunds' ? sayRefund(Refund.parse(said)) : [];
  },
};

function sayOrder(order: Order): Said[] {
  if (order.test || !wasPaid.includes(order.financial_status ?? '')) return [];
  return [
    {
      kind: 'outcome',
      externalId: order.id,
      outcomeType: 'payment_received',
      occurredAt: instant(order.processed_at ?? order.created_at),
      value: order.total_price,
      currency: order.currency,
      person: buyerOf(order),
      ...(order.name && { properties: { order_name: order.name } }),
    },
    ...order.refunds.flatMap(sayRefund),
  ];
}

/** Money goes back in one or several transactions, some of which fail. */
const sayRefund = ({ order_id, created_at, transactions }: Refund): Said[] =>
  transactions
    .filter(({ kind, status }) => kind === 'refund' && status === 'success')
    .map(({ id: externalId, amount, currency }) => ({
      kind: 'refund',
      externalId,
      ofExternalId: order_id,
      amount,
      currency,
      occurredAt: instant(created_at),
      isDispute: false,
    }));

function buyerOf({ customer, email, phone }: Order): SaidPerson {
  const name = [customer?.first_name, customer?.last_name].filter(Boolean).join(' ');
  return told({
    externalId: customer?.id,
    email: email || customer?.email || undefined,
    phone: phone || customer?.phone || undefined,
    name: name || undefined,
  });
}

const instant = (at: string): string => new Date(at).toISOString();
