import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { normaliseRut } from '../rut.ts';
import { maskReferrer, maskUrl } from './mask-url.ts';

/**
 * Canaries: made-up personal data and secrets, inserted at every position of a URL in every encoding. None may be in
 * the masked URL, in any spelling.
 */

const digits = (length: number) => fc.stringMatching(new RegExp(`^[0-9]{${length}}$`));
const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((array) => hashOf(array, length));
/** Random-looking from the first sample: fast-check starts with zeros, and no secret is all zeros. */
const hashOf = (array: Uint8Array, length: number) =>
  createHash('shake256', { outputLength: length }).update(array).digest();

const rut = fc
  .integer({ min: 1_000_000, max: 39_999_999 })
  .map((body) => [...'0123456789K'].map((check) => `${body}${check}`).find((text) => normaliseRut(text)) as string)
  .chain((text) => {
    const dotted = `${text.slice(0, -7)}.${text.slice(-7, -4)}.${text.slice(-4, -1)}-${text.slice(-1)}`;
    return fc.constantFrom(dotted, `${text.slice(0, -1)}-${text.slice(-1)}`, dotted.toLowerCase());
  });

const phone = fc
  .tuple(fc.constantFrom('+56 9', '+569', '+54 9 11', '+1 415', '+34 6'), digits(8), fc.constantFrom(' ', '-', '.', ''))
  .map(([prefix, number, separator]) => `${prefix}${separator}${number.slice(0, 4)}${separator}${number.slice(4)}`);

const email = fc
  .tuple(
    fc.stringMatching(/^[a-z]{4,10}([.+_-][a-z0-9]{2,6})?$/),
    fc.constantFrom('mail.example', 'Empresa.cl', 'gmail.com', 'xn--mnchen-3ya.de'),
  )
  .map((parts) => parts.join('@'));

const token = fc.oneof(
  bytes(16).map((value) => value.toString('hex')),
  bytes(20).map((value) => value.toString('hex').toUpperCase()),
  bytes(24).map((value) => value.toString('base64url')),
  bytes(32).map((value) => value.toString('base64')),
  fc.uuid(),
  bytes(24).map((value) => `eyJhbGciOiJIUzI1NiJ9.${value.toString('base64url')}.${value.toString('hex')}`),
);

// Bare digits are not used in campaign tags, where they are the platform's ids.
const bare = fc.oneof(rut, phone).map((text) => text.replace(/[^\dkK]/g, ''));

const once = encodeURIComponent;
const twice = (text: string) => once(once(text));
const everyByte = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
/** Full-width letters, digits and signs, as some keyboards produce them. */
const fullWidth = (text: string) =>
  once(text.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)));
/** Preceded by an incomplete escape, so that the whole cannot be decoded. */
const afterHalf = (text: string) => `%ff%!${once(text)}`;
const writings = [
  once,
  twice,
  (text: string) => once(twice(text)),
  everyByte,
  (text: string) => once(everyByte(text)),
  fullWidth,
  afterHalf,
];
const raw = (text: string) => text.replaceAll('/', '%2F').replaceAll('+', '%2B');

const positions: Readonly<Record<string, (text: string) => string>> = {
  path: (text) => `/orders/${text}/view`,
  'last segment': (text) => `/orders/${text}`,
  'end of a segment': (text) => `/order-${text}`,
  query: (text) => `/?a=1&q=${text}&b=2`,
  'name of a parameter': (text) => `/?${text}=1`,
  'lone parameter': (text) => `/?${text}`,
  'words around it': (text) => `/?q=for%20${text}%20today`,
  hash: (text) => `/#${text}`,
  'hash parameter': (text) => `/#a=1&x=${text}`,
  'path in the hash': (text) => `/#/orders/${text}?a=1`,
  'parameter in the hash': (text) => `/#!/x?y=${text}`,
  'nested address': (text) => `/?next=${once(`https://other.example/x?y=${text}&z=1`)}`,
  'path of a nested address': (text) => `/?next=${once(`https://other.example/${text}/z`)}`,
  'address nested twice': (text) => `/?next=${once(`/login?to=${once(`/x?y=${text}`)}`)}`,
  'personal name': (text) => `/?customer_email=${text}`,
  record: (text) => `/?data=${once(`{"x":"${text}"}`)}`,
  'path parameter': (text) => `/x;y=${text}`,
};
const campaignPositions: Readonly<Record<string, (text: string) => string>> = {
  utm_content: (text) => `/?utm_source=x&utm_content=${text}`,
  utm_campaign: (text) => `/?utm_campaign=promo-${text}`,
  utm_id: (text) => `/#utm_id=${text}`,
};

