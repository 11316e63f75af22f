import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildProfile, openTestkit, type Testkit } from '@tributary/testkit';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { countWaiting, type Group, type GroupHandler, listSetAside, queues, startQueueWorker } from './index.ts';

/** Tests the queue of first payments with a group handler that only deletes the items. */
let kit: Testkit;
let keys: string[];
const running: { stop(): Promise<void> }[] = [];
beforeAll(async () => {
  kit = await openTestkit();
  keys = await Promise.all(Array.from({ length: 24 }, async () => (await buildProfile(kit.app)).id));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((worker) => worker.stop()));
  await kit.system.unbound.query(sql`DELETE FROM dirty_customers`);
});
afterAll(() => kit.close());

const handler = (work: (group: Group) => Promise<void>): GroupHandler => ({
  async loadAll(tx, profileIds, limit) {
    const { rows } = await sql<{ key: string; id: string }>`
      SELECT profile_id AS key, customer_id AS id FROM dirty_customers WHERE profile_id = ANY (${profileIds}::uuid[])
      ORDER BY revision LIMIT ${limit}`.execute(tx);
    return new Map(
      [...Map.groupBy(rows, ({ key }) => key)].map(([key, items]) => [key, { items, isMore: rows.length === limit }]),
    );
  },
  async workAll(group) {
    await work(group);
    await group.settle(async (tx, held) => {
      const done = group.batches.filter(({ key }) => held.has(key)).flatMap(({ items }) => items.map(({ id }) => id));
      await sql`DELETE FROM dirty_customers WHERE customer_id = ANY (${done}::uuid[])`.execute(tx);
    });
  },
  async park(tx, key, { id }) {
    await sql`DELETE FROM dirty_customers WHERE profile_id = ${key} AND customer_id = ${id}`.execute(tx);
  },
  async unpark() {},
});

const failures: (string | undefined)[] = [];
const start = (work: (group: Group) => Promise<void>, numbers = {}) => {
  failures.length = 0;
  running.push(
    startQueueWorker({
      system: kit.system,
      systemUrl: kit.database.systemUrl,
      handlers: { firstPayments: handler(work) },
      blame: (error) => ((error as Error).message === 'away' ? 'away' : 'work'),
      onFailure: ({ key }) => failures.push(key),
      numbers: { keysAtOnce: 100, batchSize: 1_000, paceMs: 300, ...numbers },
    }),
  );
};
const mark = async (key: string, n = 1) => {
  const ids = Array.from({ length: n }, () => randomUUID());
  await kit.app
    .forProfile(key)
    .transaction((tx) =>
      sql`INSERT INTO dirty_customers (profile_id, customer_id) SELECT ${key}::uuid, unnest(${ids}::uuid[])`.execute(
        tx,
      ),
    );
  return ids;
};
const isDone = () => expect.poll(() => countWaiting(kit.system, queues.firstPayments), { interval: 20 }).toBe(0);
const keysOf = (group: Group) => group.batches.map(({ key }) => key);

test('processes waiting keys together, and two workers never hold the same key', async () => {
  for (const key of keys) await mark(key, 2);
  const groups: string[][] = [];
  const held = new Set<string>();
  let conflicts = 0;
  const work = async (group: Group) => {
    groups.push(keysOf(group));
    for (const key of keysOf(group)) {
      if (held.has(key)) conflicts += 1;
      held.add(key);
    }
    await sleep(50);
    for (const key of keysOf(group)) held.delete(key);
  };
  start(work);
  start(work);
  for (let round = 0; round < 3; round += 1) {
    await isDone();
    for (const key of keys) await mark(key);
  }
  await isDone();
  expect(conflicts).toBe(0);
  expect(Math.max(...groups.map(({ length }) => length))).toBeGreaterThan(keys.length / 2);
  expect(groups.length).toBeLessThan(keys.length);
  expect(failures).toEqual([]);
});

test('finds and parks the item of a key that fails its group; the other keys are done and not grouped with it again', async () => {
  const bad = keys[7] ?? '';
  const done = new Set<string>();
  const mixed: string[][] = [];
  let hasFailed = false;
  for (const key of keys) await mark(key);
  start(async (group) => {
    const found = keysOf(group);
    if (found.includes(bad)) {
      if (hasFailed && found.length > 1) mixed.push(found);
      if (found.length === 1) hasFailed = true;
      throw new Error('cannot be done');
    }
    for (const key of found) done.add(key);
  });
  await expect.poll(() => hasFailed).toBe(true);
  await expect.poll(() => done.size).toBe(keys.length - 1);
  for (const key of keys.slice(0, 4)) await mark(key);
  await isDone();
  const parked = [];
  for await (const page of listSetAside(kit.system, {})) parked.push(...page.map(({ key }) => key));
  expect(parked).toEqual([bad]);
  expect(mixed).toEqual([]);
  expect(new Set(failures)).toEqual(new Set([bad]));
});

test('an unavailable store fails all keys of a group with one report, and all are done when it is back', async () => {
  let isAway = true;
  for (const key of keys) await mark(key);
  start(async () => {
    if (isAway) throw new Error('away');
  });
  await expect.poll(() => failures.length).toBeGreaterThan(0);
  expect(failures.length).toBeLessThan(keys.length);
  isAway = false;
  await isDone();
});

test('a key that another worker took over is not marked as done', async () => {
  const [lost = '', other = ''] = keys;
  await mark(lost);
  await mark(other);
  const seen: string[][] = [];
  start(
    async (group) => {
      // The two keys may come in separate batches, so only the first batch with this key loses its lease.
      if (!seen.flat().includes(lost) && keysOf(group).includes(lost))
        await kit.system.unbound.query(
          sql`UPDATE work_turns SET holder = ${randomUUID()}, until = now() + interval '2 seconds' WHERE key = ${lost}`,
        );
      seen.push(keysOf(group));
    },
    { paceMs: 0 },
  );
  await expect.poll(() => seen.flat().filter((key) => key === other).length).toBeGreaterThan(0);
  await isDone();
  expect(seen.flat().filter((key) => key === lost)).toHaveLength(2);
  expect(seen.flat().filter((key) => key === other)).toHaveLength(1);
});
