import { createPostgres, type Postgres } from '@tributary/postgres';
import { openTestkit, type Testkit } from '@tributary/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { KeyRing } from './key-ring.ts';
import { ensureKeys, loadKeys, loadStreamKeys, retireKeys, rewrapKeys, rotateKey } from './key-store.ts';
import { createOpener, createSealer } from './sealed-box.ts';
import { createVault, UnreadableSecret } from './vault.ts';

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

const openRing = (vault = master) => new KeyRing(vault, () => loadKeys(kit.app.unbound)).open(60_000, () => {});

test('every purpose has a key, once', async () => {
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

test('a collector finds the public halves of the stream’s keys, also of those made before there were any', async () => {
  await operator.unbound.query(sql`UPDATE key_ring SET public_key = NULL`);
  const collector = createPostgres({ url: kit.database.collectorUrl, poolSize: 1 });
  expect(await loadStreamKeys(collector.unbound)).toEqual([]);
  await ensureKeys(operator.unbound, master, kit.clock.now());
  kit.clock.advance(1_000);
  const young = await operator.unbound.transaction((tx) => rotateKey(tx, master, 'stream', kit.clock.now()));
  const found = await loadStreamKeys(collector.unbound);
  expect([found.length, found[0]?.id]).toEqual([2, young]);
  const ring = await openRing();
  for (const one of found) {
    const sealed = createSealer(() => [one]).seal('secret', place);
    expect(createOpener(() => ring.keys('stream')).open(sealed, place)).toBe('secret');
  }
  ring.close();
  await expect(loadKeys(collector.unbound)).rejects.toThrow('permission denied');
  await collector.close();
});

test('a rotation while running: new work uses the new key, the old is still read, and a newer key is found by its id', async () => {
  const [here, there] = [await openRing(), await openRing()];
  const before = createVault(() => here.keys('envelope')).seal('token', place);
  kit.clock.advance(1_000);
  const id = await operator.unbound.transaction((tx) => rotateKey(tx, master, 'envelope', kit.clock.now()));
  await here.refresh();
  expect(here.current('envelope').id).toBe(id);
  const after = createVault(() => here.keys('envelope')).seal('token', place);
  expect(createVault(() => here.keys('envelope')).open(before, place)).toBe('token');
  // The other process has not looked again yet.
  expect(() => createVault(() => there.keys('envelope')).open(after, place)).toThrow(UnreadableSecret);
  expect((await there.find('envelope', id))?.id).toBe(id);
  expect(createVault(() => there.keys('envelope')).open(after, place)).toBe('token');
  expect(await operator.unbound.transaction((tx) => retireKeys(tx, 'envelope', kit.clock.now()))).toBe(1);
  await here.refresh();
  expect(() => createVault(() => here.keys('envelope')).open(before, place)).toThrow(UnreadableSecret);
  expect(createVault(() => here.keys('envelope')).open(after, place)).toBe('token');
});

test('the master key itself is rotated by rewrapping the ring', async () => {
  const both = createVault([newMaster, oldMaster]);
  const before = (await openRing()).current('session');
  expect(await operator.unbound.transaction((tx) => rewrapKeys(tx, both))).toBeGreaterThanOrEqual(5);
  expect((await openRing(createVault([newMaster]))).current('session')).toEqual(before);
  await expect(openRing(createVault([oldMaster]))).rejects.toThrow(UnreadableSecret);
});

test('whoever serves can add no key, and the table alone opens nothing', async () => {
  const added = kit.app.unbound.transaction((tx) => rotateKey(tx, master, 'stream', kit.clock.now()));
  await expect(added).rejects.toThrow(/permission denied/);
  const ring = await openRing();
  const dump = JSON.stringify((await loadKeys(kit.app.unbound)).map(({ sealed }) => sealed.toString('base64')));
  expect(dump).not.toContain(ring.current('tombstone').bytes.toString('base64'));
});
