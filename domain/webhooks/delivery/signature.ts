import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { SigningSecret } from '../secrets.ts';

/** The key behind `whsec_…`, made once for many bodies. */
export const keyOf = ({ secret }: SigningSecret): KeyObject =>
  createSecretKey(Buffer.from(secret.slice('whsec_'.length), 'base64'));

/** The headers of Standard Webhooks: one signature for each key, so that a receiver with either of two secrets can verify. */
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
