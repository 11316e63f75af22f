import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '@tributary/postgres';
import { buildProfile, openTestkit, type Testkit } from '@tributary/testkit';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type Batch,
  countSetAside,
  countWaiting,
  listSetAside,
  oldestSeconds,
  type QueueHandler,
  queues,
  retrySetAside,
  returnLease,
  startQueueWorker,
  takeLease,
  type WorkFailure,
} from './index.ts';

/** Tests the worker with the queue of first payments and a handler that only deletes the items. */
let kit: Testkit;
let profileId: string;
let failures: WorkFailure[];
const running: { stop(): Promise<void> }[] = [];
beforeAll(async () => {
  kit = await openTestkit();
});
beforeEach(async () => {
  profileId = (await buildProfile(kit.app)).id;
  failures = [];
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((worker) => worker.stop()));
  await kit.system.unbound.query(sql`DELETE FROM dirty_customers`);
});
afterAll(() => kit.close());

class EngineAway extends Error {}

const handler = (work: (batch: Batch) => Promise<void>): QueueHandler => ({
  async load(key, limit) {
    const { rows } = await kit.app.forProfile(key).transaction((tx) =>
      sql<{ id: string }>`
        SELECT customer_id AS id FROM dirty_customers WHERE profile_id = ${key} ORDER BY revision LIMIT ${limit}`.execute(
        tx,
      ),
    );
    return { items: rows, isMore: rows.length === limit };
  },
  async work(batch) {
    await work(batch);
    await kit.app.forProfile(batch.key).transaction(async (tx) => {
      await batch.renewLease(tx);
      const ids = batch.items.map(({ id }) => id);
      await sql`DELETE FROM dirty_customers WHERE profile_id = ${batch.key} AND customer_id = ANY (${ids}::uuid[])`.execute(
        tx,
      );
    });
  },
  async park(tx, key, { id }) {
    await sql`DELETE FROM dirty_customers WHERE profile_id = ${key} AND customer_id = ${id}`.execute(tx);
  },
  async unpark(tx, key, ids) {
    await sql`INSERT INTO dirty_customers (profile_id, customer_id) SELECT ${key}::uuid, unnest(${[...ids]}::uuid[])`.execute(
      tx,
    );
  },
});

const start = (
  work: (batch: Batch) => Promise<void>,
  numbers: { batchSize?: number; leaseSeconds?: number; paceMs?: number } = {},
) => {
  const worker = startQueueWorker({
    system: kit.system,
    systemUrl: kit.database.systemUrl,
    handlers: { firstPayments: handler(work) },
    blame: (error) => (error instanceof EngineAway ? 'away' : 'work'),
    onFailure: (failure) => failures.push(failure),
    numbers,
    // Only announced items are processed, unless a test sets another interval.
    sweepMs: 3_600_000,
  });
  running.push(worker);
  return worker;
};
const mark = async (n = 1, key = profileId, before = async () => {}) => {
  const ids = Array.from({ length: n }, () => randomUUID());
  await kit.app.forProfile(key).transaction(async (tx) => {
    await sql`INSERT INTO dirty_customers (profile_id, customer_id) SELECT ${key}::uuid, unnest(${ids}::uuid[])`.execute(
      tx,
    );
    await before();
  });
  return ids;
};
const waiting = () => countWaiting(kit.system, queues.firstPayments);
const isDone = (timeout = 10_000) => expect.poll(waiting, { timeout, interval: 20 }).toBe(0);
const listParked = async () => {
  const found = [];
  for await (const page of listSetAside(kit.system, { key: profileId })) found.push(...page);
  return found;
};
const readLease = async () => {
  const { rows } = await kit.system.unbound.query(
    sql<{ attempts: number }>`SELECT attempts FROM work_turns WHERE key = ${profileId}`,
  );
  return rows[0];
};

