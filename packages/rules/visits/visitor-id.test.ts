import { expect, test } from 'vitest';
import { visitorIdMessage, visitorIdOf } from './visitor-id.ts';

const profile = '019a0000-0000-7000-8000-000000000001';

test('the signed text contains profile, browser and generation', () => {
  expect(visitorIdMessage(profile, '019A0000-0000-7000-8000-00000000000B', 3)).toBe(
    `${profile}:019a0000-0000-7000-8000-00000000000b:3`,
  );
  for (const wrong of [-1, 0.5, Number.NaN])
    expect(() => visitorIdMessage(profile, profile, wrong)).toThrow(RangeError);
});

test('the first bytes become a UUID of version 8', () => {
  expect(visitorIdOf(new Uint8Array(32).fill(0xff))).toBe('ffffffff-ffff-8fff-bfff-ffffffffffff');
  expect(visitorIdOf(new Uint8Array(16))).toBe('00000000-0000-8000-8000-000000000000');
  expect(visitorIdOf(Uint8Array.from({ length: 32 }, (_, place) => place))).toBe(
    '00010203-0405-8607-8809-0a0b0c0d0e0f',
  );
  expect(() => visitorIdOf(new Uint8Array(15))).toThrow(RangeError);
});

test('the input is not changed', () => {
  const bytes = new Uint8Array(16).fill(0xff);
  visitorIdOf(bytes);
  expect(bytes.every((byte) => byte === 0xff)).toBe(true);
});
