/**
 * The id under which a browser is stored: an HMAC of its own id, so that ClickHouse never stores the browser's id,
 * and of a generation, so that after an erasure the same browser gets a new id. The key comes from the vault; this
 * file defines the signed text and the format of the result.
 */

/** None of the three can contain a colon, so no two browsers share a text. */
export function visitorIdMessage(profileId: string, clientId: string, generation: number): string {
  if (!Number.isSafeInteger(generation) || generation < 0)
    throw new RangeError('A generation is a whole number from 0.');
  return `${profileId.toLowerCase()}:${clientId.toLowerCase()}:${generation}`;
}

/**
 * The first 16 bytes as a UUID of version 8, which RFC 9562 reserves for custom formats. 122 of its bits are from the
 * HMAC.
 */
export function visitorIdOf(hmac: Uint8Array): string {
  if (hmac.length < 16) throw new RangeError('A visitor id takes 16 bytes.');
  const bytes = Buffer.from(hmac.subarray(0, 16));
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
