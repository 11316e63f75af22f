import { nameOfIdentifier, type Tombstones } from '@tributary/domain/customers';
import { type Identifier, normaliseEmail, normaliseKey, normalisePhone, normaliseRut } from '@tributary/rules';
import { type IdentifierKind, identifierKindNames } from '@tributary/vocabulary';

/**
 * Hashes of everybody whom a text that nobody understood could name: each of its words as each kind of identifier. So that an erasure
 * finds a person in what was kept because it could not be read.
 */
export function hashesNamedIn(tombstones: Tombstones, profileId: string, content: unknown): Buffer[] {
  return [...new Set(textsIn(content))].flatMap((text) =>
    identifiersOf(text).map((identifier) => tombstones.hashOf(profileId, nameOfIdentifier(identifier))),
  );
}

const readers: Readonly<Partial<Record<IdentifierKind, (text: string) => string | undefined>>> = {
  email: normaliseEmail,
  phone: (text) => normalisePhone(text, 'CL'),
  wa_id: (text) => normalisePhone(`+${text.replace(/^\+/, '')}`, 'CL'),
  national_id: normaliseRut,
};

function identifiersOf(text: string): Identifier[] {
  return identifierKindNames.flatMap((kind) => {
    const value = (readers[kind] ?? normaliseKey)(text);
    return value === undefined ? [] : [{ kind, value }];
  });
}

/** Shorter ones are words of every message, and would find somebody everywhere. */
const leastLetters = 4;

function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string' || typeof value === 'number')
    return String(value).length < leastLetters ? [] : [String(value)];
  if (value === null || typeof value !== 'object' || depth > 20) return [];
  return Object.values(value).flatMap((part) => textsIn(part, depth + 1));
}
