import { setTimeout as sleep } from 'node:timers/promises';
import { createPostgres, enter, type Postgres } from '@tributary/postgres';
import { buildProfile, openTestkit, type Testkit } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createPersonGate, type Leaving, leaveWithPeople, type PersonGate, refuse } from './index.ts';

let kit: Testkit;
let narrow: Postgres;
let gate: PersonGate;
beforeAll(async () => {
  kit = await openTestkit();
});
afterAll(() => kit.close());
beforeEach(() => {
  // The whole process has two connections, and the one that keeps the locks.
  narrow = createPostgres({ url: kit.database.appUrl, poolSize: 2 });
  gate = createPersonGate(narrow);
});
afterEach(() => narrow.close());

type Place = { readonly profileId: string; readonly workspaceId: string };

async function openPlace(): Promise<Place> {
  const { id: profileId, workspaceId } = await buildProfile(kit.app);
  return { profileId, workspaceId };
}

/** A delivery to somebody new, which may leave as long as the profile is an ordinary one. */
const delivery = (place: Place): Leaving => ({
  operation: 'delivery',
  ...place,
  actor: { kind: 'webhook', id: uuid() },
  people: 1,
  requestId: 'delivery_1',
  now: kit.clock.now(),
  recheck: async (tx) => {
    await enter(tx, place);
    const { privacy_mode: mode } = await tx.selectFrom('profiles').select('privacy_mode').executeTakeFirstOrThrow();
    if (mode !== 'standard') refuse('forbidden', 'Nothing of people leaves any more.');
  },
});

/** Bytes that are on their way until they are let go, or cut off. */
function onTheirWay() {
  const begun = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  const seen = { isCut: false };
  const send = (cut?: AbortSignal) => {
    cut?.addEventListener('abort', () => {
      seen.isCut = true;
    });
    begun.resolve();
    return gone.promise;
  };
  return { send, begun: begun.promise, letGo: gone.resolve, seen };
}

const switchTo = ({ profileId }: Place, mode: string) =>
  kit.app.forProfile(profileId).transaction((tx) => tx.updateTable('profiles').set({ privacy_mode: mode }).execute());

test('what is on its way holds no connection of the pool', async () => {
  const place = await openPlace();
  const slow = Array.from({ length: 6 }, onTheirWay);
  const leaving = slow.map(({ send }) => leaveWithPeople(gate, delivery(place), send));
  await Promise.all(slow.map(({ begun }) => begun));
  await Promise.all([narrow.ping(), narrow.ping(), narrow.forProfile(place.profileId).transaction(async () => {})]);
  // Had they waited for a connection, they would have waited until somebody was cut off.
  expect(slow.map(({ seen }) => seen.isCut)).toEqual(slow.map(() => false));
  for (const { letGo } of slow) letGo();
  await Promise.all(leaving);
});

test('a switch waits for what is on its way; what comes after waits for the switch and does not leave', async () => {
  const place = await openPlace();
  const first = onTheirWay();
  const isGone = leaveWithPeople(gate, delivery(place), first.send);
  await first.begun;
  let isSwitched = false;
  const switching = switchTo(place, 'hipaa').then(() => {
    isSwitched = true;
  });
  await sleep(100);
  const second = onTheirWay();
  const isRefused = leaveWithPeople(gate, delivery(place), second.send);
  isRefused.catch(() => {});
  await sleep(200);
  expect(isSwitched).toBe(false);
  first.letGo();
  await Promise.all([isGone, switching]);
  await expect(isRefused).rejects.toMatchObject({ code: 'forbidden' });
  const log = await kit.app
    .forWorkspace(place.workspaceId)
    .transaction((tx) => tx.selectFrom('pii_access_log').select(['actor_kind', 'result']).orderBy('id').execute());
  expect(log).toEqual([
    { actor_kind: 'webhook', result: 'served' },
    { actor_kind: 'webhook', result: 'served' },
    { actor_kind: 'webhook', result: 'refused' },
  ]);
});

test('ever new ones, each begun before the last has left, do not keep a switch waiting', async () => {
  const place = await openPlace();
  let isSwitched = false;
  const leaving: Promise<unknown>[] = [];
  const begin = async () => {
    const next = onTheirWay();
    leaving.push(leaveWithPeople(gate, delivery(place), next.send).catch(() => {}));
    await Promise.race([next.begun, sleep(500)]);
    return next;
  };
  let newest = await begin();
  const switching = switchTo(place, 'hipaa').then(() => {
    isSwitched = true;
  });
  await sleep(100);
  for (let count = 0; count < 5 && !isSwitched; count += 1) {
    const before = newest;
    newest = await begin();
    before.letGo();
    await sleep(50);
  }
  expect(isSwitched).toBe(true);
  newest.letGo();
  await Promise.all([switching, ...leaving]);
});

test('when the connection that keeps the locks is lost, all that relied on it is cut off, and the next go on', async () => {
  const place = await openPlace();
  const slow = [onTheirWay(), onTheirWay()];
  const leaving = slow.map(({ send }) => leaveWithPeople(gate, delivery(place), send));
  const ends = Promise.allSettled(leaving);
  await Promise.all(slow.map(({ begun }) => begun));
  await kit.app.unbound.query(sql`
    SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_database ON pg_database.oid = database
    WHERE locktype = 'advisory' AND datname = current_database()`);
  const startedAt = performance.now();
  expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  // Before their five seconds are over, after which they would be cut off anyway.
  expect(performance.now() - startedAt).toBeLessThan(4_000);
  expect(slow.map(({ seen }) => seen.isCut)).toEqual([true, true]);
  const next = onTheirWay();
  next.letGo();
  await leaveWithPeople(gate, delivery(place), next.send);
});

test('what has not left in five seconds is cut off, and a switch goes on', async () => {
  const place = await openPlace();
  const stuck = onTheirWay();
  const isCut = leaveWithPeople(gate, delivery(place), stuck.send);
  isCut.catch(() => {});
  await stuck.begun;
  const startedAt = performance.now();
  await switchTo(place, 'hipaa');
  expect(performance.now() - startedAt).toBeGreaterThan(4_000);
  expect(stuck.seen.isCut).toBe(true);
  await expect(isCut).rejects.toMatchObject({ code: 'service_unavailable' });
});

test('without an entry in the access log nothing leaves', async () => {
  const place = { ...(await openPlace()), workspaceId: uuid() };
  const left: string[] = [];
  await expect(leaveWithPeople(gate, delivery(place), () => void left.push('bytes'))).rejects.toThrow();
  expect(left).toEqual([]);
});
