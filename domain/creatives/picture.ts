import type { Outbound } from '@tributary/outbound';
import { limits } from '@tributary/vocabulary';

export interface Picture {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
}

/** From where a platform said that it is. Whatever is no picture, is too large or cannot be had is none. */
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
  const mediaType = mediaTypeOf(bytes);
  return mediaType ? { bytes, mediaType } : undefined;
}

/** How each begins. SVG is not among them: it can hold scripts. */
const beginnings: readonly (readonly [string, RegExp])[] = [
  ['image/png', /^\x89PNG/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[\s\S]{4}WEBP/],
  ['image/avif', /^[\s\S]{4}ftypavi[fs]/],
];

/** As its own bytes say: what a stranger's server calls it may be anything. */
export function mediaTypeOf(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.subarray(0, 16)).toString('latin1');
  return beginnings.find(([, pattern]) => pattern.test(start))?.[0];
}
