import { maskWords } from './personal-names.ts';
import { Effort, personalShape } from './personal-shapes.ts';

/**
 * Masks personal data in an event name sent by a page, because names are stored where no personal data may be. The
 * whole name is replaced by a mask word, so that such events can still be counted. As in campaign tags, long names of
 * made-up words are allowed; long numbers are not.
 */
export function maskName(name: string, effort = new Effort()): string {
  const word = personalShape(name, 'elsewhere', effort);
  if (word !== maskWords.token || /\d{9}/.test(name)) return word ?? name;
  return personalShape(name, 'campaign', effort) ?? name;
}
