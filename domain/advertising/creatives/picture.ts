import type { Outbound } from '@tributary/outbound';
import { limits } from '@tributary/vocabulary';

export interface Picture {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
}

/**
 * Fetches a picture from the address that a platform reported. Undefined if it is not a picture, too large or
 * unavailable.
 */
export async function fetchPicture(
  url: string,
  outbound: Pick<Outbound, 'request'>,
  signal: AbortSignal,
): Promise<Picture | undefined> {
  if (url === '') return undefined;
  const { maxBytes: maxResponseBytes } = limits.creativePictures;
  const fetched = await outbound.request(url, { method: 'GET', maxResponseBytes, signal }).catch(() => undefined);
  signal.throwIfAborted();
  if (fetched?.status !== 200 || fetched.truncated) return undefined;
  const bytes = new Uint8Array(fetched.body);
  const mediaType = detectMediaType(bytes);
  return mediaType ? { bytes, mediaType } : undefined;
}

/** The file signatures of allowed types. SVG is not allowed, because it can contain scripts. */
const signatures: readonly (readonly [string, RegExp])[] = [
  ['image/png', /^\x89PNG/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
  ['image/avif', /^[\s\S]{4}ftypavi[fs]/],
];

/** Detects the type from the bytes, because the content type of an untrusted server may be wrong. */
export function detectMediaType(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  return signatures.find(([, pattern]) => pattern.test(start))?.[0];
}