test('processes an announced key at once and releases it afterwards', async () => {
  const seen: number[] = [];
  start(async () => void seen.push(performance.now()));
  await sleep(300);
  for (let round = 0; round < 3; round += 1) {
    const markedAt = performance.now();
    await mark();
    await isDone();
    // It takes milliseconds on an idle machine; without an announcement the queue polls every five seconds.
    expect((seen.at(-1) ?? Number.NaN) - markedAt).toBeLessThan(4_500);
    await sleep(200);
  }
  await expect.poll(readLease).toBeUndefined();
  expect(await oldestSeconds(kit.system, 'first-payments')).toBe(0);
  expect(failures).toEqual([]);
});

test('finds an item of a slow transaction that was not announced because the key was already waiting', async () => {
  const lease = { queue: 'first-payments', key: profileId, holder: randomUUID() };
  const ledger = kit.app.forProfile(profileId);
  await ledger.transaction((tx) => takeLease(tx, lease, 60));
  start(async () => {});
  await sleep(300);
  const inserted = Promise.withResolvers<void>();
  const slow = Promise.withResolvers<void>();
  const marking = mark(1, profileId, () => {
    inserted.resolve();
    return slow.promise;
  });
  await inserted.promise;
  await ledger.transaction((tx) => returnLease(tx, lease));
  // The key is claimed and found empty, but it is not released for good.
  await sleep(1_500);
  expect(await readLease()).toBeDefined();
  slow.resolve();
  await marking;
  await isDone();
});

test('two workers share the keys and never hold the same one', async () => {
  const others = await Promise.all(Array.from({ length: 3 }, async () => (await buildProfile(kit.app)).id));
  const held = new Map<string, number>();
  let most = 0;
  const work = async ({ key }: Batch) => {
    const n = (held.get(key) ?? 0) + 1;
    held.set(key, n);
    most = Math.max(most, n);
    await sleep(20);
    held.set(key, n - 1);
  };
  start(work, { batchSize: 3 });
  start(work, { batchSize: 3 });
  await Promise.all([profileId, ...others].flatMap((key) => Array.from({ length: 8 }, () => mark(4, key))));
  await isDone(20_000);
  expect(held.size).toBe(4);
  expect(most).toBe(1);
  expect(failures).toEqual([]);
});

test('a crashed worker loses its key when the lease ends, and can no longer mark the work as done', async () => {
  const [id] = await mark();
  const lease = { queue: 'first-payments', key: profileId, holder: randomUUID() };
  const ledger = kit.app.forProfile(profileId);
  expect(await ledger.transaction((tx) => takeLease(tx, lease, 2))).toBe(true);
  const other = { ...lease, holder: randomUUID() };
  expect(await ledger.transaction((tx) => takeLease(tx, other, 2))).toBe(false);
  const began = performance.now();
  start(async () => {});
  await isDone();
  expect(performance.now() - began).toBeGreaterThan(1_000);
  // The worker whose lease ended resumes.
  await mark(1);
  const late = handler(async () => {});
  const renewLease: Batch['renewLease'] = async (tx) => {
    const { holdLease } = await import('./leases.ts');
    await holdLease(tx, lease);
  };
  const batch = {
    key: profileId,
    items: [{ id: id as string }],
    isMore: false,
    signal: AbortSignal.timeout(1_000),
    renewLease,
  };
  await expect(late.work(batch)).rejects.toThrow(expect.objectContaining({ name: 'LeaseLost' }));
  await isDone();
});

test('items that were added during a lease outside the queue are processed after its return', async () => {
  start(async () => {});
  const lease = { queue: 'first-payments', key: profileId, holder: randomUUID() };
  const ledger = kit.app.forProfile(profileId);
  expect(await ledger.transaction((tx) => takeLease(tx, lease, 60))).toBe(true);
  await mark(3);
  await sleep(500);
  expect(await waiting()).toBe(3);
  await ledger.transaction((tx) => returnLease(tx, lease));
  await isDone(2_000);
});

test('a lease outside the queue does not wait for the queue’s pace', async () => {
  start(async () => {}, { paceMs: 3_600_000 });
  const lease = { queue: 'first-payments', key: profileId, holder: randomUUID() };
  await mark();
  await isDone();
  const take = () => kit.app.forProfile(profileId).transaction((tx) => takeLease(tx, lease, 60));
  await expect.poll(take, { timeout: 5_000 }).toBe(true);
});

