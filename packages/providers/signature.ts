import { createHmac, timingSafeEqual } from 'node:crypto';

/** Whether a text in hex or base64 is the HMAC-SHA256 of the parts, without telling by its time how much of it is right. */
export function isSignedBy(
  secret: string,
  parts: readonly (string | Uint8Array)[],
  signature: string,
  encoding: 'hex' | 'base64' = 'hex',
): boolean {
  const hmac = createHmac('sha256', secret);
  for (const part of parts) hmac.update(part);
  const [right, given] = [hmac.digest(), Buffer.from(signature, encoding)];
  return given.length === right.length && timingSafeEqual(given, right);
}

/** `t=1,v1=a,v1=b`: what stands behind each name. */
export function readSignatureHeader(text: string | undefined): (name: string) => string[] {
  const pairs = (text ?? '').split(',').map((part) => part.trim().split('='));
  return (name) => pairs.flatMap(([key, value]) => (key === name && value ? [value] : []));
}

/** Stripe's scheme, which others took over: the second of sending is signed with the body, and lies within five minutes. */
export function isTimelySigned(header: string | undefined, body: Uint8Array, secret: string, now: Date): boolean {
  const of = readSignatureHeader(header);
  const [sentAt] = of('t');
  if (sentAt === undefined || !(Math.abs(now.getTime() / 1000 - Number(sentAt)) <= 300)) return false;
  return of('v1').some((signature) => isSignedBy(secret, [`${sentAt}.`, body], signature));
}
