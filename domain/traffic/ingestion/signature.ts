import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Traits } from '@tributary/rules';
import { hourMs, limits, minuteMs } from '@tributary/vocabulary';

/** How a profile's server signs `identify` calls. */
export interface Signing {
  /** The secrets of active keys; empty if none was created. */
  readonly secrets: readonly string[];
  /** Whether unsigned identifiers are ignored. */
  readonly isRequired: boolean;
}

/**
 * The signed text: the three linking traits, one line each, as given to `identify`; a missing trait is an empty line.
 */
export const signedText = ({ external_id = '', email = '', phone = '' }: Traits): string =>
  `${external_id}\n${email}\n${phone}`;

/** Tolerated clock skew of the signing server. */
const aheadMs = 5 * minuteMs;

/**
 * Format: Unix seconds, a dot and 64 hex digits, such as `1790000000.ab12…`. The seconds are the fourth line of the signed text, and the
 * signature expires after 24 hours. The older format without seconds is valid until the secret is replaced.
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
  const digest = Buffer.from(digits, 'hex');
  return secrets.some((secret) => timingSafeEqual(createHmac('sha256', secret).update(text).digest(), digest));
}

/** Compares with the time of receipt, because the browser's own time can be forged. */
const isRecent = (signedMs: number, receivedAt: Date): boolean => {
  const ageMs = receivedAt.getTime() - signedMs;
  return ageMs <= limits.visit.signatureHours * hourMs && ageMs >= -aheadMs;
};
