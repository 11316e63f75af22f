import { openTestkit, type Testkit } from '@tributary/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createRateLimiter,
  createRedis,
  Leases,
  LocalBuckets,
  type RedisClient,
  redisReady,
  type SharedLimiter,
} from './index.ts';

let kit: Testkit;
let redis: RedisClient;
let limiter: SharedLimiter;
beforeAll(async () => {
  kit = await openTestkit();
  redis = createRedis({ url: kit.redisUrl, prefix: kit.redisPrefix });
  await redisReady(redis);
  limiter = createRateLimiter({ redis, nowMs: Date.now });
});
afterAll(async () => {
  redis.disconnect();
  await kit.close();
});

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

describe('fifty clients on one allowance of 300 a minute', () => {
  test('never exceed the limit and its refill', async () => {
    const startedAt = performance.now();
    const admitted = await Promise.all(
      Array.from({ length: 50 }, async () => {
        let count = 0;
        for (let request = 0; request < 40; request += 1) if ((await limiter.take('shared', 300)).allowed) count += 1;
        return count;
      }),
    );
    const seconds = (performance.now() - startedAt) / 1_000;
    const total = admitted.reduce((sum, count) => sum + count);
    expect(total).toBeGreaterThanOrEqual(300);
    expect(total).toBeLessThanOrEqual(300 + Math.ceil(seconds * 5));
  });
});

describe('fifty clients with an allowance each', () => {
  test('never get a second 429 after waiting for Retry-After', async () => {
    const perMinute = 300;
    const secondRefusals = await Promise.all(
      Array.from({ length: 50 }, async (_, client) => {
        let refused = await limiter.take(`own-${client}`, perMinute);
        while (refused.allowed) refused = await limiter.take(`own-${client}`, perMinute);
        await wait(refused.retryAfterSeconds * 1_000);
        return (await limiter.take(`own-${client}`, perMinute)).allowed ? 0 : 1;
      }),
    );
    expect(secondRefusals.reduce<number>((sum, count) => sum + count, 0)).toBe(0);
  });
});

test('the verdict counts down and contains the time of the full reset', async () => {
  const first = await limiter.take('countdown', 60);
  const second = await limiter.take('countdown', 60);
  expect([first.limit, first.remaining, second.remaining]).toEqual([60, 59, 58]);
  expect(second.resetAtSeconds).toBeGreaterThanOrEqual(Math.floor(Date.now() / 1_000) + 1);
});

test('a limit can have a window of an hour', async () => {
  const terms = { windowMs: 3_600_000 };
  const verdicts = [];
  for (let index = 0; index < 6; index += 1) verdicts.push(await limiter.take('hourly', 5, terms));
  expect(verdicts.map(({ allowed }) => allowed)).toEqual([true, true, true, true, true, false]);
  expect(verdicts[0]?.remaining).toBe(4);
  expect(verdicts[5]?.retryAfterSeconds).toBeOneOf([719, 720]);
});

test('Retry-After is rounded up to whole seconds', () => {
  const local = new LocalBuckets();
  const verdicts = Array.from({ length: 8 }, () => local.take('sevenths', 7, 0));
  expect(verdicts.map(({ retryAfterSeconds }) => retryAfterSeconds)).toEqual([0, 0, 0, 0, 0, 0, 0, 9]);
});

test('a request can take more of a limit than another, all or nothing', async () => {
  const take = (cost: number) => limiter.take('bytes', 100, { windowMs: 3_600_000, cost });
  expect((await take(60)).allowed).toBe(true);
  expect((await take(60)).allowed).toBe(false);
  expect((await take(40)).allowed).toBe(true);
  const local = new LocalBuckets();
  const rate = { limit: 100, window: 3_600_000_000, cost: 60 };
  expect([1, 2].map(() => local.take('bytes', 100, 0, rate).allowed)).toEqual([true, false]);
});

describe('while Redis is unavailable', () => {
  test('each process limits on its own', async () => {
    const away = createRedis({ url: 'redis://127.0.0.1:1', prefix: 'away' });
    let fallbacks = 0;
    const local = createRateLimiter({
      redis: away,
      nowMs: () => 1_000_000,
      onFallback: () => {
        fallbacks += 1;
      },
    });
    const verdicts = await Promise.all(Array.from({ length: 12 }, () => local.take('b', 10)));
    expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(10);
    expect(verdicts.at(-1)?.retryAfterSeconds).toBe(6);
    // Ten per minute: each request is available again after six seconds.
    expect([0, 1, 9].map((index) => verdicts[index]?.resetAtSeconds)).toEqual([1_006, 1_012, 1_060]);
    expect(fallbacks).toBe(12);
    away.disconnect();
  });

  test('a flood of new clients does not grow memory without bound', () => {
    const buckets = new LocalBuckets(100);
    for (let client = 0; client < 10_000; client += 1) buckets.take(`c${client}`, 10, 0);
    // The newest bucket still counts, the oldest was evicted.
    expect(buckets.take('c9999', 10, 0).remaining).toBe(8);
    expect(buckets.take('c0', 10, 0).remaining).toBe(9);
  });
});

