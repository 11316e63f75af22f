import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

const limits = { perReceiver: 2, perTenant: 3, inAll: 4, waitMs: 50, busy: 'Wait.' };

/** Turns by name, and in which order they began. */
function open(changes: Partial<typeof limits> = {}) {
  const turns = new Turns({ ...limits, waitMs: 10_000, ...changes });
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  /** Resolves when it has begun. */
  const take = (name: string, receiver: string, tenant: string) => {
    const taken = Promise.withResolvers<void>();
    taken.promise.catch(() => {});
    const work = () =>
      new Promise<void>((end) => {
        began.push(name);
        ends.set(name, end);
        taken.resolve();
      });
    turns.run(receiver, tenant, work).catch(taken.reject);
    return taken.promise;
  };
  const end = async (name: string) => {
    ends.get(name)?.();
    await settled();
  };
  return { take, end, began };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('one receiver has so many under way, and the next begin in order', async () => {
  const { take, end, began } = open();
  for (const name of ['a', 'b', 'c', 'd']) take(name, 'key', 'tenant');
  await settled();
  expect(began).toEqual(['a', 'b']);
  await end('b');
  expect(began).toEqual(['a', 'b', 'c']);
  await end('a');
  expect(began).toEqual(['a', 'b', 'c', 'd']);
});

test('a tenant with many receivers has so many under way in all', async () => {
  const { take, began } = open();
  for (const name of ['a', 'b', 'c', 'd']) take(name, name, 'tenant');
  await settled();
  expect(began).toEqual(['a', 'b', 'c']);
});

test('where everything is taken, whoever has the least under way goes first, and who has nothing does not wait', async () => {
  const { take, end, began } = open();
  for (const name of ['a1', 'a2', 'a3']) take(name, name, 'a');
  for (const name of ['b1', 'b2']) take(name, name, 'b');
  take('a4', 'a4', 'a');
  await settled();
  expect(began).toEqual(['a1', 'a2', 'a3', 'b1']);
  take('c1', 'c1', 'c');
  await settled();
  expect(began.at(-1)).toBe('c1');
  await end('a1');
  expect(began).toHaveLength(5);
  await end('a2');
  expect(began.at(-1)).toBe('b2');
});

test('a tenant with much under way does not go first because it asked first', async () => {
  const { take, end, began } = open();
  for (const name of ['a1', 'a2', 'a3']) take(name, name, 'a');
  take('b1', 'b1', 'b');
  take('a4', 'a4', 'a');
  take('b2', 'b2', 'b');
  await settled();
  await end('a1');
  expect(began).toEqual(['a1', 'a2', 'a3', 'b1', 'b2']);
});

test('whoever waits too long is asked to come again', async () => {
  const { take, end, began } = open({ waitMs: 20 });
  take('a', 'key', 'tenant');
  take('b', 'key', 'tenant');
  await expect(take('c', 'key', 'tenant')).rejects.toMatchObject({ code: 'service_unavailable' });
  await end('a');
  expect(began).toEqual(['a', 'b']);
  await take('d', 'key', 'tenant');
});

test('what fails ends its turn', async () => {
  const turns = new Turns({ ...limits, perReceiver: 1 });
  const fails = () => turns.run('key', 'tenant', () => Promise.reject(new Error('no')));
  await expect(fails()).rejects.toThrow('no');
  await expect(fails()).rejects.toThrow('no');
});
