import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeOnce } from './decode.ts';

test('decodes what encodeURIComponent encoded', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(decodeOnce(encodeURIComponent(text))).toBe(text);
    }),
  );
});

test('decodes like decodeURIComponent if the whole text can be decoded', () => {
  const escapes = fc.stringMatching(/^(%[0-9a-fA-F]{2}|%e[0-9a-f]%[89ab][0-9a-f]%[89ab][0-9a-f]|[a-z%é])*$/);
  fc.assert(
    fc.property(escapes, (text) => {
      const [expected] = decodeWhole(text);
      if (expected !== undefined) expect(decodeOnce(text)).toBe(expected);
    }),
    { numRuns: 5_000 },
  );
});

function decodeWhole(text: string): [string?] {
  try {
    return [decodeURIComponent(text)];
  } catch {
    return [];
  }
}

test.each([
  ['%', '%'],
  ['100%25%', '100%%'],
  ['caf%E9%40x', 'caf%E9@x'],
  ['%C3%A9%FF%41', 'é%FFA'],
  ['%c0%af%ed%a0%80', '%c0%af%ed%a0%80'],
  ['%F0%9F%98%80', '😀'],
])('decodes the valid parts of %s: %s', (text, decoded) => expect(decodeOnce(text)).toBe(decoded));
