import { expect, test } from 'vitest';
import { FairScheduler } from './fair-scheduler.ts';

const limits = { perClient: 2, perTenant: 3, total: 4, waitMs: 50, timeoutMessage: 'Wait.' };

/** Runs named requests and records the order in which they start. */
function open(changes: Partial<typeof limits> = {}) {
  const scheduler = new FairScheduler({ ...limits, waitMs: 10_000, ...changes });
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  /** Resolves when the request has started. */
  const request = (name: string, client: string, tenant: string) => {
    const slot = Promise.withResolvers<void>();
    slot.promise.catch(() => {});
    const work = () =>
      new Promise<void>((end) => {
        started.push(name);
        ends.set(name, end);
        slot.resolve();
      });
    scheduler.run(client, tenant, work).catch(slot.reject);
    return slot.promise;
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    await settled();
  };
  return { request, end, started };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('one client has at most `perClient` active requests; others start in order of arrival', async () => {
  const { request, end, started } = open();
  for (const name of ['a', 'b', 'c', 'd']) request(name, 'key', 'tenant');
  await settled();
  expect(started).toEqual(['a', 'b']);
  await end('b');
  expect(started).toEqual(['a', 'b', 'c']);
  await end('a');
  expect(started).toEqual(['a', 'b', 'c', 'd']);
});

test('a tenant with many clients has at most `perTenant` active requests', async () => {
  const { request, started } = open();
  for (const name of ['a', 'b', 'c', 'd']) request(name, name, 'tenant');
  await settled();
  expect(started).toEqual(['a', 'b', 'c']);
});

test('a free slot goes to the tenant with the fewest active requests, and a tenant with none does not wait', async () => {
  const { request, end, started } = open();
  for (const name of ['a1', 'a2', 'a3']) request(name, name, 'a');
  for (const name of ['b1', 'b2']) request(name, name, 'b');
  request('a4', 'a4', 'a');
  await settled();
  expect(started).toEqual(['a1', 'a2', 'a3', 'b1']);
  request('c1', 'c1', 'c');
  await settled();
  expect(started.at(-1)).toBe('c1');
  await end('a1');
  expect(started).toHaveLength(5);
  await end('a2');
  expect(started.at(-1)).toBe('b2');
});

test('a busy tenant does not go first because its request arrived first', async () => {
  const { request, end, started } = open();
  for (const name of ['a1', 'a2', 'a3']) request(name, name, 'a');
  request('b1', 'b1', 'b');
  request('a4', 'a4', 'a');
  request('b2', 'b2', 'b');
  await settled();
  await end('a1');
  expect(started).toEqual(['a1', 'a2', 'a3', 'b1', 'b2']);
});

test('a request that waits longer than `waitMs` fails with service_unavailable', async () => {
  const { request, end, started } = open({ waitMs: 20 });
  request('a', 'key', 'tenant');
  request('b', 'key', 'tenant');
  await expect(request('c', 'key', 'tenant')).rejects.toMatchObject({ code: 'service_unavailable' });
  await end('a');
  expect(started).toEqual(['a', 'b']);
  await request('d', 'key', 'tenant');
});

test('a failed request frees its slot', async () => {
  const scheduler = new FairScheduler({ ...limits, perClient: 1 });
  const fails = () => scheduler.run('key', 'tenant', () => Promise.reject(new Error('no')));
  await expect(fails()).rejects.toThrow('no');
  await expect(fails()).rejects.toThrow('no');
});
