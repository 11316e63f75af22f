import { accessWords } from './words/access.ts';
import { advertisingWords } from './words/advertising.ts';
import { envelopeWords } from './words/envelope.ts';
import { moneyWords } from './words/money.ts';
import { peopleWords } from './words/people.ts';
import { saleWords } from './words/sales.ts';
import { schemaWords } from './words/schemas.ts';
import { sourceWords } from './words/sources.ts';

/**
 * What a field means, for those whose schema does not say so itself: most names mean the same wherever they stand, and are described here once.
 * `owner.name` is for one owner (a named shape, an operation or the field around it), `?name` for a parameter.
 */
export const words: Readonly<Record<string, string>> = {
  ...envelopeWords,
  ...accessWords,
  ...peopleWords,
  ...moneyWords,
  ...advertisingWords,
  ...sourceWords,
  ...saleWords,
  ...schemaWords,
};
