import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normaliseEmail, normaliseKey, normaliseName, normalisePhone, normaliseRut } from './index.ts';

type Case = readonly [text: string, normal: string | undefined];

describe('an e-mail address', () => {
  test.each<Case>([
    ['jane@example.com', 'jane@example.com'],
    ['  Jane.Doe+news@Example.CO.uk\n', 'jane.doe+news@example.co.uk'],
    ["o'higgins@example.cl", "o'higgins@example.cl"],
    ['JOSÉ@ñandú.cl', 'josé@ñandú.cl'],
    ['jose\u0301@example.cl', 'josé@example.cl'],
    ['a@xn--p1ai.xn--p1ai', 'a@xn--p1ai.xn--p1ai'],
    [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
    [`${'a'.repeat(65)}@example.com`, undefined],
    [`a@${'b'.repeat(250)}.com`, undefined],
    ['jane', undefined],
    ['jane@localhost', undefined],
    ['jane@@example.com', undefined],
    ['jane@example..com', undefined],
    ['jane@-example.com', undefined],
    ['jane@10.10.10.10', undefined],
    ['.jane@example.com', undefined],
    ['jane.@example.com', undefined],
    ['ja ne@example.com', undefined],
    ['Jane <jane@example.com>', undefined],
    ['jane@example.com\u0000', undefined],
    ['', undefined],
  ])('%j is %j', (text, normal) => {
    expect(normaliseEmail(text)).toBe(normal);
  });
});

describe('a phone number', () => {
  test.each<Case>([
    ['+56 9 1234 5678', '+56912345678'],
    ['+56-9-1234-5678', '+56912345678'],
    ['9 1234 5678', '+56912345678'],
    ['56912345678', '+56912345678'],
    ['0056 9 1234 5678', '+56912345678'],
    ['(22) 123 4567', '+56221234567'],
    ['+56 2 2345 6789 ext. 12', '+56223456789'],
    ['＋５６ ９ １２３４ ５６７８', '+56912345678'],
    ['+1 (555) 123-4567', '+15551234567'],
    ['+44 1632 960000', '+441632960000'],
    ['+54 11 15 1234 5678', '+5491112345678'],
    // An abolished prefix: if it were read as digits of the number, the number would be a different person's.
    ['09 1234 5678', undefined],
    ['12345678-5', undefined],
    ['1234567', undefined],
    ['+56 9 1234', undefined],
    ['+999 123 456', undefined],
    ['call +56912345678', undefined],
    ['n/a', undefined],
    ['\u0000', undefined],
    ['', undefined],
  ])('%j is %j', (text, normal) => {
    expect(normalisePhone(text, 'CL')).toBe(normal);
  });

  test('without a country code belongs to the given country', () => {
    expect(normalisePhone('(415) 555-2671', 'US')).toBe('+14155552671');
  });
});

describe('a RUT', () => {
  test.each<Case>([
    ['12.345.678-5', '12345678-5'],
    ['12345678-5', '12345678-5'],
    ['123456785', '12345678-5'],
    [' 12 345 678 – 5 ', '12345678-5'],
    ['12,345,678-5', '12345678-5'],
    ['012.345.678-5', '12345678-5'],
    ['１２.３４５.６７８-５', '12345678-5'],
    ['11.111.111-1', '11111111-1'],
    ['10.000.013-k', '10000013-K'],
    ['10000013K', '10000013-K'],
    ['1.000.005-K', '1000005-K'],
    ['76.086.428-5', '76086428-5'],
    ['12.345.678-4', undefined],
    ['12.345.678-K', undefined],
    ['12.345.678', undefined],
    ['1-9', undefined],
    ['123.456.789-2', undefined],
    ['00000000-0', undefined],
    ['CL12345678-5', undefined],
    ['K2345678-5', undefined],
    ['\u0000', undefined],
    ['', undefined],
  ])('%j is %j', (text, normal) => {
    expect(normaliseRut(text)).toBe(normal);
  });

  test('has exactly one valid check digit', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100_000, max: 99_999_999 }), (body) => {
        const right = [...'0123456789K'].filter((digit) => normaliseRut(`${body}${digit}`) !== undefined);
        expect(right).toHaveLength(1);
      }),
    );
  });

  test('is the same in any formatting', () => {
    const separators = fc.constantFrom('', '.', '-', ' ', ',', '–', '. ');
    fc.assert(
      fc.property(fc.array(separators, { minLength: 9, maxLength: 9 }), fc.nat(3), (between, zeros) => {
        const written = [...'123456785'].map((digit, place) => `${between[place]}${digit}`).join('');
        expect(normaliseRut(`${'0'.repeat(zeros)}${written}`)).toBe('12345678-5');
      }),
    );
  });
});

describe("a caller's own id", () => {
  test.each<Case>([
    [' C-001 ', 'C-001'],
    ['Ünïcode/7', 'Ünïcode/7'],
    ['a b', 'a b'],
    ['x'.repeat(255), 'x'.repeat(255)],
    ['x'.repeat(256), undefined],
    ['a\u0000b', undefined],
    ['\ud800', undefined],
    ['  ', undefined],
  ])('%j is %j', (text, normal) => {
    expect(normaliseKey(text)).toBe(normal);
  });
});

describe('a name', () => {
  test.each<Case>([
    ['  María  José ', 'María José'],
    ['Mari\u0301a', 'María'],
    ['de la O', 'de la O'],
    ['Ana\u0000\tSoto', 'Ana Soto'],
    ['\ud800', '\ufffd'],
    [' \n', undefined],
  ])('%j is %j', (text, normal) => {
    expect(normaliseName(text)).toBe(normal);
  });
});

/**
 * The check digit of a RUT: its digits from the last, times 2 to 7 and again from 2; the difference of their sum to a
 * multiple of 11.
 */
function checkDigit(number: number): string {
  const sum = [...String(number)]
    .reverse()
    .reduce((total, digit, place) => total + Number(digit) * (2 + (place % 6)), 0);
  return ['0', 'k'][[11, 10].indexOf(11 - (sum % 11))] ?? String(11 - (sum % 11));
}

describe('for any text', () => {
  const texts = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.emailAddress(),
    fc.stringMatching(/^[+]?[\d .()-]{6,16}[kK]?$/),
    fc.stringMatching(/^(\+56 ?)?9[ -]?\d{4}[ -]?\d{4}$/),
    fc.integer({ min: 1_000_000, max: 26_000_000 }).map((number) => `${number}-${checkDigit(number)}`),
  );
  const functions = {
    email: normaliseEmail,
    phone: (text: string) => normalisePhone(text, 'CL'),
    rut: normaliseRut,
    key: normaliseKey,
    name: normaliseName,
  };
  test.each(Object.entries(functions))(
    'normalising a(n) %s is idempotent, and the result can be stored',
    (_, normalise) => {
      fc.assert(
        fc.property(texts, (text) => {
          const normal = normalise(text);
          if (normal === undefined) return;
          expect(normalise(normal)).toBe(normal);
          expect(normal).not.toContain('\u0000');
          expect(normal.isWellFormed()).toBe(true);
        }),
        { numRuns: 2_000 },
      );
    },
  );
});
