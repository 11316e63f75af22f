import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';

export type { CountryCode };

/**
 * Normalises identifiers: systems that write the same address, number or document differently must identify the same
 * person. Each function returns undefined for text it cannot normalise, and never guesses.
 */

const maxEmailCharacters = 254;
const maxLocalPartCharacters = 64;
const maxKeyCharacters = 255;

// Letters of any script: addresses with accents are legal (RFC 6531) and in use.
const emailShape =
  /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*@([\p{L}\p{N}]([\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?\.)+\p{L}[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}]$/u;

/** Trimmed, in lower case. Dots and +tags are kept: only one provider ignores them. */
export function normaliseEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase().normalize('NFC');
  if (email.length > maxEmailCharacters || email.indexOf('@') > maxLocalPartCharacters) return undefined;
  return emailShape.test(email) ? email : undefined;
}

/**
 * E.164. With a country code, only the length is checked: carriers open ranges faster than metadata packages follow
 * (the `max` set rejects +56 9 1234 5678), and rejecting a real customer costs more than storing a dead number.
 * Without one the country is assumed, so the number must also be valid there.
 */
export function normalisePhone(text: string, defaultCountry: CountryCode): string | undefined {
  const written = text.normalize('NFKC').trim();
  const phone = parsePhoneNumberFromString(written, { defaultCountry, extract: false });
  if (!phone) return undefined;
  const isRight = written.startsWith('+') ? phone.isPossible() : phone.isValid();
  return isRight ? phone.number : undefined;
}

/** Whether phone numbers of an ISO 3166-1 country are supported. */
export const isCountry = (code: string): code is CountryCode => isSupportedCountry(code);

/** The number without its country code. */
export function nationalNumber(phone: string): string | undefined {
  return parsePhoneNumberFromString(phone)?.nationalNumber;
}

const control = /\p{Cc}/u;

/**
 * A caller's own id of a customer: opaque, so only surrounding whitespace is removed. Rejected when the ledger could
 * not store it unchanged: control characters, half a surrogate pair, more than 255 characters.
 */
export function normaliseKey(text: string): string | undefined {
  const key = text.trim();
  const isValidKey = key !== '' && key.length <= maxKeyCharacters && key.isWellFormed() && !control.test(key);
  return isValidKey ? key : undefined;
}

/** A name as written, without control characters and repeated whitespace. */
export function normaliseName(text: string): string | undefined {
  const name = text
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return name === '' ? undefined : name;
}
