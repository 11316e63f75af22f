import { isUuidInAnyCase } from '@tributary/vocabulary';
import { maskWords } from './visits/personal-names.ts';
import { Effort, personalShape } from './visits/personal-shapes.ts';

/** At least one letter is required: digits alone could be a phone number. */
const hexDigest = /^(?=.*[a-f])(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/i;

/**
 * Whether a caller's key of a customer contains no personal data. A key shaped like an e-mail address, a phone number
 * or a national id does, and so does an ambiguous one. A random id may contain long runs of digits and is still
 * opaque.
 */
export function isOpaqueKey(key: string): boolean {
  if (isUuidInAnyCase(key) || hexDigest.test(key)) return true;
  const shape = personalShape(key, 'elsewhere', new Effort());
  return shape === undefined || shape === maskWords.token;
}
