import { createClickHouse } from '@tributary/clickhouse';
import { createPostgres } from '@tributary/postgres';
import { createRedis } from '@tributary/redis';
import { openApi, openKit, openWarehouse, scene } from '@tributary/testkit';
import { afterAll, expect, test } from 'vitest';

const kit = await openKit();
const warehouse = await openWarehouse(kit);
afterAll(() => warehouse.drop());

const event = { event_name: 'lead_created', user_traits: { external_id: 'a' } };
const statusOf = (answer: { statusCode: number; headers: object; json(): { error?: { code: string } } }) => [
  answer.statusCode,
  answer.json().error?.code,
  (answer.headers as Record<string, string>)['retry-after'],
];

const readOnly = `${kit.database.appUrl}?options=${encodeURIComponent('-c default_transaction_read_only=on')}`;
const nobody = kit.database.appUrl.replace(/:\d+\//, ':1/');
const noName = kit.database.appUrl.replace(/@[^/]+\//, '@postgres.invalid/');

test.each([
  ['is read-only', readOnly, [200, 'degraded']],
  ['does not listen', nobody, [503, 'not ready']],
  ['has no address', noName, [503, 'not ready']],
])('PostgreSQL %s: 503 and when to come again, and /readyz says so', async (_, url, readiness) => {
  const ledger = createPostgres({ url, poolSize: 2 });
  const api = await openApi(kit, { postgres: ledger, clickhouse: warehouse.client });
  const whole = await openApi(kit, { clickhouse: warehouse.client });
  const shop = await scene({ kit, api: whole });
  const asked = { method: 'POST', url: '/api/v1/events', headers: shop.full, payload: event } as const;
  expect(statusOf(await api.call(asked))).toEqual([503, 'service_unavailable', '2']);
  const ready = await api.fastify.inject('/readyz');
  expect([ready.statusCode, ready.json().status]).toEqual(readiness);
  expect((await whole.call(asked)).statusCode).toBe(202);
  await Promise.all([api.close(), whole.close()]);
  await ledger.close();
});

test('a ClickHouse that does not answer: reports 503, outcomes are taken, and /readyz names it', async () => {
  const nowhere = createClickHouse({ url: 'http://127.0.0.1:1', database: 'x', requestTimeoutMs: 1_000 });
  const api = await openApi(kit, { clickhouse: nowhere });
  const shop = await scene({ kit, api });
  const range = 'date_from=2026-03-01&date_to=2026-03-02';
  expect(statusOf(await shop.call('GET', `/api/v1/overview?${range}`))).toEqual([503, 'service_unavailable', '2']);
  expect((await shop.call('POST', '/api/v1/events', event)).statusCode).toBe(202);
  const ready = await api.fastify.inject('/readyz');
  expect([ready.statusCode, ready.json().status]).toEqual([200, 'degraded']);
  expect(ready.json().degraded).toEqual({ clickhouse: expect.stringContaining('Outcomes are recorded') });
  await api.close();
  await nowhere.close();
});

test('a Redis that does not answer: requests are taken, and /readyz says what that means', async () => {
  const redis = createRedis({ url: 'redis://127.0.0.1:1', prefix: 'x' });
  const api = await openApi(kit, { redis, clickhouse: warehouse.client });
  const shop = await scene({ kit, api });
  expect((await shop.call('POST', '/api/v1/events', event)).statusCode).toBe(202);
  const ready = await api.fastify.inject('/readyz');
  expect([ready.statusCode, ready.json()]).toEqual([
    200,
    {
      status: 'degraded',
      engines: {
        postgres: 'up',
        postgres_writes: 'up',
        clickhouse: 'up',
        redis: 'away',
        clock: 'up',
        clock_exact: 'up',
      },
      degraded: { redis: expect.stringContaining('signing in is closed') },
    },
  ]);
  await api.close();
  redis.disconnect();
});

test.each([
  [60_000, 200, 'ready'],
  [-60_001, 200, 'degraded'],
  [300_000, 200, 'degraded'],
  [-300_001, 503, 'not ready'],
])('with a clock skew of %d ms, /readyz returns %d %s', async (skewMs, statusCode, status) => {
  const api = await openApi(kit, { clickhouse: warehouse.client, clockSkewMs: () => skewMs });
  const ready = await api.fastify.inject('/readyz');
  expect([ready.statusCode, ready.json().status]).toEqual([statusCode, status]);
  await api.close();
});

test('who leaves still answers, says so, and keeps no connection', async () => {
  let isStopping = false;
  const api = await openApi(kit, { isStopping: () => isStopping });
  try {
    const address = await api.fastify.listen({ host: '127.0.0.1', port: 0 });
    const ask = async (path: string) => {
      const answer = await fetch(`${address}${path}`);
      await answer.arrayBuffer();
      return [answer.status, answer.headers.get('connection')];
    };
    expect(await ask('/healthz')).toEqual([200, 'keep-alive']);
    isStopping = true;
    expect(await ask('/readyz')).toEqual([503, 'close']);
    expect(await ask('/healthz')).toEqual([200, 'close']);
  } finally {
    await api.close();
  }
});
