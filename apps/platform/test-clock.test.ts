import { createRedis, redisReady } from '@tributary/redis';
import { openTestkit, type Testkit } from '@tributary/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPlatform } from './index.ts';
import { TestClock } from './test-clock.ts';

let kit: Testkit;
beforeAll(async () => {
  kit = await openTestkit();
});
afterAll(() => kit.close());

const open = async () => {
  const redis = createRedis({ url: kit.redisUrl, prefix: kit.redisPrefix });
  await redisReady(redis);
  const clock = await TestClock.open(redis, () => {});
  return {
    clock,
    close() {
      clock.close();
      redis.disconnect();
    },
  };
};

const aheadMinutes = (clock: TestClock) => Math.round((clock.now().getTime() - Date.now()) / 60_000);

test('advancing in one process advances all processes, including those started later', async () => {
  const [api, worker] = [await open(), await open()];
  await api.clock.advance(45 * 60_000);
  expect([aheadMinutes(api.clock), aheadMinutes(worker.clock)]).toEqual([45, 45]);
  await worker.clock.advance(15 * 60_000);
  const late = await open();
  expect([api, worker, late].map(({ clock }) => aheadMinutes(clock))).toEqual([60, 60, 60]);
  for (const { close } of [api, worker, late]) close();
});

test('a process refuses to start with a test clock in production', () => {
  expect(() => openPlatform({ TEST_CLOCK: 'true', NODE_ENV: 'production' })).toThrow(/TEST_CLOCK must not be true/);
  expect(openPlatform({ NODE_ENV: 'production' }).testClock).toBeUndefined();
});
