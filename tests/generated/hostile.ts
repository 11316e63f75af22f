import { nilUuid } from '@tributary/vocabulary';
import fc from 'fast-check';

/** Values that clients send by mistake or in attacks. Each entry has broken a server somewhere. */

const marks = ['', ' ', '\t', '\u0000', 'a\u0000b', '\ufeff', '\ufffe', '"', '\\', '\r\nX-Injected: 1', '\u2028'];
const scripts = [
  '\u202e\u05d0\u05d1\u202cabc',
  '👩‍👩‍👧‍👦',
  'Z\u0351\u036b\u0343\u036a',
  'ﷺ',
  'İ',
  'ß',
  '한글',
  'é\u0301',
  '𝟙𝟚',
];
const halves = ['\ud800', 'a\udfffb', '\udc00\ud800'];
const injections = [
  "' OR 1=1 --",
  "'; DROP TABLE profiles; --",
  '$1',
  '#{7*7}',
  '{{7*7}}',
  '<script>alert(1)</script>',
  '../../etc/passwd',
  '$(id)',
  '%s%n',
  '{"$gt":""}',
  '__proto__',
  'constructor',
  'toString',
];
const numerals = [
  'null',
  'undefined',
  'NaN',
  '-Infinity',
  '-0',
  '1e400',
  '0x10',
  '1_000',
  '9007199254740993',
  '9223372036854775808',
  '١٢٣',
  '00',
  '1.',
  '-1',
  '0.1e-400',
];
const dates = [
  '0000-01-01',
  '0001-01-01',
  '9999-12-31',
  '10000-01-01',
  '+010000-01-01',
  '-000001-01-01',
  '2026-02-30',
  '2026-13-01',
  '20260615',
  '9999-12-31T23:59:59.999-23:59',
  '0001-01-01T00:00:00+23:59',
  '2026-06-15T12:00:60Z',
  '2026-06-15T24:00:00Z',
  '2026-06-15T12:00:00',
  '1970-01-01T00:00:00.000000000001Z',
];
const ids = [
  nilUuid,
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '{0197f6a0-0000-7000-8000-000000000000}',
  '0197f6a000007000800000000000abcd',
  '0197F6A0-0000-7000-8000-00000000ABCD',
];
const lengths = [256, 501, 4_000, 70_000];

export const hostileTexts: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...marks, ...scripts, ...halves),
  fc.constantFrom(...injections),
  fc.constantFrom(...numerals),
  fc.constantFrom(...dates),
  fc.constantFrom(...ids),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc
    .tuple(fc.constantFrom('a', '9', '👍', '\u0301'), fc.constantFrom(...lengths))
    .map(([unit, times]) => unit.repeat(times)),
);

/** Texts for an address: correctly escaped, or escaped in a way that no decoder should accept. */
export const hostileEscapes: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: hostileTexts.map(escaped) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      ...['%', '%z', '%zz', '%2', '%u0041', '%00', '%ff', '%c0%ae%c0%ae', '%e0%80%af', '%ed%a0%80', '%f8%80%80%80%80'],
      ...['%2f', '%2e%2e', '%25%32%66', '+', '%0d%0a', ';', ':', '*', '~', '%3f', '%23', 'a&b', '=', '[]', '%5B%5D'],
    ),
  },
);

/** A lone surrogate has no UTF-8 encoding; these are the bytes that a careless encoder writes. */
export function escaped(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ed%a0%80';
}

/** A piece of JSON text that no JavaScript value represents. */
export class Raw {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export function writeJson(value: unknown): string {
  if (value instanceof Raw) return value.text;
  if (Array.isArray(value)) return `[${value.map(writeJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${writeJson(field)}`).join(',')}}`;
}

const nested = (open: string, close: string, levels: number) => new Raw(open.repeat(levels) + close.repeat(levels));

export const hostileValues: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: hostileTexts },
  { weight: 2, arbitrary: fc.constantFrom(null, true, false, [], {}, [[]], [null], { length: 1 }, { toJSON: 1 }) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(0, -1, 0.5, 1e21, 5e-324, 2 ** 31, 2 ** 53, 2 ** 63, Number.MAX_VALUE),
  },
  { weight: 2, arbitrary: fc.double() },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('1e400', '-1e400', '-0', '1E+2', '123456789012345678901234567890', `0.${'3'.repeat(500)}`)
      .map((text) => new Raw(text)),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(
        '{"__proto__":{"isAdmin":true}}',
        '{"constructor":{"prototype":{"isAdmin":true}}}',
        '{"a":1,"a":2}',
        '"\\ud800"',
        '"\\u0000"',
        '{"":""}',
      )
      .map((text) => new Raw(text)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(nested('[', ']', 10_000), nested('{"a":', '}', 10_000), nested('[', ']', 200)),
  },
  { weight: 1, arbitrary: fc.constantFrom(1_000, 20_000).map((count) => Array.from({ length: count }, () => 0)) },
);
