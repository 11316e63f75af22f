import type { PaymentProvider } from '@tributary/vocabulary';
import { z } from 'zod';
import type { CustomerIdentity, ProviderRecord } from '../provider.ts';
import { decimalText, instant, omitUndefined } from '../read-answer.ts';

const id = z.union([z.number(), z.string()]).transform(String);
const text = z.string().nullish();

export const Refund = z.object({
  order_id: id,
  created_at: z.iso.datetime({ offset: true }),
  transactions: z.array(
    z.object({ id, amount: decimalText, currency: z.string(), kind: z.string(), status: z.string(), gateway: text }),
  ),
});
type Refund = z.infer<typeof Refund>;

/** An order in the webhook format, to which those of the Admin API are converted. */
export const Order = z.object({
  id,
  name: text,
  currency: z.string(),
  total_price: decimalText,
  financial_status: text,
  payment_gateway_names: z.array(z.string()).default([]),
  test: z.boolean().default(false),
  created_at: z.iso.datetime({ offset: true }),
  processed_at: z.iso.datetime({ offset: true }).nullish(),
  email: text,
  phone: text,
  customer: z.object({ id, email: text, phone: text, first_name: text, last_name: text }).nullish(),
  refunds: z.array(Refund).default([]),
});
export type Order = z.infer<typeof Order>;

/** An order that was ever paid stays a payment; refunds are separate records. */
const wasPaid = ['paid', 'partially_refunded', 'refunded'];

export function parseOrder(order: Order): ProviderRecord[] {
  if (order.test || !wasPaid.includes(order.financial_status ?? '')) return [];
  const processedBy = getTakers(order.payment_gateway_names);
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
      ...(processedBy.length > 0 && { processedBy }),
    },
    ...order.refunds.flatMap((refund) => parseRefund(refund, processedBy)),
  ];
}

/** A refund consists of one or several transactions, some of which may fail. */
export const parseRefund = (
  { order_id, created_at, transactions }: Refund,
  orderTakers?: readonly PaymentProvider[],
): ProviderRecord[] =>
  transactions
    .filter(({ kind, status }) => kind === 'refund' && status === 'success')
    .map(({ id: externalId, amount, currency, gateway }) => {
      const processedBy = orderTakers ?? getTakers(gateway ? [gateway] : []);
      return {
        kind: 'refund',
        externalId,
        ofExternalId: order_id,
        amount,
        currency,
        occurredAt: instant(created_at),
        isDispute: false,
        ...(processedBy.length > 0 && { processedBy }),
      };
    });

/** Gateways that are payment providers in their own right, in any spelling: `mercado_pago`, `Mercado Pago`. */
const gatewayProviders = { mercadopago: 'payments_b', stripe: 'payments_a' } as const satisfies Record<
  string,
  PaymentProvider
>;

function getTakers(gateways: readonly string[]): PaymentProvider[] {
  const letters = gateways.map((name) => name.toLowerCase().replace(/[^a-z]/g, ''));
  return Object.entries(gatewayProviders)
    .filter(([name]) => letters.some((one) => one.startsWith(name)))
    .map(([, provider]) => provider);
}

function buyerOf({ customer, email, phone }: Order): CustomerIdentity {
  const name = [customer?.first_name, customer?.last_name].filter(Boolean).join(' ');
  return omitUndefined({
    externalId: customer?.id,
    email: email || customer?.email || undefined,
    phone: phone || customer?.phone || undefined,
    name: name || undefined,
  });
}
