import { setTimeout as sleep } from 'node:timers/promises';
import { createPostgres, type Postgres, switchScope } from '@tributary/postgres';
import { buildProfile, openTestkit, type Testkit } from '@tributary/testkit';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  createPersonalDataGate,
  type Disclosure,
  disclosePersonalData,
  type PersonalDataGate,
  refuse,
} from './index.ts';

let kit: Testkit;
let smallPool: Postgres;
let gate: PersonalDataGate;
beforeAll(async () => {
  kit = await openTestkit();
});
afterAll(() => kit.close());
beforeEach(() => {
  // The whole process has two pooled connections, besides the one that holds the locks.
  smallPool = createPostgres({ url: kit.database.appUrl, poolSize: 2 });
  gate = createPersonalDataGate(smallPool);
});
afterEach(() => smallPool.close());

type Tenant = { readonly profileId: string; readonly workspaceId: string };

async function openTenant(): Promise<Tenant> {
  const { id: profileId, workspaceId } = await buildProfile(kit.app);
  return { profileId, workspaceId };
}

/** A delivery to a new recipient, which is allowed while the profile is in standard mode. */
const delivery = (tenant: Tenant): Disclosure => ({
  operation: 'delivery',
  ...tenant,
  actor: { kind: 'webhook', id: uuid() },
  people: 1,
  requestId: 'delivery_1',
  now: kit.clock.now(),
  recheck: async (tx) => {
    await switchScope(tx, tenant);
    const { privacy_mode: mode } = await tx.selectFrom('profiles').select('privacy_mode').executeTakeFirstOrThrow();
    if (mode !== 'standard') refuse('forbidden', 'Nothing of people leaves any more.');
  },
});

/** A send whose bytes are in transit until it is released or aborted. */
function inTransit() {
  const started = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  const state = { isAborted: false };
  const send = (cut?: AbortSignal) => {
    cut?.addEventListener('abort', () => {
      state.isAborted = true;
    });
    started.resolve();
    return gone.promise;
  };
  return { send, started: started.promise, release: gone.resolve, state };
}

const switchPrivacy = ({ profileId }: Tenant, mode: string) =>
  kit.app.forProfile(profileId).transaction((tx) => tx.updateTable('profiles').set({ privacy_mode: mode }).execute());

test('a send in progress holds no pooled connection', async () => {
  const tenant = await openTenant();
  const slow = Array.from({ length: 6 }, inTransit);
  const leaving = slow.map(({ send }) => disclosePersonalData(gate, delivery(tenant), send));
  await Promise.all(slow.map(({ started }) => started));
  await Promise.all([
    smallPool.ping(),
    smallPool.ping(),
    smallPool.forProfile(tenant.profileId).transaction(async () => {}),
  ]);
  // If they had needed a connection, one of them would have been aborted first.
  expect(slow.map(({ state }) => state.isAborted)).toEqual(slow.map(() => false));
  for (const { release } of slow) release();
  await Promise.all(leaving);
});

test('a privacy switch waits for sends in progress; later sends wait for the switch and are refused', async () => {
  const tenant = await openTenant();
  const first = inTransit();
  const isGone = disclosePersonalData(gate, delivery(tenant), first.send);
  await first.started;
  let isSwitched = false;
  const switching = switchPrivacy(tenant, 'hipaa').then(() => {
    isSwitched = true;
  });
  await sleep(100);
  const second = inTransit();
  const isRefused = disclosePersonalData(gate, delivery(tenant), second.send);
  isRefused.catch(() => {});
  await sleep(200);
  expect(isSwitched).toBe(false);
  first.release();
  await Promise.all([isGone, switching]);
  await expect(isRefused).rejects.toMatchObject({ code: 'forbidden' });
  const log = await kit.app
    .forWorkspace(tenant.workspaceId)
    .transaction((tx) => tx.selectFrom('pii_access_log').select(['actor_kind', 'result']).orderBy('id').execute());
  expect(log).toEqual([
    { actor_kind: 'webhook', result: 'served' },
    { actor_kind: 'webhook', result: 'served' },
    { actor_kind: 'webhook', result: 'refused' },
  ]);
});

test('overlapping sends do not delay a privacy switch indefinitely', async () => {
  const tenant = await openTenant();
  let isSwitched = false;
  const leaving: Promise<unknown>[] = [];
  const begin = async () => {
    const next = inTransit();
    leaving.push(disclosePersonalData(gate, delivery(tenant), next.send).catch(() => {}));
    await Promise.race([next.started, sleep(500)]);
    return next;
  };
  let newest = await begin();
  const switching = switchPrivacy(tenant, 'hipaa').then(() => {
    isSwitched = true;
  });
  await sleep(100);
  for (let count = 0; count < 5 && !isSwitched; count += 1) {
    const before = newest;
    newest = await begin();
    before.release();
    await sleep(50);
  }
  expect(isSwitched).toBe(true);
  newest.release();
  await Promise.all([switching, ...leaving]);
});

test('losing the lock connection aborts all sends in progress, and later ones work', async () => {
  const tenant = await openTenant();
  const slow = [inTransit(), inTransit()];
  const leaving = slow.map(({ send }) => disclosePersonalData(gate, delivery(tenant), send));
  const ends = Promise.allSettled(leaving);
  await Promise.all(slow.map(({ started }) => started));
  await kit.app.unbound.query(sql`
    SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_database ON pg_database.oid = database
    WHERE locktype = 'advisory' AND datname = current_database()`);
  const startedAt = performance.now();
  expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  // Sooner than after five seconds, when they would be aborted anyway.
  expect(performance.now() - startedAt).toBeLessThan(4_000);
  expect(slow.map(({ state }) => state.isAborted)).toEqual([true, true]);
  const next = inTransit();
  next.release();
  await disclosePersonalData(gate, delivery(tenant), next.send);
});

test('aborts a send after five seconds, so that a privacy switch can continue', async () => {
  const tenant = await openTenant();
  const stuck = inTransit();
  const isAborted = disclosePersonalData(gate, delivery(tenant), stuck.send);
  isAborted.catch(() => {});
  await stuck.started;
  const startedAt = performance.now();
  await switchPrivacy(tenant, 'hipaa');
  expect(performance.now() - startedAt).toBeGreaterThan(4_000);
  expect(stuck.state.isAborted).toBe(true);
  await expect(isAborted).rejects.toMatchObject({ code: 'service_unavailable' });
});

test('sends nothing if the access log entry cannot be written', async () => {
  const tenant = { ...(await openTenant()), workspaceId: uuid() };
  const sent: string[] = [];
  await expect(disclosePersonalData(gate, delivery(tenant), () => void sent.push('bytes'))).rejects.toThrow();
  expect(sent).toEqual([]);
});
