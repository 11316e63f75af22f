import { isUuidInAnyCase, limits } from '@tributary/vocabulary';
import { commonNames } from './common-names.ts';

/**
 * `subject_ref` states who a payment is for, such as a child of the paying parent, without identifying the person.
 * Text that could be personal data (an address, a phone or document number, a birthday, a name, or a guessable digest
 * of these) is rejected: once stored, it would have to be protected like other personal data.
 */

export type SubjectRefRefusal = 'at_sign' | 'hex_digest' | 'malformed' | 'date' | 'long_number' | 'name';
export type ParsedSubjectRef =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly reason: SubjectRefRefusal };

const hexDigest = /^([0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/i;
const token = new RegExp(`^[A-Za-z0-9_-]{1,${limits.subjectRef.maxCharacters}}$`);

export function parseSubjectRef(text: string): ParsedSubjectRef {
  // Checked first, because a random UUID often contains seven digits in a row. Lower case, because systems print
  // UUIDs in either case.
  if (isUuidInAnyCase(text)) return { ok: true, value: text.toLowerCase() };
  const reason = refusal(text);
  return reason ? { ok: false, reason } : { ok: true, value: text };
}

/** From the most specific to the general reason, so that the caller learns what is wrong. */
function refusal(text: string): SubjectRefRefusal | undefined {
  if (text.includes('@')) return 'at_sign';
  if (hexDigest.test(text)) return 'hex_digest';
  if (!token.test(text)) return 'malformed';
  // Separators do not hide a number: 12-345-678 is one, too.
  const longNumbers = text.replace(/[_-]/g, '').match(/\d{7,}/g) ?? [];
  if (longNumbers.some(isDate)) return 'date';
  if (longNumbers.length > 0) return 'long_number';
  return words(text).some((word) => commonNames.has(word.toLowerCase())) ? 'name' : undefined;
}

const year = '(19|20)\\d\\d';
const month = '(0[1-9]|1[0-2])';
const day = '(0[1-9]|[12]\\d|3[01])';
const date = new RegExp(`^(${year}${month}${day}|${day}${month}${year}|${month}${day}${year})$`);

/** Any date is also a long number; this only gives it a more specific reason. */
const isDate = (digits: string): boolean => date.test(digits);

const asPeopleWrite = /^([A-Z]?[a-z]+|[A-Z]+)$/;
const namesInOne = /^([A-Z][a-z]{2,}){2,}$/;

/**
 * The letter-only parts that are written like a word: maria, Maria, MARIA, and both parts of MariaSoto. Letters
 * between digits of a random id may spell AnA or leO by chance, and must not make the id invalid.
 */
function words(text: string): string[] {
  const parts = text.match(/[A-Za-z]+/g) ?? [];
  return parts.flatMap((part) => {
    if (asPeopleWrite.test(part)) return [part];
    return namesInOne.test(part) ? (part.match(/[A-Z][a-z]+/g) ?? []) : [];
  });
}
