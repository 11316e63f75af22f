import { createRateLimiter, createRedis, Leases, redisReady } from '@tributary/redis';
import { openKit } from '@tributary/testkit';
import { limits } from '@tributary/vocabulary';
import { afterAll, expect, test } from 'vitest';
import { takeOfSource, takeOfUnverified } from './budgets.ts';

const kit = await openKit();
const redis = createRedis({ url: kit.redisUrl, prefix: kit.redisPrefix });
await redisReady(redis);
afterAll(() => redis.disconnect());
const limiter = createRateLimiter({ redis, nowMs: Date.now });
const leases = () => new Leases({ limiter, nowMs: () => 1_000_000 });
const { perMinute, unverifiedMebibytesPerHour: unverified } = limits.providerWebhooks;
const mebibyte = 1_048_576;

const refusal = (work: () => void): unknown => {
  try {
    work();
  } catch (error) {
    return (error as { code?: string }).code;
  }
  return undefined;
};

test('an account has a budget of requests and of bytes, and a provider that signs for all has a larger one', () => {
  const [one, another] = [
    { channel: 'store', account: 'one.myshopify.com' },
    { channel: 'store', account: 'two.myshopify.com' },
  ];
  const all = { channel: 'payments_a', account: undefined };
  const budgets = leases();
  const take = (source: typeof one | typeof all, bytes: number) => refusal(() => takeOfSource(budgets, source, bytes));
  const { requests, mebibytes } = perMinute.account;
  expect(take(one, mebibytes * mebibyte)).toBeUndefined();
  expect(take(one, 1)).toBe('rate_limit_exceeded');
  expect([take(another, 1), take(all, mebibytes * mebibyte), take(all, 1)]).toEqual([undefined, undefined, undefined]);
  const small = Array.from({ length: requests }, () => take(another, 1));
  expect(small.indexOf('rate_limit_exceeded')).toBe(requests - 1);
});

test('what one account and what one address leave unverified is counted over all processes', async () => {
  const take = async (account: string, address: string, mebibytes: number) => {
    const own = createRateLimiter({ redis, nowMs: Date.now });
    const source = { channel: 'store', account };
    const outcome = await takeOfUnverified(own, source, { own: address }, mebibytes * mebibyte).catch((error) => error);
    return outcome?.code;
  };
  expect(await take('a', '198.51.100.1', unverified.account)).toBeUndefined();
  expect(await take('a', '198.51.100.2', 1)).toBe('service_unavailable');
  const times = unverified.address / unverified.account;
  for (let n = 1; n < times; n += 1) expect(await take(`b${n}`, '198.51.100.1', unverified.account)).toBeUndefined();
  expect(await take('c', '198.51.100.1', 1)).toBe('service_unavailable');
  expect(await take('c', '198.51.100.3', 1)).toBeUndefined();
});
