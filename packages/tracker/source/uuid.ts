let lastMs = 0;

/** A UUIDv7. Two ids of one page never share a millisecond, so that their text order is the order of events. */
export function uuid(nowMs: number): string {
  lastMs = Math.max(nowMs, lastMs + 1);
  const random = crypto.getRandomValues(new Uint8Array(10));
  const digits = Array.from(random, (byte) => (byte + 256).toString(16).slice(1)).join('');
  const time = lastMs.toString(16).padStart(12, '0');
  const variant = '89ab'[(random[2] as number) & 3];
  return `${time.slice(0, 8)}-${time.slice(8)}-7${digits.slice(1, 4)}-${variant}${digits.slice(5, 8)}-${digits.slice(8)}`;
}

/** Validates ids read from cookies: any script on the site can write them, and one invalid id would make every request fail. */
export function isUuid(text: string | undefined): text is string {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text || '');
}

/** The creation time of a UUIDv7. */
export function timeOf(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}
