import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/min';

export type { CountryCode };

/**
 * One spelling for each thing a person is known by: two systems that write the same address, number or document differently must
 * still mean the same person. Each function answers undefined where nothing can be made of the text; none of them guesses.
 */

const maxEmailCharacters = 254;
const maxLocalPartCharacters = 64;
const maxKeyCharacters = 255;

// Letters of any script: addresses with accents are legal (RFC 6531) and in use.
const emailShape =
  /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+(\.[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~-]+)*@([\p{L}\p{N}]([\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}])?\.)+\p{L}[\p{L}\p{M}\p{N}-]*[\p{L}\p{M}\p{N}]$/u;

/** Trimmed and in small letters. Dots and +tags stay: only one provider ignores them, and others do not. */
export function normaliseEmail(text: string): string | undefined {
  const email = text.trim().toLowerCase().normalize('NFC');
  if (email.length > maxEmailCharacters || email.indexOf('@') > maxLocalPartCharacters) return undefined;
  return emailShape.test(email) ? email : undefined;
}

/**
 * E.164. With its own country code a number needs only the right length: carriers open ranges faster than metadata packages
 * follow (the `max` set calls +56 9 1234 5678 invalid), and refusing a real customer costs more than keeping a dead number.
 * Without one the country is our assumption, so there the number must also be one that the country has.
 */
export function normalisePhone(text: string, defaultCountry: CountryCode): string | undefined {
  const written = text.normalize('NFKC').trim();
  const phone = parsePhoneNumberFromString(written, { defaultCountry, extract: false });
  if (!phone) return undefined;
  const isRight = written.startsWith('+') ? phone.isPossible() : phone.isValid();
  return isRight ? phone.number : undefined;
}

/** Whether a code of ISO 3166-1 is one whose phone numbers we can read. */
export const isCountry = (code: string): code is CountryCode => isSupportedCountry(code);

/** The number without its country code, as it is said at home. */
export function nationalNumber(phone: string): string | undefined {
  return parsePhoneNumberFromString(phone)?.nationalNumber;
}

const control = /\p{Cc}/u;

/**
 * A caller's own id of a customer: opaque, so nothing of it changes but the blanks around it. Refused where the ledger could
 * not keep it as it is: control characters, half a surrogate pair, more than 255 characters.
 */
export function normaliseKey(text: string): string | undefined {
  const key = text.trim();
  const isKept = key !== '' && key.length <= maxKeyCharacters && key.isWellFormed() && !control.test(key);
  return isKept ? key : undefined;
}

/** A name as people wrote it, but for stray blanks and characters that nobody can see. */
export function normaliseName(text: string): string | undefined {
  const name = text
    .toWellFormed()
    .normalize('NFC')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  return name === '' ? undefined : name;
}
