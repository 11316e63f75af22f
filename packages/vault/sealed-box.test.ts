import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOpener, createSealer, createVault, publicKeyOf, UnreadableSecret } from './index.ts';

const key = (id: string, fill: number) => ({ id, bytes: Buffer.alloc(32, fill) });
const place = { table: 'stream', column: 'visits', row: 'r', profileId: 'p' };
const [old, newer] = [key('old', 1), key('newer', 2)];

test('a sealed secret opens with its key, and only at its location', () => {
  const sealer = createSealer(() => [publicKeyOf(newer)]);
  const opener = createOpener(() => [newer, old]);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (secret) => {
      const sealed = sealer.seal(secret, place);
      expect(opener.open(sealed, place)).toBe(secret.toWellFormed());
      expect(() => opener.open(sealed, { ...place, profileId: 'q' })).toThrow(UnreadableSecret);
    }),
  );
});

test('seals arbitrary bytes', () => {
  const sealer = createSealer(() => [publicKeyOf(newer)]);
  const opener = createOpener(() => [newer, old]);
  fc.assert(
    fc.property(fc.uint8Array(), (secret) => {
      const sealed = sealer.sealBytes(secret, place);
      expect([...opener.openBytes(sealed, place)]).toEqual([...secret]);
      expect(() => opener.openBytes(sealed, { ...place, row: 's' })).toThrow(UnreadableSecret);
    }),
  );
  expect(() => opener.openBytes(createVault([newer]).seal('text', place), place)).toThrow(UnreadableSecret);
});

test('neither another key, the public half nor a retired key opens a secret', () => {
  const sealed = createSealer(() => [publicKeyOf(old)]).seal('secret', place);
  const { bytes } = publicKeyOf(old);
  for (const wrong of [newer, { ...newer, id: 'old' }, { id: 'old', bytes }])
    expect(() => createOpener(() => [wrong]).open(sealed, place)).toThrow(UnreadableSecret);
  let live = [newer, old];
  const opener = createOpener(() => live);
  expect(opener.open(sealed, place)).toBe('secret');
  live = [newer];
  expect(() => opener.open(sealed, place)).toThrow(UnreadableSecret);
});

test('a box with a changed byte or a missing end does not open', () => {
  const sealed = createSealer(() => [publicKeyOf(old)]).seal('secret', place);
  const opener = createOpener(() => [old]);
  for (let index = 0; index < sealed.length; index += 1) {
    const changed = Buffer.from(sealed);
    changed[index] = (changed[index] as number) ^ 1;
    // X25519 ignores the highest bit of a point, but the derived key depends on it.
    expect(() => opener.open(changed, place), `byte ${index}`).toThrow(UnreadableSecret);
    expect(() => opener.open(sealed.subarray(0, index), place), `cut at ${index}`).toThrow(UnreadableSecret);
  }
  const zero = Buffer.concat([Buffer.from([2, 3]), Buffer.from('old'), Buffer.alloc(32), Buffer.alloc(40)]);
  expect(() => opener.open(zero, place)).toThrow(UnreadableSecret);
});

test('no two seals are equal, and a key pair is used for a minute and only for the newest key', () => {
  let now = 0;
  let keys = [publicKeyOf(old)];
  const sealer = createSealer(
    () => keys,
    () => now,
  );
  const readPair = () =>
    sealer
      .seal('x', place)
      .subarray(0, 2 + 3 + 32)
      .toString('hex');
  expect(sealer.seal('x', place)).not.toEqual(sealer.seal('x', place));
  const first = readPair();
  expect(readPair()).toBe(first);
  now += 60_000;
  const second = readPair();
  expect(second).not.toBe(first);
  keys = [publicKeyOf(newer), ...keys];
  expect(createOpener(() => [newer]).open(sealer.seal('x', place), place)).toBe('x');
  expect(() => createSealer(() => []).seal('x', place)).toThrow('tributary migrate');
});

test('opens secrets that the key sealed itself before boxes existed', () => {
  expect(createOpener(() => [newer, old]).open(createVault([old]).seal('secret', place), place)).toBe('secret');
});
