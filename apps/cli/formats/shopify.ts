import { type Cells, cells, type Format, momentOf } from './format.ts';

/**
 * Shopify's order export: one line per item of an order, of which only the first has the payment. Orders are identified by id, so a later export of
 * the same order is an update. Refunds have no date, so the order's date is used.
 */
export const shopify: Format = {
  written: 'csv',
  column: 'financial status',
  outcomesOf: (order) => {
    const paidAt = order['paid at'] || order['created at'];
    const key = `shopify-${order.id || order.name}`;
    if (!wasPaid.has(String(order['financial status']).toLowerCase())) return [];
    const money = { currency: order.currency, occurred_at: momentOf(paidAt, 'text') };
    const payment: Cells = cells({
      ...money,
      event_name: 'payment_received',
      idempotency_key: key,
      value: order.total,
      email: order.email,
      phone: order.phone || order['billing phone'],
      order: order.name,
    });
    const refunded = Number(order['refunded amount'] || 0);
    if (!(refunded > 0)) return [payment];
    const refund = { ...money, event_name: 'refund', idempotency_key: `${key}-refund`, refund_of: key };
    return [payment, cells({ ...refund, value: order['refunded amount'] })];
  },
};

/** In other states no payment is certain: authorized, pending, voided, expired. */
const wasPaid = new Set(['paid', 'partially_refunded', 'refunded']);
