import type { LookUps } from '@tributary/postgres';
import { beforeEach, expect, test } from 'vitest';
import { SecretCache, SecretsAway } from './secret-cache.ts';

let now = 0;
let asked: string[] = [];
let isAway = false;
let cache: SecretCache;
const lookUps: LookUps = {
  async lookUp<Row>(_statement: string, values: readonly unknown[] = []) {
    asked.push(String(values[1]));
    if (isAway) throw new Error('connect ECONNREFUSED');
    if (values[1] === 'nobody') return [];
    return [{ profileId: 'p', id: 'c', credentials: Buffer.from(`sealed ${asked.length}`) } as Row];
  },
};
beforeEach(() => {
  [now, asked, isAway] = [0, [], false];
  cache = new SecretCache(lookUps, () => now);
});
const find = async (account: string, youngerThanMs?: number) =>
  (await cache.find('store', account, youngerThanMs)).map(({ credentials }) => credentials.toString());

test('an account is asked for once in five seconds, by all requests together, and sooner on demand', async () => {
  expect(await Promise.all([find('a'), find('a'), find('b')])).toEqual([['sealed 1'], ['sealed 1'], ['sealed 2']]);
  now = 4_999;
  expect([await find('a'), asked.length]).toEqual([['sealed 1'], 2]);
  expect([await find('a', 1_000), asked.length]).toEqual([['sealed 3'], 3]);
  now = 9_999;
  expect([await find('a'), await find('nobody'), await find('nobody')]).toEqual([['sealed 4'], [], []]);
  expect(asked).toEqual(['a', 'b', 'a', 'a', 'nobody']);
});

test('while PostgreSQL is away an answer serves for an hour, and it is asked again once a second', async () => {
  expect([await find('a'), await find('nobody')]).toEqual([['sealed 1'], []]);
  isAway = true;
  now = 10_000;
  expect([await find('a'), await find('nobody')]).toEqual([['sealed 1'], []]);
  await expect(find('new')).rejects.toThrow(SecretsAway);
  expect(asked).toEqual(['a', 'nobody', 'a']);
  now = 11_000;
  await expect(find('new')).rejects.toThrow(SecretsAway);
  expect(asked).toEqual(['a', 'nobody', 'a', 'new']);
  now = 3_600_001;
  await expect(find('a')).rejects.toThrow(SecretsAway);
  isAway = false;
  now += 1_000;
  expect(await find('a')).toEqual(['sealed 6']);
  expect(await find('new')).toEqual(['sealed 7']);
});

test('a look-up that takes too long counts as away, and the others do not wait behind it', async () => {
  const hanging: LookUps = { lookUp: () => new Promise(() => {}) };
  const slow = new SecretCache(hanging);
  const startedAt = performance.now();
  await expect(slow.find('store', 'a')).rejects.toThrow(SecretsAway);
  expect(performance.now() - startedAt).toBeGreaterThan(1_900);
  const secondAt = performance.now();
  await expect(slow.find('store', 'b')).rejects.toThrow(SecretsAway);
  expect(performance.now() - secondAt).toBeLessThan(500);
});
