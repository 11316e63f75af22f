import { isUuidInAnyCase, limits } from '@tributary/vocabulary';
import { commonNames } from './common-names.ts';

/**
 * `subject_ref` says who a payment is for, a child of the paying parent for one, without saying who that is. What could be a
 * person's own data (an address, a phone or document number, a birthday, a name, or a digest of any of these, which can be guessed
 * back) is refused at the door: once stored it would have to be protected like the rest of the person.
 */

export type SubjectRefRefusal = 'at_sign' | 'hex_digest' | 'malformed' | 'date' | 'long_number' | 'name';
export type ParsedSubjectRef =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly reason: SubjectRefRefusal };

const hexDigest = /^([0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/i;
const token = new RegExp(`^[A-Za-z0-9_-]{1,${limits.subjectRef.maxCharacters}}$`);

export function parseSubjectRef(text: string): ParsedSubjectRef {
  // First of all: a random UUID often holds seven digits in a row. Small letters, because however a system prints one, it is the same.
  if (isUuidInAnyCase(text)) return { ok: true, value: text.toLowerCase() };
  const reason = refusal(text);
  return reason ? { ok: false, reason } : { ok: true, value: text };
}

/** From the telling to the general, so that the caller learns what is wrong and not only that something is. */
function refusal(text: string): SubjectRefRefusal | undefined {
  if (text.includes('@')) return 'at_sign';
  if (hexDigest.test(text)) return 'hex_digest';
  if (!token.test(text)) return 'malformed';
  // Separators do not hide a number: 12-345-678 is one too.
  const longNumbers = text.replace(/[_-]/g, '').match(/\d{7,}/g) ?? [];
  if (longNumbers.some(isDate)) return 'date';
  if (longNumbers.length > 0) return 'long_number';
  return words(text).some((word) => commonNames.has(word.toLowerCase())) ? 'name' : undefined;
}

const year = '(19|20)\\d\\d';
const month = '(0[1-9]|1[0-2])';
const day = '(0[1-9]|[12]\\d|3[01])';
const date = new RegExp(`^(${year}${month}${day}|${day}${month}${year}|${month}${day}${year})$`);

/** Any date is a long number as well; this only gives it its own reason. */
const isDate = (digits: string): boolean => date.test(digits);

const asPeopleWrite = /^([A-Z]?[a-z]+|[A-Z]+)$/;
const namesInOne = /^([A-Z][a-z]{2,}){2,}$/;

/**
 * The letter-only parts, as far as they are written like a word: maria, Maria, MARIA, and both of MariaSoto. In a random id the
 * letters between two digits spell AnA or leO now and then; that such an id is refused for ever would be no fault of its maker.
 */
function words(text: string): string[] {
  const parts = text.match(/[A-Za-z]+/g) ?? [];
  return parts.flatMap((part) => {
    if (asPeopleWrite.test(part)) return [part];
    return namesInOne.test(part) ? (part.match(/[A-Z][a-z]+/g) ?? []) : [];
  });
}
