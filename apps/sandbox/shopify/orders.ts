import { fromMinorUnits, toMinorUnits } from '@tributary/rules';
import type { Sale } from '../sales.ts';

export interface ShopifyTransaction {
  readonly id: string;
  readonly kind: 'SALE' | 'REFUND';
  readonly status: 'SUCCESS' | 'FAILURE';
  readonly gateway: string;
  readonly createdAt: string;
  readonly processedAt: string;
  readonly amountSet: { readonly shopMoney: { readonly amount: string; readonly currencyCode: string } };
}

export interface ShopifyOrder {
  readonly id: string;
  readonly name: string;
  readonly test: boolean;
  readonly createdAt: string;
  readonly processedAt: string;
  updatedAt: string;
  displayFinancialStatus: string;
  readonly paymentGatewayNames: readonly string[];
  readonly totalPriceSet: ShopifyTransaction['amountSet'];
  readonly email: string | null;
  readonly phone: string | null;
  readonly customer: { readonly id: string; readonly firstName: string; readonly lastName: string } | null;
  readonly transactions: ShopifyTransaction[];
}

export type OrderCustomer = Pick<Sale['customer'], 'externalId' | 'firstName' | 'lastName' | 'email' | 'phone'>;

const dayMs = 86_400_000;

/** An order that was paid through a gateway. */
export function paidOrder(of: {
  readonly number: number;
  readonly at: number;
  readonly amount: string;
  readonly currency: string;
  readonly gateway: string;
  readonly customer?: OrderCustomer;
}): ShopifyOrder {
  const at = new Date(of.at).toISOString();
  const total = { shopMoney: { amount: of.amount, currencyCode: of.currency } };
  const { customer } = of;
  return {
    id: `gid://shopify/Order/${5_000_000_000 + of.number}`,
    name: `#${1_000 + of.number}`,
    test: of.number % 17 === 8,
    createdAt: at,
    processedAt: at,
    updatedAt: at,
    displayFinancialStatus: of.number % 13 === 5 ? 'PENDING' : 'PAID',
    paymentGatewayNames: [of.gateway],
    totalPriceSet: total,
    email: customer?.email ?? null,
    phone: customer?.phone ?? null,
    customer: customer
      ? {
          id: `gid://shopify/Customer/${customer.externalId}`,
          firstName: customer.firstName,
          lastName: customer.lastName,
        }
      : null,
    transactions: [
      {
        id: `gid://shopify/OrderTransaction/${(5_000_000_000 + of.number) * 1_000}`,
        kind: 'SALE',
        status: 'SUCCESS',
        gateway: of.gateway,
        createdAt: at,
        processedAt: at,
        amountSet: total,
      },
    ],
  };
}

/** Adds a refund, or a failed one that returns nothing. */
export function giveBack(order: ShopifyOrder, amount: string, at: number, status: 'SUCCESS' | 'FAILURE' = 'SUCCESS') {
  const when = new Date(at).toISOString();
  const [sale] = order.transactions;
  const number = Number(sale?.id.split('/').at(-1)) + order.transactions.length;
  const { currencyCode } = order.totalPriceSet.shopMoney;
  order.transactions.push({
    id: `gid://shopify/OrderTransaction/${number}`,
    kind: 'REFUND',
    status,
    gateway: order.paymentGatewayNames[0] ?? '',
    createdAt: when,
    processedAt: when,
    amountSet: { shopMoney: { amount, currencyCode } },
  });
  order.updatedAt = when;
  if (status === 'SUCCESS') order.displayFinancialStatus = isAllBack(order) ? 'REFUNDED' : 'PARTIALLY_REFUNDED';
}

function isAllBack({ transactions, totalPriceSet }: ShopifyOrder): boolean {
  const { amount, currencyCode } = totalPriceSet.shopMoney;
  const back = transactions
    .filter(({ kind, status }) => kind === 'REFUND' && status === 'SUCCESS')
    .reduce((sum, { amountSet }) => sum + toMinorUnits(amountSet.shopMoney.amount, currencyCode), 0n);
  return back >= toMinorUnits(amount, currencyCode);
}

/** The market's payments as orders, every third paid through Mercado Pago; some are test orders, and some were never paid. */
export function ordersOf(sales: readonly Sale[], now: number): ShopifyOrder[] {
  return sales
    .filter(({ outcome }) => outcome.money && outcome.eventName === 'payment_received' && outcome.at <= now)
    .map(({ outcome, customer }, number) => {
      const { currency, paid, refunds } = outcome.money as NonNullable<typeof outcome.money>;
      const gateway = number % 3 === 0 ? 'mercado_pago' : 'shopify_payments';
      const amount = fromMinorUnits(paid, currency);
      const order = paidOrder({ number, at: outcome.at, amount, currency, gateway, customer });
      if (order.displayFinancialStatus !== 'PAID') return order;
      for (const refund of refunds.filter(({ at }) => at <= now))
        giveBack(order, fromMinorUnits(refund.amount, currency), refund.at);
      if (number % 11 === 3) giveBack(order, amount, Math.min(now, outcome.at + dayMs), 'FAILURE');
      return order;
    });
}
