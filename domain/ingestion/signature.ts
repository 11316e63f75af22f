import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Traits } from '@tributary/rules';
import { hourMs, limits, minuteMs } from '@tributary/vocabulary';

/** How a profile's shop signs what it says of its people. */
export interface Signing {
  /** Of the active key; empty where none was made. */
  readonly secrets: readonly string[];
  /** Whether a browser's unsigned word counts for nothing. */
  readonly isRequired: boolean;
}

/** The three that link somebody, a line each, as they were given to `identify`; one that was not given is an empty line. */
export const signedText = ({ external_id = '', email = '', phone = '' }: Traits): string =>
  `${external_id}\n${email}\n${phone}`;

/** Clocks of servers differ by this much. */
const aheadMs = 5 * minuteMs;

/**
 * `1790000000.` and 64 hexadecimal digits: the second in which the server signed is a fourth line of what it signed, and counts for a
 * day. Without it, the form of before, a signature is good until the secret is replaced.
 */
export function isSigned(
  traits: Traits,
  signature: string | undefined,
  { secrets }: Pick<Signing, 'secrets'>,
  receivedAt: Date,
): boolean {
  const [, seconds, digits] = /^(?:(\d{10})\.)?([0-9a-f]{64})$/.exec(signature ?? '') ?? [];
  if (!digits || (seconds && !isRecent(Number(seconds) * 1_000, receivedAt))) return false;
  const text = seconds ? `${signedText(traits)}\n${seconds}` : signedText(traits);
  const shown = Buffer.from(digits, 'hex');
  return secrets.some((secret) => timingSafeEqual(createHmac('sha256', secret).update(text).digest(), shown));
}

/** Held against the moment at which we received it: a browser may say anything of when it happened. */
const isRecent = (signedMs: number, receivedAt: Date): boolean => {
  const ageMs = receivedAt.getTime() - signedMs;
  return ageMs <= limits.visit.signatureHours * hourMs && ageMs >= -aheadMs;
};
