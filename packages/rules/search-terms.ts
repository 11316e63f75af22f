import { nationalNumber } from './normalise.ts';

/**
 * Terms for the customer search. A customer is stored under terms, in lower case without accents, and a query finds
 * every term that starts with it. Each word of a name is a term. So is the whole name, given name first and surname
 * first, because each word alone is common while the sequence is specific. Many people have two given names and
 * surnames and are searched by one of each: "Ana Soto" for Ana María Soto Vera, "Soto Ana" in a list.
 */

const maxTermCharacters = 48;
const maxWordsOfName = 8;

/**
 * The maximum number of terms per customer: a shared identifier can collect thousands of addresses on one customer.
 */
export const maxTermsOfCustomer = 64;

export interface SearchableFacts {
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
  readonly emails?: readonly string[];
  /** In E.164. */
  readonly phones?: readonly string[];
}

export function searchTerms({ firstName, lastName, emails = [], phones = [] }: SearchableFacts): string[] {
  const [given, surname] = [words(firstName ?? ''), words(lastName ?? '')];
  const terms = [
    [...given, ...surname].join(' '),
    [...surname, ...given].join(' '),
    [...given.slice(0, 1), ...surname].join(' '),
    [...surname.slice(0, 1), ...given].join(' '),
    ...[...given, ...surname].slice(0, maxWordsOfName),
    ...emails.flatMap(emailTerms),
    ...phones.flatMap(phoneTerms),
  ];
  return [...new Set(terms.map(cut))].filter((term) => term !== '').slice(0, maxTermsOfCustomer);
}

/**
 * The whole address, and each word before the @. Words of a domain would match the thousands of customers who share
 * it.
 */
const emailTerms = (email: string): string[] => [
  words(email).join(' '),
  ...words(email.slice(0, email.lastIndexOf('@'))),
];

/** With the country code, and without, as people use it locally. */
const phoneTerms = (phone: string): string[] => [phone.replace(/\D/g, ''), nationalNumber(phone) ?? []].flat();

export interface SearchQuestion {
  /** All words in order, as the start of one term. */
  readonly phrase: string;
  /** Each single word; a customer also matches when each word starts one of its terms. Empty for a single word. */
  readonly words: readonly string[];
}

const maxQueryWords = 5;

/** Parses a search text; undefined when it contains no words. */
export function searchQuestion(text: string): SearchQuestion | undefined {
  const queryWords = isPhoneLike(text) ? [text.replace(/\D/g, '')] : words(text);
  const phrase = cut(queryWords.join(' '));
  if (phrase === '') return undefined;
  return { phrase, words: queryWords.length > 1 ? [...new Set(queryWords.map(cut))].slice(0, maxQueryWords) : [] };
}

/** The exclusive upper bound of all terms with a prefix, in byte order. No term contains the last code point. */
export const endOfPrefix = (prefix: string): string => `${prefix}\u{10ffff}`;

/** Digits with common separators. */
const isPhoneLike = (text: string): boolean => /^[\s+().\-/\d]*$/.test(text) && /\d/.test(text);

const words = (text: string): string[] => fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];

// Letters that Unicode decomposition does not split, though people type them as two.
const ligatures: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ı: 'i',
  þ: 'th',
};

const fold = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[ßæœøđðłıþ]/g, (letter) => ligatures[letter] ?? letter);

/** Cut by code points, so that no character is split. */
const cut = (term: string): string =>
  term.length <= maxTermCharacters ? term : [...term].slice(0, maxTermCharacters).join('').trim();