test('finds and parks a failing item, processes the others, and can retry it', async () => {
  const other = (await buildProfile(kit.app)).id;
  let isBroken = true;
  let bad = '';
  start(async ({ items }) => {
    if (isBroken && items.some(({ id }) => id === bad)) throw new TypeError(`cannot read "ana@example.com" of ${bad}`);
  });
  const ids = [randomUUID(), randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  bad = ids[3] as string;
  await kit.app
    .forProfile(profileId)
    .transaction((tx) =>
      sql`INSERT INTO dirty_customers (profile_id, customer_id) SELECT ${profileId}::uuid, unnest(${ids}::uuid[])`.execute(
        tx,
      ),
    );
  await mark(2, other);
  await isDone();
  const [one, ...rest] = await listParked();
  expect(rest).toEqual([]);
  expect(one).toMatchObject({ queue: 'first-payments', key: profileId, item: bad, isWanted: false });
  expect(one?.reason).toMatch(/^TypeError: cannot read … of /);
  // One failure of the whole batch, then one of the item.
  expect(failures.map(({ work, key, error }) => [work, key, (error as Error).name])).toEqual([
    ['first-payments', profileId, 'TypeError'],
    ['first-payments', profileId, 'TypeError'],
  ]);
  expect(await countSetAside(kit.system, { key: profileId })).toBe(1);

  isBroken = false;
  expect(await retrySetAside(kit.system, { key: other })).toBe(0);
  expect(await retrySetAside(kit.system, { queue: 'first-payments', key: profileId })).toBe(1);
  await expect.poll(listParked).toEqual([]);
  await isDone();
});

test('parks nothing while a store is unavailable, and processes all items when it is back', async () => {
  let isAway = true;
  start(async () => {
    if (isAway) throw new EngineAway('gone');
  });
  await mark(5);
  await expect.poll(() => failures.length).toBeGreaterThan(2);
  // A failure is reported before it is stored, and the next may come in between.
  await expect.poll(async () => (await readLease())?.attempts === failures.length).toBe(true);
  expect(await waiting()).toBe(5);
  isAway = false;
  await isDone(20_000);
  expect(await listParked()).toEqual([]);
});

test('a key whose items all fail does not delay another key', async () => {
  start(async ({ key }) => {
    if (key === profileId) throw new Error('all of them');
  });
  const other = (await buildProfile(kit.app)).id;
  await mark(40);
  await expect.poll(listParked).toHaveLength(10);
  await mark(3, other);
  await expect
    .poll(
      async () =>
        (await kit.app.forProfile(other).transaction((tx) => tx.selectFrom('dirty_customers').selectAll().execute()))
          .length,
    )
    .toBe(0);
  expect(await listParked()).toHaveLength(10);
});

test('announces a conversion that is queued for attribution at once', async () => {
  const messages: string[] = [];
  const listening = Promise.withResolvers<void>();
  const listener = listen(kit.database.systemUrl, 'tributary_work', {
    onMessage: (message) => messages.push(message),
    onConnect: listening.resolve,
    onError: listening.reject,
  });
  running.push({ stop: () => listener.close() });
  await listening.promise;
  await kit.app
    .forProfile(profileId)
    .transaction((tx) =>
      tx.insertInto('dirty_conversions').values({ profile_id: profileId, outcome_id: randomUUID() }).execute(),
    );
  await expect.poll(() => messages).toContain(`attribution ${profileId}`);
});

test('the sweep finds items without a notification', async () => {
  await kit.owner.unbound.query(sql`ALTER TABLE dirty_customers DISABLE TRIGGER USER`);
  try {
    await mark(2);
  } finally {
    await kit.owner.unbound.query(sql`ALTER TABLE dirty_customers ENABLE TRIGGER USER`);
  }
  start(async () => {});
  await isDone(2_000);
});
