import { nameOfIdentifier, readPhone, readWhatsAppId, type Tombstones } from '@tributary/domain/customers';
import { type Identifier, normaliseEmail, normaliseKey, normaliseRut } from '@tributary/rules';
import { type IdentifierKind, identifierKindNames } from '@tributary/vocabulary';

/**
 * Hashes of everybody whom a text that nobody understood could name: each of its words as each kind of identifier. So that an erasure
 * finds a person in what was kept because it could not be read.
 */
export function hashesNamedIn(tombstones: Tombstones, profileId: string, content: unknown): Buffer[] {
  return [...new Set(textsIn(content))].flatMap((text) =>
    identifiersOf(profileId, text).map((identifier) => tombstones.hashOf(profileId, nameOfIdentifier(identifier))),
  );
}

type Reader = (text: string, profileId: string) => string | undefined;

const readers: Readonly<Partial<Record<IdentifierKind, Reader>>> = {
  email: normaliseEmail,
  phone: (text, profileId) => readPhone(profileId, text),
  wa_id: (text, profileId) => readWhatsAppId(profileId, text),
  national_id: normaliseRut,
};

function identifiersOf(profileId: string, text: string): Identifier[] {
  return identifierKindNames.flatMap((kind) => {
    const value = (readers[kind] ?? normaliseKey)(text, profileId);
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
