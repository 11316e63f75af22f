import { isUuidInAnyCase } from '@tributary/vocabulary';
import { maskWords } from './visits/personal-names.ts';
import { Effort, personalShape } from './visits/personal-shapes.ts';

/** Letters make the difference: digits alone could be anybody's number. */
const hexDigest = /^(?=.*[a-f])(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/i;

/**
 * Whether a caller's own key of a customer says nothing of the person. One with the shape of an e-mail address, a phone or a national
 * id says who it is, and when in doubt it does. A random id holds long runs of digits now and then, and is still opaque.
 */
export function isOpaqueKey(key: string): boolean {
  if (isUuidInAnyCase(key) || hexDigest.test(key)) return true;
  const shape = personalShape(key, 'elsewhere', new Effort());
  return shape === undefined || shape === maskWords.token;
}
