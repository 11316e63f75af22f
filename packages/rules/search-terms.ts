import { nationalNumber } from './normalise.ts';

/**
 * How people are found. A customer is kept under terms, in small letters without accents, and a question finds every term that
 * begins with it. Each word of a name is a term; so is the whole name, given name first and surname first, because the words of
 * a name may each be anybody's while their sequence is one person's. Many have two of each and are asked for by one: "Ana Soto"
 * for Ana María Soto Vera, "Soto Ana" in a list.
 */

const maxTermCharacters = 48;
const maxWordsOfName = 8;

/** More than these a customer is not found by: a shared identifier can gather thousands of addresses on one customer. */
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

/** The whole, and each word before the @. The words of a domain would find the thousands who share it. */
const emailTerms = (email: string): string[] => [
  words(email).join(' '),
  ...words(email.slice(0, email.lastIndexOf('@'))),
];

/** With the country code and, as people say it at home, without. */
const phoneTerms = (phone: string): string[] => [phone.replace(/\D/g, ''), nationalNumber(phone) ?? []].flat();

export interface SearchQuestion {
  /** All words in their order, as a term begins. */
  readonly phrase: string;
  /** Each word by itself; a customer matches too when each begins one of its terms. Empty for a single word. */
  readonly words: readonly string[];
}

const maxWordsAsked = 5;

/** What is asked for, or undefined where there is nothing to look for. */
export function searchQuestion(text: string): SearchQuestion | undefined {
  const asked = isPhoneLike(text) ? [text.replace(/\D/g, '')] : words(text);
  const phrase = cut(asked.join(' '));
  if (phrase === '') return undefined;
  return { phrase, words: asked.length > 1 ? [...new Set(asked.map(cut))].slice(0, maxWordsAsked) : [] };
}

/** Everything that begins with a prefix sorts, byte by byte, between it and this. No term holds the last code point. */
export const endOfPrefix = (prefix: string): string => `${prefix}\u{10ffff}`;

/** Digits with whatever people put between them. */
const isPhoneLike = (text: string): boolean => /^[\s+().\-/\d]*$/.test(text) && /\d/.test(text);

const words = (text: string): string[] => fold(text).match(/[\p{L}\p{N}]+/gu) ?? [];

// What decomposition does not take apart, though keyboards and people do.
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

/** By code points, so that no character is cut in two. */
const cut = (term: string): string =>
  term.length <= maxTermCharacters ? term : [...term].slice(0, maxTermCharacters).join('').trim();
