import type { deliveryOf, LiveEventName } from '@tributary/contract';
import type { z } from 'zod';

/** An event as it is delivered, by its `type`. */
export type WebhookEvent = { [Name in LiveEventName]: z.infer<ReturnType<typeof deliveryOf<Name>>> }[LiveEventName];

/** What came is not from us, was changed, or is too old to be believed. */
export class WebhookNotVerified extends Error {
  override readonly name = 'WebhookNotVerified';
}

/** The headers of a request, as Node or fetch gives them. */
export type WebhookHeaders =
  | Readonly<Record<string, string | readonly string[] | undefined>>
  | { get(name: string): string | null };

export interface VerifyOptions {
  /** How far the sender's clock may be from ours. Whoever has caught a delivery can send it again for so long. */
  readonly toleranceSeconds?: number;
  readonly now?: () => Date;
}

/**
 * Verifies a delivery and reads it, in one call: `const event = await verifyWebhook(secret, request.headers, body)`. The body must be
 * the bytes or the text as they came, not parsed and written again. Several secrets while one is replaced by another.
 */
export async function verifyWebhook(
  secret: string | readonly string[],
  headers: WebhookHeaders,
  body: string | Uint8Array,
  { toleranceSeconds = 300, now = () => new Date() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const [id, timestamp, signatures] = (['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const).map((name) =>
    headerOf(headers, name),
  );
  if (!id || !timestamp || !signatures) throw new WebhookNotVerified('A header of the signature is missing.');
  const seconds = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) : Number.NaN;
  if (!(Math.abs(now().getTime() / 1_000 - seconds) <= toleranceSeconds))
    throw new WebhookNotVerified('The time of the signature is too far from now.');
  const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { fatal: true }).decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const offered = signatures.split(' ').flatMap((one) => (one.startsWith('v1,') ? [one.slice(3)] : []));
  for (const one of [secret].flat() as string[])
    if (await isSigned(one, offered, signed)) return JSON.parse(text) as WebhookEvent;
  throw new WebhookNotVerified('No signature fits.');
}

function headerOf(headers: WebhookHeaders, name: string): string | undefined {
  if (typeof headers.get === 'function')
    return (headers as { get(name: string): string | null }).get(name) ?? undefined;
  const value = (headers as Readonly<Record<string, string | readonly string[] | undefined>>)[name];
  return typeof value === 'string' ? value : value?.[0];
}

/** `verify` of Web Crypto compares in constant time. */
async function isSigned(secret: string, offered: readonly string[], signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const bytes = readBase64(secret.replace(/^whsec_/, ''));
  if (!bytes) throw new TypeError('The secret must be whsec_ and base64.');
  const key = await crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify']);
  for (const one of offered) {
    const signature = readBase64(one);
    if (signature && (await crypto.subtle.verify('HMAC', key, signature, signed))) return true;
  }
  return false;
}

/** In its one spelling only: of a signature that was changed nothing is accepted, not even what stands for the same bytes. */
function readBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const binary = atob(text);
    return btoa(binary) === text ? Uint8Array.from(binary, (character) => character.charCodeAt(0)) : undefined;
  } catch {
    return undefined;
  }
}
