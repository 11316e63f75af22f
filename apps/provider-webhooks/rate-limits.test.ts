import { createHmac, randomBytes } from 'node:crypto';
import type { LookUps } from '@tributary/postgres';
import { createReceivers, type Receiver } from '@tributary/providers';
import { createRateLimiter, createRedis, Leases, redisReady } from '@tributary/redis';
import type { WorkStream } from '@tributary/stream';
import { createMetrics } from '@tributary/telemetry/prometheus.ts';
import { openKit, testStreamVault, testVault } from '@tributary/testkit';
import { limits } from '@tributary/vocabulary';
import { afterAll, describe, expect, test } from 'vitest';
import { chargeSource, chargeUnverified } from './rate-limits.ts';
import { SecretCache } from './secret-cache.ts';
import { storeWebhook } from './store-webhook.ts';

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

test('limits requests and bytes per account, and more per provider with one secret', () => {
  const [first, second] = [
    { channel: 'store', account: 'one.myshopify.com' },
    { channel: 'store', account: 'two.myshopify.com' },
  ];
  const all = { channel: 'payments_a', account: undefined };
  const counters = leases();
  const take = (source: typeof first | typeof all, bytes: number) =>
    refusal(() => chargeSource(counters, source, bytes));
  const { requests, mebibytes } = perMinute.account;
  expect(take(first, mebibytes * mebibyte)).toBeUndefined();
  expect(take(first, 1)).toBe('rate_limit_exceeded');
  expect([take(second, 1), take(all, mebibytes * mebibyte), take(all, 1)]).toEqual([undefined, undefined, undefined]);
  const small = Array.from({ length: requests }, () => take(second, 1));
  expect(small.indexOf('rate_limit_exceeded')).toBe(requests - 1);
});

test('counts unverified bytes per account and address across all processes', async () => {
  const take = async (account: string, address: string, mebibytes: number) => {
    const separateLimiter = createRateLimiter({ redis, nowMs: Date.now });
    const source = { channel: 'store', account };
    const outcome = await chargeUnverified(separateLimiter, source, { own: address }, mebibytes * mebibyte).catch(
      (error) => error,
    );
    return outcome?.code;
  };
  expect(await take('a', '198.51.100.1', unverified.account)).toBeUndefined();
  expect(await take('a', '198.51.100.2', 1)).toBe('service_unavailable');
  const times = unverified.address / unverified.account;
  for (let n = 1; n < times; n += 1) expect(await take(`b${n}`, '198.51.100.1', unverified.account)).toBeUndefined();
  expect(await take('c', '198.51.100.1', 1)).toBe('service_unavailable');
  expect(await take('c', '198.51.100.3', 1)).toBeUndefined();
});

describe('a webhook over a limit is not stored', () => {
  const account = 'busy.myshopify.com';
  const body = randomBytes(900_000);
  const hmac = (secret: string) => createHmac('sha256', secret).update(body).digest('base64');
  const place = { table: 'connections', column: 'credentials', row: 'c', profileId: 'p' };
  const credentials = testVault.seal(JSON.stringify({ webhookSecret: 'right', accessToken: null }), place);
  const receiver = createReceivers({} as Parameters<typeof createReceivers>[0]).of('store') as Receiver;
  const stored: string[] = [];
  const into = (name: string) => ({ publish: async () => void stored.push(name) }) as unknown as WorkStream;
  const send = (changes: { readonly leases?: Leases; readonly isAway?: boolean }) => {
    const lookUp = async () => {
      if (changes.isAway) throw new Error('connect ECONNREFUSED');
      return [{ profileId: 'p', id: 'c', credentials }];
    };
    const store = {
      secrets: new SecretCache({ lookUp } as LookUps),
      vault: testVault,
      sealer: testStreamVault,
      stream: { webhooks: into('webhooks'), unverifiedWebhooks: into('unverified') },
      leases: changes.leases ?? leases(),
      limiter,
      metrics: createMetrics(),
      now: () => new Date(),
    };
    const headers = { 'x-shopify-shop-domain': account, 'x-shopify-hmac-sha256': hmac('right') };
    const incoming = { channel: 'store', receiver, delivery: { headers, body }, group: { own: '192.0.2.1' } } as const;
    return storeWebhook(store, incoming).then(
      () => stored.splice(0),
      (error: { code: string }) => [error.code, ...stored.splice(0)],
    );
  };

  test('over the limit of its account', async () => {
    const spent = leases();
    chargeSource(spent, { channel: 'store', account }, perMinute.account.mebibytes * mebibyte);
    expect(await send({ leases: spent })).toEqual(['rate_limit_exceeded']);
    expect(await send({})).toEqual(['webhooks']);
  });

  test('over the quota of unverified webhooks', async () => {
    const rest = (unverified.account - 1) * mebibyte;
    await chargeUnverified(limiter, { channel: 'store', account }, { own: '192.0.2.2' }, rest);
    expect(await send({ isAway: true })).toEqual(['unverified']);
    // The second webhook is as large again, and the quota refills slowly.
    expect(await send({ isAway: true })).toEqual(['service_unavailable']);
    expect(await send({})).toEqual(['webhooks']);
  });
});
