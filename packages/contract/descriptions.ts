import { accessWords } from './descriptions/access.ts';
import { advertisingWords } from './descriptions/advertising.ts';
import { envelopeWords } from './descriptions/envelope.ts';
import { moneyWords } from './descriptions/money.ts';
import { peopleWords } from './descriptions/people.ts';
import { saleWords } from './descriptions/sales.ts';
import { schemaWords } from './descriptions/schemas.ts';
import { sourceWords } from './descriptions/sources.ts';

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
