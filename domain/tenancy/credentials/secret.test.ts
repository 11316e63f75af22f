import { expect, test } from 'vitest';
import { hashSecret, isWellFormedSecret, mintSecret } from './secret.ts';

test('a key has a prefix, 32 random characters and a checksum of 6', () => {
  expect(mintSecret('apiKey')).toMatch(/^trib_live_[0-9A-Za-z]{38}$/);
  expect(new Set(Array.from({ length: 1_000 }, () => mintSecret('apiKey'))).size).toBe(1_000);
});

test('the checksum detects a mistyped key', () => {
  const key = mintSecret('apiKey');
  expect(isWellFormedSecret(key, 'apiKey')).toBe(true);
  expect(isWellFormedSecret(key, 'appToken')).toBe(false);
  for (let index = 0; index < key.length; index += 1) {
    const other = key[index] === 'a' ? 'b' : 'a';
    expect(isWellFormedSecret(key.slice(0, index) + other + key.slice(index + 1), 'apiKey'), `character ${index}`).toBe(
      false,
    );
  }
});

test('the stored hash does not contain the key', () => {
  const key = mintSecret('apiKey');
  expect(hashSecret(key)).toHaveLength(32);
  expect(hashSecret(key).toString('latin1')).not.toContain(key);
});
