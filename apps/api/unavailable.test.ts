import { createClickHouse } from '@tributary/clickhouse';
import { createPostgres } from '@tributary/postgres';
import { createRedis } from '@tributary/redis';
import { openApi, openKit, openWarehouse, scene } from '@tributary/testkit';
import { afterAll, expect, test } from 'vitest';

const kit = await openKit();
const warehouse = await openWarehouse(kit);
afterAll(() => warehouse.drop());

const event = { event_name: 'lead_created', user_traits: { external_id: 'a' } };
const getOutcome = (answer: { statusCode: number; headers: object; json(): { error?: { code: string } } }) => [
  answer.statusCode,
  answer.json().error?.code,
  (answer.headers as Record<string, string>)['retry-after'],
];

const readOnly = `${kit.database.appUrl}?options=${encodeURIComponent('-c default_transaction_read_only=on')}`;
const closedPort = kit.database.appUrl.replace(/:\d+\//, ':1/');
const unknownHost = kit.database.appUrl.replace(/@[^/]+\//, '@postgres.invalid/');

test.each([
  ['is read-only', readOnly, [200, 'degraded']],
  ['does not listen', closedPort, [503, 'not ready']],
  ['has no address', unknownHost, [503, 'not ready']],
])('answers 503 with Retry-After when PostgreSQL %s, and /readyz reports it', async (_, url, readiness) => {
  const ledger = createPostgres({ url, poolSize: 2 });
  const api = await openApi(kit, { postgres: ledger, clickhouse: warehouse.client });
  const healthy = await openApi(kit, { clickhouse: warehouse.client });
  const shop = await scene({ kit, api: healthy });
  const request = { method: 'POST', url: '/api/v1/events', headers: shop.full, payload: event } as const;
  expect(getOutcome(await api.call(request))).toEqual([503, 'service_unavailable', '2']);
  const ready = await api.fastify.inject('/readyz');
  expect([ready.statusCode, ready.json().status]).toEqual(readiness);
  expect((await healthy.call(request)).statusCode).toBe(202);
  await Promise.all([api.close(), healthy.close()]);
  await ledger.close();
});

test('without ClickHouse, reports answer 503, outcomes are accepted, and /readyz names it', async () => {
  const nowhere = createClickHouse({ url: 'http://127.0.0.1:1', database: 'x', requestTimeoutMs: 1_000 });
  const api = await openApi(kit, { clickhouse: nowhere });
  const shop = await scene({ kit, api });
  const range = 'date_from=2026-03-01&date_to=2026-03-02';
  expect(getOutcome(await shop.call('GET', `/api/v1/overview?${range}`))).toEqual([503, 'service_unavailable', '2']);
  expect((await shop.call('POST', '/api/v1/events', event)).statusCode).toBe(202);
  const ready = await api.fastify.inject('/readyz');
  expect([ready.statusCode, ready.json().status]).toEqual([200, 'degraded']);
  expect(ready.json().degraded).toEqual({ clickhouse: expect.stringContaining('Outcomes are recorded') });
  await api.close();
  await nowhere.close();
});

test('without Redis, requests are accepted and /readyz explains the limits', async () => {
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

test('a stopping process still answers, reports "stopping" and closes connections', async () => {
  let isStopping = false;
  const api = await openApi(kit, { isStopping: () => isStopping });
  try {
    const address = await api.fastify.listen({ host: '127.0.0.1', port: 0 });
    const get = async (path: string) => {
      const answer = await fetch(`${address}${path}`);
      await answer.arrayBuffer();
      return [answer.status, answer.headers.get('connection')];
    };
    expect(await get('/healthz')).toEqual([200, 'keep-alive']);
    isStopping = true;
    expect(await get('/readyz')).toEqual([503, 'close']);
    expect(await get('/healthz')).toEqual([200, 'close']);
  } finally {
    await api.close();
  }
});
