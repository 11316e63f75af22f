import type { deliveryOf, LiveEventName } from '@tributary/contract';
import type { z } from 'zod';

/** A delivered event, by its `type`. */
export type WebhookEvent = { [Name in LiveEventName]: z.infer<ReturnType<typeof deliveryOf<Name>>> }[LiveEventName];

/** The delivery does not come from Tributary, was modified, or is too old. */
export class WebhookNotVerified extends Error {
  override readonly name = 'WebhookNotVerified';
}

/** Request headers in the form of Node or fetch. */
export type WebhookHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | { get(name: string): string | null };

export interface VerifyOptions {
  /** The largest accepted difference between the sender's clock and ours. A captured delivery can be replayed for this long. */
  readonly toleranceSeconds?: number;
  readonly now?: () => Date;
}

/**
 * Verifies and parses a delivery: `const event = await verifyWebhook(secret, request.headers, body)`. The body must be the raw
 * bytes or text, not parsed and serialized again. Pass several secrets during a rotation.
 */
export async function verifyWebhook(
  secret: string | readonly string[],
  headers: WebhookHeaders,
  body: string | Uint8Array,
  { toleranceSeconds = 300, now = () => new Date() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = (['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const).map((name) =>
    getHeader(headers, name),
  );
  if (!id || !timestamp || !signatures) throw new WebhookNotVerified('A header of the signature is missing.');
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (!(Math.abs(now().getTime() / 1_000 - seconds) <= toleranceSeconds))
    throw new WebhookNotVerified('The time of the signature is too far from now.');
  const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const signatureValues = signatures
    .split(' ')
    .flatMap((candidate) => (candidate.startsWith('v1,') ? [candidate.slice(3)] : []));
  for (const candidate of [secret].flat() as string[])
    if (await isSigned(candidate, signatureValues, signed)) return JSON.parse(text) as WebhookEvent;
  throw new WebhookNotVerified('No signature fits.');
}

function getHeader(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof headers.get === 'function')
    return (headers as { get(name: string): string | null }).get(name) ?? undefined;
  const value = (headers as Readonly<Record<string, string | readonly string[] | undefined>>)[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** Web Crypto's `verify` compares in constant time. */
async function isSigned(
  secret: string,
  signatureValues: readonly string[],
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const bytes = readBase64(secret.replace(/^whsec_/, ''));
  if (!bytes) throw new TypeError('The secret must be whsec_ and base64.');
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
  for (const candidate of signatureValues) {
    const signature = readBase64(candidate);
    if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return true;
  }
  return false;
}

/** Decodes only canonical base64: another encoding of the same bytes means the signature was modified. */
function readBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const binary = atob(text);
    return btoa(binary) === text ? Uint8Array.from(binary, (character) => character.charCodeAt(0)) : undefined;
  } catch {
    return undefined;
  }
}
