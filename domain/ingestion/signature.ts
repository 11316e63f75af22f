import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Traits } from '@tributary/rules';

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

export function isSigned(
  traits: Traits,
  signature: string | undefined,
  { secrets }: Pick<Signing, 'secrets'>,
): boolean {
  if (!signature || !/^[0-9a-f]{64}$/.test(signature)) return false;
  const shown = Buffer.from(signature, 'hex');
  return secrets.some((secret) =>
    timingSafeEqual(createHmac('sha256', secret).update(signedText(traits)).digest(), shown),
  );
}
