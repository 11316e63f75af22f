import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createOpener, createSealer, createVault, publicKeyOf, UnreadableSecret } from './index.ts';

const key = (id: string, fill: number) => ({ id, bytes: Buffer.alloc(32, fill) });
const place = { table: 'stream', column: 'visits', row: 'r', profileId: 'p' };
const [old, young] = [key('old', 1), key('young', 2)];

test('whatever is sealed for a key opens with it, in its place only', () => {
  const sealer = createSealer(() => [publicKeyOf(young)]);
  const opener = createOpener(() => [young, old]);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (secret) => {
      const sealed = sealer.seal(secret, place);
      expect(opener.open(sealed, place)).toBe(secret.toWellFormed());
      expect(() => opener.open(sealed, { ...place, profileId: 'q' })).toThrow(UnreadableSecret);
    }),
  );
});

test('encrypts and decrypts arbitrary bytes', () => {
  const sealer = createSealer(() => [publicKeyOf(young)]);
  const opener = createOpener(() => [young, old]);
  fc.assert(
    fc.property(fc.uint8Array(), (secret) => {
      const sealed = sealer.sealBytes(secret, place);
      expect([...opener.openBytes(sealed, place)]).toEqual([...secret]);
      expect(() => opener.openBytes(sealed, { ...place, row: 's' })).toThrow(UnreadableSecret);
    }),
  );
  expect(() => opener.openBytes(createVault([young]).seal('text', place), place)).toThrow(UnreadableSecret);
});

test('neither another key nor the public half opens it, and a retired key opens it no longer', () => {
  const sealed = createSealer(() => [publicKeyOf(old)]).seal('secret', place);
  const { bytes } = publicKeyOf(old);
  for (const wrong of [young, { ...young, id: 'old' }, { id: 'old', bytes }])
    expect(() => createOpener(() => [wrong]).open(sealed, place)).toThrow(UnreadableSecret);
  let live = [young, old];
  const opener = createOpener(() => live);
  expect(opener.open(sealed, place)).toBe('secret');
  live = [young];
  expect(() => opener.open(sealed, place)).toThrow(UnreadableSecret);
});

test('a changed byte, wherever, or a box cut short does not open', () => {
  const sealed = createSealer(() => [publicKeyOf(old)]).seal('secret', place);
  const opener = createOpener(() => [old]);
  for (let index = 0; index < sealed.length; index += 1) {
    const changed = Buffer.from(sealed);
    changed[index] = (changed[index] as number) ^ 1;
    // X25519 takes no notice of a point's highest bit; the key that is made of the point does.
    expect(() => opener.open(changed, place), `byte ${index}`).toThrow(UnreadableSecret);
    expect(() => opener.open(sealed.subarray(0, index), place), `cut at ${index}`).toThrow(UnreadableSecret);
  }
  const zero = Buffer.concat([Buffer.from([2, 3]), Buffer.from('old'), Buffer.alloc(32), Buffer.alloc(40)]);
  expect(() => opener.open(zero, place)).toThrow(UnreadableSecret);
});

test('no two seals are alike, and a pair of keys serves for a minute and for the newest key only', () => {
  let now = 0;
  let keys = [publicKeyOf(old)];
  const sealer = createSealer(
    () => keys,
    () => now,
  );
  const pairOf = () =>
    sealer
      .seal('x', place)
      .subarray(0, 2 + 3 + 32)
      .toString('hex');
  expect(sealer.seal('x', place)).not.toEqual(sealer.seal('x', place));
  const first = pairOf();
  expect(pairOf()).toBe(first);
  now += 60_000;
  const second = pairOf();
  expect(second).not.toBe(first);
  keys = [publicKeyOf(young), ...keys];
  expect(createOpener(() => [young]).open(sealer.seal('x', place), place)).toBe('x');
  expect(() => createSealer(() => []).seal('x', place)).toThrow('tributary migrate');
});

test('what the key sealed itself, before there were boxes, still opens', () => {
  expect(createOpener(() => [young, old]).open(createVault([old]).seal('secret', place), place)).toBe('secret');
});