test('a process that was busy itself does not treat Redis as unavailable', async () => {
  const verdict = limiter.take('busy', 300);
  // The command is sent in the next iteration of the event loop, and its answer waits in the socket while this process is busy.
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  const until = performance.now() + 1_300;
  while (performance.now() < until);
  expect(await verdict).not.toHaveProperty('isLocal');
});

describe('leases', () => {
  const open = (limiter: Pick<SharedLimiter, 'takeMany'>) => new Leases({ limiter, nowMs: Date.now });
  const takeAll = (leases: Leases, name: string, limit: number) => {
    let allowed = 0;
    while (leases.take(name, limit).allowed && allowed <= limit) allowed += 1;
    return allowed;
  };

  test('grant a limit at once and no more, and report it to Redis', async () => {
    const [first, second] = [open(limiter), open(limiter)];
    expect(takeAll(first, 'leased', 100)).toBe(100);
    const { retryAfterSeconds, remaining } = first.take('leased', 100);
    expect([retryAfterSeconds, remaining]).toEqual([1, 0]);
    // Another process sees it as soon as the use exceeds the unreported share.
    expect(Array.from({ length: 5 }, () => second.take('leased', 100).allowed)).not.toContain(false);
    await expect.poll(() => second.take('leased', 100).allowed).toBe(false);
  });

  test('can be taken in parts of any size, all or nothing, and be exceeded by past use', async () => {
    const [first, second] = [open(limiter), open(limiter)];
    expect([first.take('parts', 100, 60).allowed, first.take('parts', 100, 60).allowed]).toEqual([true, false]);
    expect(first.take('parts', 100, 40).allowed).toBe(true);
    first.spend('spent', 100, 250);
    expect(first.take('spent', 100)).toMatchObject({ allowed: false, retryAfterSeconds: 1 });
    expect(first.take('spent', 100, 100).retryAfterSeconds).toBe(60);
    for (const name of ['parts', 'spent']) await expect.poll(() => second.take(name, 100, 20).allowed).toBe(false);
  });

  test('cause no Redis commands for addresses that send little', async () => {
    let reports = 0;
    const leases = open({
      takeMany: async () => {
        reports += 1;
        return { taken: 1, now: 0, emptyAt: 0 };
      },
    });
    for (let address = 0; address < 50; address += 1)
      for (let use = 0; use < 4; use += 1) leases.take(`few-${address}`, 100);
    await wait(150);
    expect(reports).toBe(0);
    leases.take('few-0', 100);
    await expect.poll(() => reports).toBe(1);
  });

  test('keep limiting locally while Redis is unavailable', async () => {
    const failures: unknown[] = [];
    const takeMany = () => Promise.reject(new Error('Redis is away.'));
    const alone = new Leases({ limiter: { takeMany }, nowMs: Date.now, onFallback: (error) => failures.push(error) });
    expect(takeAll(alone, 'alone', 20)).toBe(20);
    await expect.poll(() => failures.length).toBeGreaterThan(0);
  });
});

describe('a clock that goes back by an hour causes no refusals', () => {
  const hourMs = 3_600_000;

  test('in this process', () => {
    let now = 2 * hourMs;
    const leases = new Leases({ limiter: { takeMany: () => Promise.reject(new Error('away')) }, nowMs: () => now });
    const local = new LocalBuckets();
    const take = () => [leases.take('a', 10).allowed, local.take('a', 10, now * 1_000).allowed];
    expect(take()).toEqual([true, true]);
    now -= hourMs;
    expect(take()).toEqual([true, true]);
    // It counts as before.
    expect(Array.from({ length: 9 }, take)).toEqual(Array.from({ length: 9 }, () => [true, true]));
    expect(take()).toEqual([false, false]);
  });

  test('in Redis', async () => {
    const [seconds] = await redis.time();
    await redis.set('rate:jumped:10', String((Number(seconds) + 3_600) * 1_000_000));
    const verdicts = await Promise.all(Array.from({ length: 11 }, () => limiter.take('jumped', 10)));
    expect(verdicts.filter(({ allowed }) => allowed)).toHaveLength(10);
  });
});
