import type { LookUps } from '@tributary/postgres';
import { beforeEach, expect, test } from 'vitest';
import { SecretCache, SecretsUnavailable } from './secret-cache.ts';

let now = 0;
let lookedUp: string[] = [];
let isUnavailable = false;
let cache: SecretCache;
const lookUps: LookUps = {
  async lookUp<Row>(_statement: string, values: readonly unknown[] = []) {
    lookedUp.push(String(values[1]));
    if (isUnavailable) throw new Error('connect ECONNREFUSED');
    if (values[1] === 'missing') return [];
    return [{ profileId: 'p', id: 'c', credentials: Buffer.from(`sealed ${lookedUp.length}`) } as Row];
  },
};
beforeEach(() => {
  [now, lookedUp, isUnavailable] = [0, [], false];
  cache = new SecretCache(lookUps, () => now);
});
const find = async (account: string, maxCachedMs?: number) =>
  (await cache.find('store', account, maxCachedMs)).map(({ credentials }) => credentials.toString());

test('looks up an account once in five seconds for all requests, and sooner on demand', async () => {
  expect(await Promise.all([find('a'), find('a'), find('b')])).toEqual([['sealed 1'], ['sealed 1'], ['sealed 2']]);
  now = 4_999;
  expect([await find('a'), lookedUp.length]).toEqual([['sealed 1'], 2]);
  expect([await find('a', 1_000), lookedUp.length]).toEqual([['sealed 3'], 3]);
  now = 9_999;
  expect([await find('a'), await find('missing'), await find('missing')]).toEqual([['sealed 4'], [], []]);
  expect(lookedUp).toEqual(['a', 'b', 'a', 'a', 'missing']);
});

test('uses cached secrets for an hour while PostgreSQL is unavailable, and retries once a second', async () => {
  expect([await find('a'), await find('missing')]).toEqual([['sealed 1'], []]);
  isUnavailable = true;
  now = 10_000;
  expect([await find('a'), await find('missing')]).toEqual([['sealed 1'], []]);
  await expect(find('new')).rejects.toThrow(SecretsUnavailable);
  expect(lookedUp).toEqual(['a', 'missing', 'a']);
  now = 11_000;
  await expect(find('new')).rejects.toThrow(SecretsUnavailable);
  expect(lookedUp).toEqual(['a', 'missing', 'a', 'new']);
  now = 3_600_001;
  await expect(find('a')).rejects.toThrow(SecretsUnavailable);
  isUnavailable = false;
  now += 1_000;
  expect(await find('a')).toEqual(['sealed 6']);
  expect(await find('new')).toEqual(['sealed 7']);
});

test('a lookup that times out counts as unavailable, and other requests do not wait for it', async () => {
  const hanging: LookUps = { lookUp: () => new Promise(() => {}) };
  const slow = new SecretCache(hanging);
  const startedAt = performance.now();
  await expect(slow.find('store', 'a')).rejects.toThrow(SecretsUnavailable);
  expect(performance.now() - startedAt).toBeGreaterThan(1_900);
  const secondAt = performance.now();
  await expect(slow.find('store', 'b')).rejects.toThrow(SecretsUnavailable);
  expect(performance.now() - secondAt).toBeLessThan(500);
});
