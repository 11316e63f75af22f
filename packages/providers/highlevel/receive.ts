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

const mostAgeMs = 5 * minuteMs;
const news = /^(Opportunity|Contact|Appointment|Invoice)/;

export function createReceive(publicKeyPem: string): Receive {
  const key = createPublicKey(publicKeyPem);
  const read = (body: Uint8Array) => Delivery.safeParse(readJson(Buffer.from(body).toString('utf8'))).data;
  return {
    verify({ headers, body }, now) {
      const signature = Buffer.from(headers['x-ghl-signature'] ?? '', 'base64');
      // Over the bytes as they came; the older RSA signature in `x-wh-signature` is no longer taken.
      if (signature.length !== 64 || !verify(null, body, key, signature)) return false;
      const sentAt = Date.parse(read(body)?.timestamp ?? '');
      return Math.abs(now.getTime() - sentAt) <= mostAgeMs;
    },
    read({ body }) {
      const said = read(body);
      if (!said?.locationId) return [];
      const one = { accountExternalId: said.locationId, deliveryId: said.webhookId };
      if (said.type === 'UNINSTALL') return [{ ...one, about: 'disconnected' }];
      return news.test(said.type) ? [{ ...one, about: 'changed' }] : [];
    },
  };
}
