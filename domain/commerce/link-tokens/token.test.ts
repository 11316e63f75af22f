import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { v4 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import { openLinkToken, sealLinkToken } from './token.ts';

const key = (fill: number) => ({ id: `k${fill}`, bytes: Buffer.alloc(32, fill) });
const [profileId, customerId] = [uuid(), uuid()];
const expiresAt = new Date('2026-09-13T12:00:00.000Z');
const seal = () => sealLinkToken(key(1), profileId, { customerId, expiresAt });
const open = (token: string, at = expiresAt) => openLinkToken([key(1)], profileId, token, at);

test('[link-045] a token is valid up to and including its expiry', () => {
  const token = seal();
  expect(open(token)).toEqual({ customerId, expiresAt });
  expect(open(token, new Date(expiresAt.getTime() + 1))).toBeUndefined();
});

test('[link-044] a token opens only for its profile and with its secret', () => {
  const token = seal();
  expect(openLinkToken([key(1)], uuid(), token, expiresAt)).toBeUndefined();
  expect(openLinkToken([key(2)], profileId, token, expiresAt)).toBeUndefined();
  expect(openLinkToken([], profileId, token, expiresAt)).toBeUndefined();
  // After a rotation the older secret still opens its tokens.
  expect(openLinkToken([key(2), key(1)], profileId, token, expiresAt)).toEqual({ customerId, expiresAt });
});

test('[link-046] a token with one character changed, added or removed does not open', () => {
  const token = seal();
  for (let index = 0; index < token.length; index += 1) {
    const other = token[index] === 'A' ? 'B' : 'A';
    expect(open(token.slice(0, index) + other + token.slice(index + 1)), `letter ${index}`).toBeUndefined();
    expect(open(token.slice(0, index) + token.slice(index + 1)), `without letter ${index}`).toBeUndefined();
  }
  expect(open(`${token}A`)).toBeUndefined();
  expect(open(`${token}=`)).toBeUndefined();
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => open(text) === undefined));
  for (let round = 0; round < 1_000; round += 1) expect(open(randomBytes(54).toString('base64url'))).toBeUndefined();
});

test('[link-043] two tokens of one customer share no substring of eight characters', () => {
  const seen = new Map<string, number>();
  for (let round = 0; round < 200; round += 1) {
    const token = seal();
    for (let index = 0; index + 8 <= token.length; index += 1) {
      const part = token.slice(index, index + 8);
      expect(seen.get(part) ?? round).toBe(round);
      seen.set(part, round);
    }
  }
});
