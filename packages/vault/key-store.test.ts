import { createPostgres, type Postgres } from '@tributary/postgres';
import { openTestkit, type Testkit } from '@tributary/testkit';
import type { KeyPurpose } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { KeyRing, settledAfterMs } from './key-ring.ts';
import {
  ensureKeys,
  loadEnvelopeKeys,
  loadKeys,
  loadStreamKeys,
  retireKeys,
  rewrapKeys,
  rotateKey,
} from './key-store.ts';
import { createOpener, createSealer } from './sealed-box.ts';
import { createVault, KeyNotLoaded, tryOpen, UnreadableSecret } from './vault.ts';

const oldMaster = { id: 'm1', bytes: Buffer.alloc(32, 1) };
const newMaster = { id: 'm2', bytes: Buffer.alloc(32, 2) };
const master = createVault([oldMaster]);
const place = { table: 't', column: 'c', row: 'r', profileId: 'p' };

let kit: Testkit;
let operator: Postgres;
beforeAll(async () => {
  kit = await openTestkit();
  operator = createPostgres({ url: kit.database.ownerUrl, poolSize: 1 });
});
beforeEach(async () => {
  await operator.unbound.query(sql`DELETE FROM key_ring`);
  await ensureKeys(operator.unbound, master, kit.clock.now());
});
afterAll(async () => {
  await operator.close();
  await kit.close();
});

const openRing = (vault = master) =>
  new KeyRing(
    vault,
    () => loadKeys(kit.app.unbound),
    () => kit.clock.now(),
  ).open(60_000, () => {});

const rotate = (purpose: KeyPurpose) =>
  operator.unbound.transaction((tx) => rotateKey(tx, master, purpose, kit.clock.now()));
const retire = () => operator.unbound.transaction((tx) => retireKeys(tx, 'envelope', kit.clock.now()));

/** The opened secret, undefined if no key opens it, or 'KeyNotLoaded'. */
const tryDecrypt = (open: () => string) => {
  try {
    return tryOpen(open);
  } catch (error) {
    if (error instanceof KeyNotLoaded) return error.name;
    throw error;
  }
};

test('every purpose has exactly one key', async () => {
  await ensureKeys(operator.unbound, master, kit.clock.now());
  expect((await loadKeys(kit.app.unbound)).map(({ purpose }) => purpose).sort()).toEqual([
    'envelope',
    'link_token',
    'session',
    'stream',
    'tombstone',
    'visitor',
  ]);
});

test('the collector reads the public halves of the stream keys, also of keys that were made without one', async () => {
  await operator.unbound.query(sql`UPDATE key_ring SET public_key = NULL`);
  const collector = createPostgres({ url: kit.database.collectorUrl, poolSize: 1 });
  expect(await loadStreamKeys(collector.unbound)).toEqual([]);
  await ensureKeys(operator.unbound, master, kit.clock.now());
  kit.clock.advance(1_000);
  const newer = await rotate('stream');
  const found = await loadStreamKeys(collector.unbound);
  expect([found.length, found[0]?.id]).toEqual([2, newer]);
  const ring = await openRing();
  for (const one of found) {
    const sealed = createSealer(() => [one]).seal('secret', place);
    expect(createOpener(() => ring.keys('stream')).open(sealed, place)).toBe('secret');
  }
  ring.close();
  await expect(loadKeys(collector.unbound)).rejects.toThrow('permission denied');
  const envelopes = (await loadKeys(operator.unbound)).filter(({ purpose }) => purpose === 'envelope');
  expect(await loadEnvelopeKeys(collector.unbound)).toEqual(envelopes.map(({ public_key: _none, ...key }) => key));
  await collector.close();
});

test('a new key is used once it has settled, and a process without it loads it at once', async () => {
  const [here, there] = [await openRing(), await openRing()];
  const first = here.current('envelope').id;
  const before = here.envelope().seal('token', place);
  kit.clock.advance(1_000);
  const id = await rotate('envelope');
  kit.clock.advance(settledAfterMs - 1);
  await here.refresh();
  expect([here.current('envelope').id, here.inUse('envelope')]).toEqual([first, [id, first]]);
  expect(await retire()).toBe(0);
  kit.clock.advance(1);
  await here.refresh();
  expect([here.current('envelope').id, here.inUse('envelope')]).toEqual([id, [id]]);
  expect(here.eldest('envelope').id).toBe(first);
  const after = here.envelope().seal('token', place);
  expect(here.envelope().open(before, place)).toBe('token');
  // The other process has not read the stored keys since. A secret that it cannot open yet must not count as unreadable.
  expect(() => tryOpen(() => there.envelope().open(after, place))).toThrow(KeyNotLoaded);
  await expect.poll(() => there.current('envelope').id).toBe(id);
  expect(there.envelope().open(after, place)).toBe('token');
  expect(await retire()).toBe(1);
  await here.refresh();
  expect(here.envelope().open(after, place)).toBe('token');
  expect(() => here.envelope().open(before, place)).toThrow(KeyNotLoaded);
  await expect.poll(() => tryDecrypt(() => here.envelope().open(before, place))).toBeUndefined();
});

test('while the stored keys cannot be read, a missing key counts as not loaded', async () => {
  let isAway = false;
  const ring = new KeyRing(
    master,
    () => (isAway ? Promise.reject(new Error('away')) : loadKeys(kit.app.unbound)),
    () => kit.clock.now(),
  );
  await ring.refresh();
  const sealed = createVault([{ id: 'other', bytes: Buffer.alloc(32, 3) }]).seal('token', place);
  isAway = true;
  for (let tries = 0; tries < 3; tries += 1) {
    expect(() => ring.envelope().open(sealed, place)).toThrow(KeyNotLoaded);
    await new Promise(setImmediate);
  }
  isAway = false;
  await expect.poll(() => tryDecrypt(() => ring.envelope().open(sealed, place))).toBeUndefined();
});

test('rewrapping the ring rotates the master key', async () => {
  const both = createVault([newMaster, oldMaster]);
  const before = (await openRing()).current('session');
  expect(await operator.unbound.transaction((tx) => rewrapKeys(tx, both))).toBeGreaterThanOrEqual(5);
  expect((await openRing(createVault([newMaster]))).current('session')).toEqual(before);
  await expect(openRing(createVault([oldMaster]))).rejects.toThrow(UnreadableSecret);
});

test('the app role cannot add keys, and the table alone opens no secret', async () => {
  const added = kit.app.unbound.transaction((tx) => rotateKey(tx, master, 'stream', kit.clock.now()));
  await expect(added).rejects.toThrow(/permission denied/);
  const ring = await openRing();
  const dump = JSON.stringify((await loadKeys(kit.app.unbound)).map(({ sealed }) => sealed.toString('base64')));
  expect(dump).not.toContain(ring.current('tombstone').bytes.toString('base64'));
});