/** Lower case, without separators and encoding. */
function core(text: string): string {
  let decoded = text;
  for (let layer = 0; layer < 6; layer += 1) {
    try {
      decoded = decodeURIComponent(decoded);
    } catch {
      break;
    }
  }
  return decoded.toLowerCase().replace(/[^a-z0-9]/g, '');
}

function expectMasked(canary: string, position: string, address: string): void {
  const { url } = maskUrl(`https://shop.example${address}`);
  const written = `${position}: ${address} became ${url}`;
  expect(url.includes('~'), written).toBe(true);
  for (const spelling of [canary, encodeURIComponent(canary), canary.toLowerCase()]) {
    expect(url.toLowerCase().includes(spelling.toLowerCase()), written).toBe(false);
  }
  expect(core(url).includes(core(canary)), written).toBe(false);
}

const seed = 20_261_115;
const writing = fc.constantFrom(raw, ...writings);

test('masks 7,000 canaries at every position of a page’s URL', () => {
  fc.assert(
    fc.property(
      fc.oneof(email, phone, rut, token, bare),
      fc.constantFrom(...Object.keys(positions)),
      writing,
      (canary, position, write) => {
        expectMasked(canary, position, positions[position]?.(write(canary)) ?? '');
      },
    ),
    { numRuns: 7_000, seed },
  );
});

test('masks 2,000 e-mail addresses in base64, hexadecimal, JSON and signed tokens', () => {
  const hidings: readonly ((text: string) => string)[] = [
    (text) => Buffer.from(`{"who":"${text}"}`).toString('base64'),
    (text) => Buffer.from(`{"who":"${text}"}`).toString('base64url'),
    (text) => Buffer.from(text).toString('hex'),
    (text) => JSON.stringify({ page: 1, filter: { x: [text] } }),
    (text) => `eyJhbGciOiJIUzI1NiJ9.${Buffer.from(`{"sub":"${text}"}`).toString('base64url')}.c2lnbmF0dXJl`,
  ];
  fc.assert(
    fc.property(
      email,
      fc.constantFrom(...hidings),
      fc.constantFrom(...Object.keys(positions)),
      writing,
      (canary, hide, position, write) => {
        expectMasked(hide(canary), position, positions[position]?.(write(hide(canary))) ?? '');
      },
    ),
    { numRuns: 2_000, seed },
  );
});

test('masks 500 canaries after a hundred parameters', () => {
  const padding = 'a=1&'.repeat(120);
  fc.assert(
    fc.property(fc.oneof(email, phone, rut, token), writing, (canary, write) => {
      expectMasked(canary, 'behind', `/?${padding}q=${write(canary)}`);
    }),
    { numRuns: 500, seed },
  );
});

test('masks 2,000 canaries in campaign tags', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        email,
        phone.filter((text) => /^\+/.test(text)),
        rut,
      ),
      fc.constantFrom(...Object.keys(campaignPositions)),
      writing,
      (canary, position, write) => {
        expectMasked(canary, position, campaignPositions[position]?.(write(canary)) ?? '');
      },
    ),
    { numRuns: 2_000, seed },
  );
});

test('masks 1,000 canaries in another site’s URL', () => {
  fc.assert(
    fc.property(
      fc.oneof(email, phone, rut, token, bare),
      fc.constantFrom(...Object.keys(positions)),
      writing,
      (canary, position, write) => {
        const referrer = maskReferrer(
          `https://blog.example.org${positions[position]?.(write(canary))}`,
          'https://shop.example/',
          [],
        );
        expect(core(referrer).includes(core(canary)), referrer).toBe(false);
      },
    ),
    { numRuns: 1_000, seed },
  );
});
