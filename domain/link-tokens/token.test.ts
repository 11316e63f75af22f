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

test('[link-045] a token opens until its last millisecond, and not after it', () => {
  const token = seal();
  expect(open(token)).toEqual({ customerId, expiresAt });
  expect(open(token, new Date(expiresAt.getTime() + 1))).toBeUndefined();
});

test('[link-044] a token opens for its profile only, and under its secret only', () => {
  const token = seal();
  expect(openLinkToken([key(1)], uuid(), token, expiresAt)).toBeUndefined();
  expect(openLinkToken([key(2)], profileId, token, expiresAt)).toBeUndefined();
  expect(openLinkToken([], profileId, token, expiresAt)).toBeUndefined();
  // After a rotation the older secret still opens what it made.
  expect(openLinkToken([key(2), key(1)], profileId, token, expiresAt)).toEqual({ customerId, expiresAt });
});

test('[link-046] a token with one letter changed, added or missing does not open', () => {
  const token = seal();
  for (let place = 0; place < token.length; place += 1) {
    const other = token[place] === 'A' ? 'B' : 'A';
    expect(open(token.slice(0, place) + other + token.slice(place + 1)), `letter ${place}`).toBeUndefined();
    expect(open(token.slice(0, place) + token.slice(place + 1)), `without letter ${place}`).toBeUndefined();
  }
  expect(open(`${token}A`)).toBeUndefined();
  expect(open(`${token}=`)).toBeUndefined();
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => open(text) === undefined));
  for (let made = 0; made < 1_000; made += 1) expect(open(randomBytes(54).toString('base64url'))).toBeUndefined();
});

test('[link-043] two tokens of one customer share no eight letters, wherever they stand', () => {
  const seen = new Map<string, number>();
  for (let made = 0; made < 200; made += 1) {
    const token = seal();
    for (let place = 0; place + 8 <= token.length; place += 1) {
      const part = token.slice(place, place + 8);
      expect(seen.get(part) ?? made).toBe(made);
      seen.set(part, made);
    }
  }
});
