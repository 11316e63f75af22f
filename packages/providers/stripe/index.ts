import { z } from 'zod';
import type { Provider, Receive } from '../provider.ts';
import { readJson } from '../read-answer.ts';
import { isTimelySigned } from '../signature.ts';
import { createBooks } from './account-totals.ts';
import { createApi, type StripeSettings } from './api.ts';
import { createConnect, StripeCredentials } from './connect.ts';
import { createSync, type StripePosition } from './sync.ts';

export type { StripeSettings } from './api.ts';

export function createStripe(settings: StripeSettings): Provider<StripeCredentials, StripePosition> {
  const api = createApi(settings);
  return {
    facts: { channel: 'payments_a', name: 'Stripe' },
    credentials: StripeCredentials,
    connect: createConnect(settings, api),
    sync: createSync(api),
    books: createBooks(api),
    ...(settings.webhookSecret !== undefined && { receive: createReceive(settings.webhookSecret) }),
  };
}

const Delivery = z.object({ id: z.string(), type: z.string(), account: z.string() });

/** One endpoint receives the webhooks of all accounts that installed the app; `account` names the account. */
export const createReceive = (secret: string): Receive => ({
  verify: ({ headers, body }, now) => isTimelySigned(headers['stripe-signature'], body, secret, now),
  read({ body }) {
    const delivery = Delivery.safeParse(readJson(Buffer.from(body).toString('utf8'))).data;
    if (!delivery) return [];
    const about = delivery.type === 'account.application.deauthorized' ? 'disconnected' : 'changed';
    return [{ accountExternalId: delivery.account, deliveryId: delivery.id, about }];
  },
});
