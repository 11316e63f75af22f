import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { endOfPrefix, maxTermsOfCustomer, searchQuestion, searchTerms } from './index.ts';

const ana = {
  firstName: 'Ana María',
  lastName: "O'Higgins Søto",
  emails: ['ana.soto@example.cl'],
  phones: ['+56912345678'],
};

/** Matches like the store: by the whole phrase, or by each of its words. */
function finds(question: string, terms: readonly string[]): boolean {
  const query = searchQuestion(question);
  if (!query) return false;
  const begins = (prefix: string) =>
    terms.some((term) => bytes(term) >= bytes(prefix) && bytes(term) < bytes(endOfPrefix(prefix)));
  return begins(query.phrase) || (query.words.length > 0 && query.words.every(begins));
}
const bytes = (text: string) => Buffer.from(text).toString('hex');

describe('searchTerms', () => {
  test('returns the name in both orders, its words, the address and the words before its @, and the number with and without country code', () => {
    expect(searchTerms({ ...ana, lastName: 'Søto Vera' })).toEqual([
      'ana maria soto vera',
      'soto vera ana maria',
      'ana soto vera',
      'soto ana maria',
      'ana',
      'maria',
      'soto',
      'vera',
      'ana soto example cl',
      '56912345678',
      '912345678',
    ]);
  });

  test('returns none without facts', () => {
    expect(searchTerms({})).toEqual([]);
  });

  test('returns few and short terms', () => {
    const terms = searchTerms({
      firstName: 'x'.repeat(200),
      lastName: 'a b c d e f g h i j k',
      emails: Array.from({ length: 200 }, (_, index) => `user${index}@example.com`),
    });
    expect(terms).toHaveLength(maxTermsOfCustomer);
    expect(Math.max(...terms.map((term) => term.length))).toBeLessThanOrEqual(48);
  });
});

describe('searchQuestion', () => {
  test.each([
    ['ana', true],
    ['ANA', true],
    ['maria', true],
    ['marí', true],
    ['ana maria o', true],
    ["o'hig", true],
    ['o higgins ana', true],
    ['ana higgins', true],
    ['higgins ana', true],
    ['soto', true],
    ['ana.soto@exam', true],
    ['ANA.SOTO@EXAMPLE.CL', true],
    ['+56 9 1234', true],
    ['56912', true],
    ['9 1234 5678', true],
    ['(9) 1234-5678', true],
    ['ana 5691', true],
    ['nna', false],
    ['ana pedro', false],
    ['example', false],
    ['345678', false],
    ['@', false],
    ['', false],
  ])('"%s": %s', (question, found) => {
    expect(finds(question, searchTerms(ana))).toBe(found);
  });

  test('finds a customer by the start of any of their words, ignoring accents and case', () => {
    const names = fc.stringMatching(/^[A-Za-zÁÉÍÑÖßøŁ]{2,12}$/);
    fc.assert(
      fc.property(names, names, fc.nat(11), (firstName, lastName, length) => {
        const terms = searchTerms({ firstName, lastName });
        for (const word of [firstName, lastName]) {
          expect(finds(word.slice(0, Math.max(1, length)), terms)).toBe(true);
          expect(finds(word.toUpperCase(), terms)).toBe(true);
        }
      }),
    );
  });

  test('never throws for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const query = searchQuestion(text);
        expect(query?.phrase ?? '').toMatch(/^[\p{L}\p{N} ]*$/u);
        expect((query?.phrase ?? '').isWellFormed()).toBe(true);
      }),
    );
  });
});
