import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { SigningSecret } from '../secrets.ts';

/** The HMAC key of a `whsec_…` secret, created once for many bodies. */
export const keyOf = ({ secret }: SigningSecret): KeyObject =>
  createSecretKey(Buffer.from(secret.slice('whsec_'.length), 'base64'));

/** The headers of Standard Webhooks, with one signature per key, so that a receiver can verify with any current secret. */
export function signatureHeaders(keys: readonly KeyObject[], id: string, at: Date, body: string) {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const signed = `${id}.${timestamp}.${body}`;
  const signatures = keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
