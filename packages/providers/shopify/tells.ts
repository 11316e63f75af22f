import type { Received, Tells } from '../provider.ts';
import { readJson } from '../read-answer.ts';
import { isSignedBy } from '../signature.ts';
import type { ShopifyCredentials } from './credentials.ts';
import { Order, Refund, sayOrder, sayRefund } from './order.ts';

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
