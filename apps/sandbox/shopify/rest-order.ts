import type { ShopifyOrder } from './orders.ts';

/** An order as a webhook contains it: the fields of the REST resource, whose ids are numbers. */
export function restOrder(order: ShopifyOrder): Record<string, unknown> {
  const { amount, currencyCode } = order.totalPriceSet.shopMoney;
  const id = numberOf(order.id);
  const refunds = order.transactions.filter(({ kind }) => kind === 'REFUND');
  return {
    id,
    admin_graphql_api_id: order.id,
    name: order.name,
    currency: currencyCode,
    total_price: amount,
    financial_status: order.displayFinancialStatus.toLowerCase(),
    payment_gateway_names: order.paymentGatewayNames,
    test: order.test,
    created_at: order.createdAt,
    processed_at: order.processedAt,
    updated_at: order.updatedAt,
    email: order.email ?? '',
    phone: order.phone,
    customer: order.customer && {
      id: numberOf(order.customer.id),
      email: order.email,
      phone: order.phone,
      first_name: order.customer.firstName,
      last_name: order.customer.lastName,
    },
    refunds: refunds.map((transaction) => ({
      id: numberOf(transaction.id),
      order_id: id,
      created_at: transaction.createdAt,
      transactions: [
        {
          id: numberOf(transaction.id),
          order_id: id,
          kind: 'refund',
          status: transaction.status.toLowerCase(),
          gateway: transaction.gateway,
          amount: transaction.amountSet.shopMoney.amount,
          currency: transaction.amountSet.shopMoney.currencyCode,
        },
      ],
    })),
  };
}

const numberOf = (gid: string): number | string => {
  const text = gid.slice(gid.lastIndexOf('/') + 1);
  return /^\d+$/.test(text) ? Number(text) : text;
};
