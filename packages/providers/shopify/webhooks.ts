import type { SelfSignedWebhooks, WebhookDelivery } from '../provider.ts';
import { readJson } from '../read-answer.ts';
import { isSignedBy } from '../signature.ts';
import type { ShopifyCredentials } from './credentials.ts';
import { Order, parseOrder, parseRefund, Refund } from './order.ts';

/** A store signs its webhooks with its own secret. Any topic of orders and refunds is accepted, in any order. */
export const shopifyTells: SelfSignedWebhooks<ShopifyCredentials> = {
  accountOf: ({ headers }) => headers['x-shopify-shop-domain'],
  verify: ({ headers, body }, { webhookSecret }) =>
    webhookSecret !== null && isSignedBy(webhookSecret, [body], headers['x-shopify-hmac-sha256'] ?? '', 'base64'),
  read({ headers, body }: WebhookDelivery) {
    const [about] = (headers['x-shopify-topic'] ?? '').split('/');
    const parsed = readJson(Buffer.from(body).toString('utf8'));
    if (about === 'orders') return parseOrder(Order.parse(parsed));
    return about === 'refunds' ? parseRefund(Refund.parse(parsed)) : [];
  },
};
