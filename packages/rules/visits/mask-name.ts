import { maskWords } from './personal-names.ts';
import { Effort, personalShape } from './personal-shapes.ts';

/**
 * What a page called an event, without what is personal: the name is stored where no person may be. A whole name becomes a word, so that
 * such events can still be counted. Long names of made-up words are names all the same, as in a campaign's tag; long numbers are not.
 */
export function maskName(name: string, effort = new Effort()): string {
  const word = personalShape(name, 'elsewhere', effort);
  if (word !== maskWords.token || /\d{9}/.test(name)) return word ?? name;
  return personalShape(name, 'campaign', effort) ?? name;
}
