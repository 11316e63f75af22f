import { accessWords } from './words/access.ts';
import { advertisingWords } from './words/advertising.ts';
import { envelopeWords } from './words/envelope.ts';
import { moneyWords } from './words/money.ts';
import { peopleWords } from './words/people.ts';
import { saleWords } from './words/sales.ts';
import { schemaWords } from './words/schemas.ts';
import { sourceWords } from './words/sources.ts';

/**
 * Descriptions of fields whose schema has none: most names mean the same everywhere, and are described here once. `owner.name`
 * applies to one owner (a named shape, an operation or the enclosing field), `?name` to a parameter.
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
