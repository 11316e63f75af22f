import { z } from 'zod';
import type { Provider, Receive, WebhookDelivery } from '../provider.ts';
import { readJson } from '../read-answer.ts';
import { isSignedBy, readSignatureHeader } from '../signature.ts';
import { createBooks } from './account-totals.ts';
import { createApi, type MercadoPagoSettings } from './api.ts';
import { createConnect, MercadoPagoCredentials } from './connect.ts';
import { createSync, type MercadoPagoPosition } from './sync.ts';

export type { MercadoPagoSettings } from './api.ts';

export function createMercadoPago(
  settings: MercadoPagoSettings,
): Provider<MercadoPagoCredentials, MercadoPagoPosition> {
  const api = createApi(settings);
  return {
    facts: { channel: 'payments_b', name: 'Mercado Pago' },
    credentials: MercadoPagoCredentials,
    connect: createConnect(settings, api),
    sync: createSync(api),
    books: createBooks(api),
    ...(settings.webhookSecret !== undefined && { receive: createReceive(settings.webhookSecret) }),
  };
}

const id = z.union([z.string(), z.number()]).transform(String);
const Delivery = z.object({
  id,
  type: z.string(),
  action: z.string().optional(),
  user_id: id,
  data: z.object({ id }).optional(),
});

const read = ({ body }: WebhookDelivery) => Delivery.safeParse(readJson(Buffer.from(body).toString('utf8'))).data;

/**
 * The signature covers the payment's id, the request's id and the time, but not the body. So only the account and the kind of
 * change are trusted.
 */
export const createReceive = (secret: string): Receive => ({
  verify(delivery) {
    const of = readSignatureHeader(delivery.headers['x-signature']);
    const [sentAt] = of('ts');
    const [signature] = of('v1');
    if (sentAt === undefined || signature === undefined) return false;
    const dataId = read(delivery)?.data?.id.toLowerCase();
    const requestId = delivery.headers['x-request-id'];
    const manifest = [dataId && `id:${dataId};`, requestId && `request-id:${requestId};`, `ts:${sentAt};`];
    return isSignedBy(secret, [manifest.filter(Boolean).join('')], signature);
  },
  read(delivery) {
    const notification = read(delivery);
    if (!notification) return [];
    const isOver = notification.type === 'mp-connect' && notification.action === 'application.deauthorized';
    return [
      {
        accountExternalId: notification.user_id,
        deliveryId: notification.id,
        about: isOver ? 'disconnected' : 'changed',
      },
    ];
  },
});
