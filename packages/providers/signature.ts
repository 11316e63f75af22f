import { createHmac, timingSafeEqual } from 'node:crypto';

/** Whether a text in hex or base64 is the HMAC-SHA256 of the parts. The comparison takes constant time. */
export function isSignedBy(
  secret: string,
  parts: readonly (string | Uint8Array)[],
  signature: string,
  encoding: 'hex' | 'base64' = 'hex',
): boolean {
  const hmac = createHmac('sha256', secret);
  for (const part of parts) hmac.update(part);
  const [expected, actual] = [hmac.digest(), Buffer.from(signature, encoding)];
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

/** Parses `t=1,v1=a,v1=b` into the values of each name. */
export function readSignatureHeader(text: string | undefined): (name: string) => string[] {
  const pairs = (text ?? '').split(',').map((part) => part.trim().split('='));
  return (name) => pairs.flatMap(([key, value]) => (key === name && value ? [value] : []));
}

/** Stripe's scheme, which other providers use too: the time of sending is signed with the body and must be within five minutes. */
export function isTimelySigned(header: string | undefined, body: Uint8Array, secret: string, now: Date): boolean {
  const getValues = readSignatureHeader(header);
  const [sentAt] = getValues('t');
  if (sentAt === undefined || !(Math.abs(now.getTime() / 1000 - Number(sentAt)) <= 300)) return false;
  return getValues('v1').some((signature) => isSignedBy(secret, [`${sentAt}.`, body], signature));
}
