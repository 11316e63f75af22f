import { openFlakyLineTo, openKit } from '@tributary/testkit';
import { afterAll, expect, test } from 'vitest';
import { createRateLimiter, createRedis, redisReady } from './index.ts';

const kit = await openKit();
const proxy = await openFlakyLineTo(kit.redisUrl);
const redis = createRedis({ url: proxy.url, prefix: kit.redisPrefix });
await redisReady(redis);
const limiter = createRateLimiter({ redis, nowMs: Date.now });
afterAll(async () => {
  redis.disconnect();
  await proxy.close();
});

/** Takes `count` times in sequence; returns the total time and the number of local verdicts. */
async function takeInSequence(count: number) {
  const startedAt = performance.now();
  const verdicts = [];
  for (let index = 0; index < count; index += 1) verdicts.push(await limiter.take(`turn-${index}`, 100));
  return { ms: performance.now() - startedAt, local: verdicts.filter(({ isLocal }) => isLocal).length };
}

test('a frozen Redis costs two timeouts instead of one per request, and is used again when it is back', async () => {
  expect((await takeInSequence(20)).local).toBe(0);
  await limiter.look();

  proxy.freeze();
  const frozen = await takeInSequence(200);
  expect(frozen.local).toBe(200);
  expect(frozen.ms).toBeGreaterThan(1_900);
  // 200 timeouts in sequence would take 200 seconds.
  expect(frozen.ms).toBeLessThan(10_000);
  await expect(limiter.look()).rejects.toThrow('Redis is away.');

  proxy.mend();
  await expect.poll(() => limiter.look().then(() => 'back', String)).toBe('back');
  expect((await takeInSequence(20)).local).toBe(0);
});

test('requests that wait when the breaker opens are rejected at once', async () => {
  proxy.freeze();
  const first = [limiter.take('a', 100), limiter.take('b', 100)];
  await new Promise((resolve) => setTimeout(resolve, 500));
  const late = Promise.all(Array.from({ length: 50 }, (_, index) => limiter.take(`late-${index}`, 100)));
  // A timeout of its own would take a second. Timers of one process fire in order, however busy the machine is.
  const ownWait = new Promise((resolve) => setTimeout(resolve, 950, 'waited'));
  expect(await Promise.race([late, ownWait])).not.toBe('waited');
  await Promise.all(first);
  expect((await late).every(({ isLocal }) => isLocal)).toBe(true);
  proxy.mend();
  await expect.poll(() => limiter.look().then(() => 'back', String)).toBe('back');
});

test('a Redis that rejects writes counts as unavailable', async () => {
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
