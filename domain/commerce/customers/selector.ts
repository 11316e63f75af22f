import type { IdentifierType } from '@tributary/contract';
import {
  type CountryCode,
  type Identifier,
  normaliseEmail,
  normaliseKey,
  normalisePhone,
  normaliseRut,
} from '@tributary/rules';

/** The kinds of identifiers by which a request may select a customer, besides the customer id. */
export type NamedKind = IdentifierType | 'email' | 'phone';

/** Normalises an identifier from a request to its stored form; undefined if it cannot be parsed. */
export function readIdentifier(kind: NamedKind, text: string, country: CountryCode): Identifier | undefined {
  const value = read(kind, text, country);
  return value === undefined ? undefined : { kind, value };
}

function read(kind: NamedKind, text: string, country: CountryCode): string | undefined {
  if (kind === 'email') return normaliseEmail(text);
  if (kind === 'phone') return normalisePhone(text, country);
  return kind === 'national_id' ? normaliseRut(text) : normaliseKey(text);
}
