import { openFlakyLineTo, openKit } from '@tributary/testkit';
import { afterAll, expect, test } from 'vitest';
import { createRateLimiter, createRedis, redisReady } from './index.ts';

const kit = await openKit();
const line = await openFlakyLineTo(kit.redisUrl);
const redis = createRedis({ url: line.url, prefix: kit.redisPrefix });
await redisReady(redis);
const limiter = createRateLimiter({ redis, nowMs: Date.now });
afterAll(async () => {
  redis.disconnect();
  await line.close();
});

/** How long each of so many requests, one after the other, took at most and in all. */
async function takeInTurn(count: number) {
  const startedAt = performance.now();
  const verdicts = [];
  for (let index = 0; index < count; index += 1) verdicts.push(await limiter.take(`turn-${index}`, 100));
  return { ms: performance.now() - startedAt, local: verdicts.filter(({ isLocal }) => isLocal).length };
}

test('a frozen Redis costs two waits and not one for every request, and is used again when it is back', async () => {
  expect((await takeInTurn(20)).local).toBe(0);
  await limiter.look();

  line.freeze();
  const frozen = await takeInTurn(200);
  expect(frozen.local).toBe(200);
  expect(frozen.ms).toBeGreaterThan(1_900);
  // One after the other, 200 waits would be 200 seconds.
  expect(frozen.ms).toBeLessThan(10_000);
  await expect(limiter.look()).rejects.toThrow('Redis is away.');

  line.mend();
  await expect.poll(() => limiter.look().then(() => 'back', String)).toBe('back');
  expect((await takeInTurn(20)).local).toBe(0);
});

test('who waits when it is given up is not kept waiting', async () => {
  line.freeze();
  const first = [limiter.take('a', 100), limiter.take('b', 100)];
  await new Promise((resolve) => setTimeout(resolve, 500));
  const late = Promise.all(Array.from({ length: 50 }, (_, index) => limiter.take(`late-${index}`, 100)));
  // With a wait of its own it would be a second. Timers of one process go off in their order, however busy the machine is.
  const ownWait = new Promise((resolve) => setTimeout(resolve, 950, 'waited'));
  expect(await Promise.race([late, ownWait])).not.toBe('waited');
  await Promise.all(first);
  expect((await late).every(({ isLocal }) => isLocal)).toBe(true);
  line.mend();
  await expect.poll(() => limiter.look().then(() => 'back', String)).toBe('back');
});

test('a Redis that may not be written to is away, though it answers', async () => {
  const reader = createRedis({ url: kit.redisUrl, prefix: kit.redisPrefix });
  await redisReady(reader);
  const name = `reader-${kit.redisPrefix}`;
  await redis.acl('SETUSER', name, 'on', 'nopass', '~*', '+@all', '-set');
  try {
    await reader.auth(name, 'x');
    expect(await reader.ping()).toBe('PONG');
    const look = createRateLimiter({ redis: reader, nowMs: Date.now }).look();
    await expect(look).rejects.toThrow("can't run this command");
  } finally {
    reader.disconnect();
    await redis.acl('DELUSER', name);
  }
});
