import { createPublicKey, verify } from 'node:crypto';
import { minuteMs } from '@tributary/vocabulary';
import { z } from 'zod';
import type { Receive } from '../provider.ts';
import { readJson } from '../read-answer.ts';

const Delivery = z.object({
  type: z.string(),
  locationId: z.string().optional(),
  webhookId: z.string(),
  timestamp: z.string(),
});

const maxAgeMs = 5 * minuteMs;
const relevantTypes = /^(Opportunity|Contact|Appointment|Invoice)/;

export function createReceive(publicKeyPem: string): Receive {
  const key = createPublicKey(publicKeyPem);
  const read = (body: Uint8Array) => Delivery.safeParse(readJson(Buffer.from(body).toString('utf8'))).data;
  return {
    verify({ headers, body }, now) {
      const signature = Buffer.from(headers['x-ghl-signature'] ?? '', 'base64');
      // Signed over the raw bytes. The older RSA signature in `x-wh-signature` is not accepted.
      if (signature.length !== 64 || !verify(null, body, key, signature)) return false;
      const sentAt = Date.parse(read(body)?.timestamp ?? '');
      return Math.abs(now.getTime() - sentAt) <= maxAgeMs;
    },
    read({ body }) {
      const delivery = read(body);
      if (!delivery?.locationId) return [];
      const event = { accountExternalId: delivery.locationId, deliveryId: delivery.webhookId };
      if (delivery.type === 'UNINSTALL') return [{ ...event, about: 'disconnected' }];
      return relevantTypes.test(delivery.type) ? [{ ...event, about: 'changed' }] : [];
    },
  };
}
