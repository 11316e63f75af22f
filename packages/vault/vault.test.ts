import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createVault, type SecretLocation, UnreadableSecret } from './index.ts';

const key = (id: string, fill: number) => ({ id, bytes: Buffer.alloc(32, fill) });
const place: SecretLocation = { table: 'connections', column: 'token', row: 'r1', profileId: 'p1' };

test('opens any sealed secret', () => {
  const vault = createVault([key('k1', 1)]);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (secret) => {
      expect(vault.open(vault.seal(secret, place), place)).toBe(secret);
    }),
  );
});

test('two seals of one secret differ', () => {
  const vault = createVault([key('k1', 1)]);
  expect(vault.seal('same', place).subarray(4).equals(vault.seal('same', place).subarray(4))).toBe(false);
});

test.each(['table', 'column', 'row', 'profileId'] as const)('a secret does not open with another %s', (part) => {
  const vault = createVault([key('k1', 1)]);
  const sealed = vault.seal('token', place);
  expect(() => vault.open(sealed, { ...place, [part]: 'other' })).toThrow(UnreadableSecret);
});

test('a secret with a changed bit does not open', () => {
  const vault = createVault([key('k1', 1)]);
  const sealed = vault.seal('token', place);
  for (let index = 0; index < sealed.length; index += 1) {
    const changed = Buffer.from(sealed);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(() => vault.open(changed, place), `byte ${index}`).toThrow(UnreadableSecret);
  }
});

test('after rewrapping, the new key alone opens a secret', () => {
  const old = createVault([key('k1', 1)]);
  const both = createVault([key('k2', 2), key('k1', 1)]);
  const onlyNew = createVault([key('k2', 2)]);
  const sealed = old.seal('token', place);
  expect(both.open(sealed, place)).toBe('token');
  expect(() => onlyNew.open(sealed, place)).toThrow(UnreadableSecret);
  const rewrapped = both.rewrap(sealed, place);
  expect(rewrapped && onlyNew.open(rewrapped, place)).toBe('token');
  expect(rewrapped && both.rewrap(rewrapped, place)).toBeUndefined();
});
