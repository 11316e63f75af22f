import type { IdentifierType } from '@tributary/contract';
import {
  type CountryCode,
  type Identifier,
  normaliseEmail,
  normaliseKey,
  normalisePhone,
  normaliseRut,
} from '@tributary/rules';

/** The ways in which a request may name a customer besides our own id. */
export type NamedKind = IdentifierType | 'email' | 'phone';

/** What a request calls a customer by, as it would be stored; undefined where nothing can be made of it. */
export function readIdentifier(kind: NamedKind, text: string, country: CountryCode): Identifier | undefined {
  const value = read(kind, text, country);
  return value === undefined ? undefined : { kind, value };
}

function read(kind: NamedKind, text: string, country: CountryCode): string | undefined {
  if (kind === 'email') return normaliseEmail(text);
  if (kind === 'phone') return normalisePhone(text, country);
  return kind === 'national_id' ? normaliseRut(text) : normaliseKey(text);
}
