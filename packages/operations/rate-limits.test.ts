import { data, route } from '@tributary/contract';
import {
  buildApiKey,
  buildProfile,
  openTestkit,
  serve,
  served,
  type Testkit,
  type TestServer,
} from '@tributary/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { answer } from './index.ts';

const ping = route({
  id: 'ping',
  method: 'GET',
  path: '/api/v1/ping',
  summary: 'Ping',
  chapter: 'Test',
  access: { credentials: ['api_key', 'app'], grain: 'profile' },
  answers: { 200: { schema: data(z.strictObject({})) } },
});
const ingest = route({ ...ping, id: 'ingest', path: '/api/v1/ingest', rate: 'ingest' });

let kit: Testkit;
let server: TestServer;
let profileId: string;
beforeAll(async () => {
  kit = await openTestkit();
  profileId = (await buildProfile(kit.app)).id;
  server = await serve(kit, [
    served(ping, async () => answer(200, { data: {} })),
    served(ingest, async () => answer(200, { data: {} })),
  ]);
});
afterAll(async () => {
  await server.close();
  await kit.close();
});

const ask = (url: string, headers: object, remoteAddress = '127.0.0.1') =>
  server.fastify.inject({ method: 'GET', url, headers: { ...headers }, remoteAddress });

test('[lim-030] [lim-034] [lim-035] [err-026] each key has its own allowance, and a 429 says when to retry', async () => {
  const key = await buildApiKey(kit.app, profileId, { requestsPerMinute: 5 });
  const other = await buildApiKey(kit.app, profileId, { requestsPerMinute: 5 });
  for (let request = 0; request < 5; request += 1) {
    const response = await ask('/api/v1/ping', key.headers);
    expect(response.statusCode).toBe(200);
    expect(response.headers).toMatchObject({ 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': String(4 - request) });
  }
  const refused = await ask('/api/v1/ping', key.headers);
  expect(refused.json().error).toMatchObject({ code: 'rate_limit_exceeded', status: 429 });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  const resetsIn = Number(refused.headers['x-ratelimit-reset']) - Date.now() / 1_000;
  expect(Math.abs(resetsIn - Number(refused.headers['retry-after']))).toBeLessThanOrEqual(2);
  expect((await ask('/api/v1/ping', other.headers)).statusCode).toBe(200);
});

test('without an explicit rate, ingest has its own allowance that reads do not use up', async () => {
  const key = await buildApiKey(kit.app, profileId, { requestsPerMinute: 1, isRateSet: false });
  expect((await ask('/api/v1/ping', key.headers)).statusCode).toBe(200);
  expect((await ask('/api/v1/ping', key.headers)).statusCode).toBe(429);
  const response = await ask('/api/v1/ingest', key.headers);
  expect([response.statusCode, response.headers['x-ratelimit-limit']]).toEqual([200, '6000']);
});

test('[lim-030] an explicit rate of a key applies to all routes together', async () => {
  const key = await buildApiKey(kit.app, profileId, { requestsPerMinute: 2 });
  const statuses = [];
  for (const path of ['ingest', 'ping', 'ingest', 'ping'])
    statuses.push((await ask(`/api/v1/${path}`, key.headers)).statusCode);
  expect(statuses).toEqual([200, 200, 429, 429]);
});

test('a key without isRateSet counts as explicit unless it has the default rate', async () => {
  const readLimit = async (requestsPerMinute: number) => {
    const key = await buildApiKey(kit.app, profileId, { requestsPerMinute, isRateSet: null });
    return (await ask('/api/v1/ingest', key.headers)).headers['x-ratelimit-limit'];
  };
  expect([await readLimit(300), await readLimit(10)]).toEqual(['6000', '10']);
});

test('limits guessing of credentials and paths by address', async () => {
  const statuses = new Set<number>();
  // The allowance refills meanwhile, and more on a slower machine.
  for (let guess = 0; guess < 1_000 && !statuses.has(429); guess += 1) {
    const url = guess % 2 ? '/api/v1/ping' : '/api/v1/nowhere';
    statuses.add((await ask(url, { authorization: 'Bearer wrong' }, '203.0.113.9')).statusCode);
  }
  expect(statuses).toEqual(new Set([401, 404, 429]));
  expect((await ask('/api/v1/ping', {}, '203.0.113.10')).statusCode).toBe(401);
});

test('without Redis requests are still served and limited', async () => {
  const serverWithoutRedis = await serve(kit, [served(ping, async () => answer(200, { data: {} }))], {
    redisUrl: 'redis://127.0.0.1:1',
  });
  try {
    const key = await buildApiKey(kit.app, profileId, { requestsPerMinute: 3 });
    const statuses = [];
    for (let request = 0; request < 4; request += 1) {
      statuses.push(
        (await serverWithoutRedis.fastify.inject({ url: '/api/v1/ping', headers: key.headers })).statusCode,
      );
    }
    expect(statuses).toEqual([200, 200, 200, 429]);
    const ready = await serverWithoutRedis.fastify.inject('/readyz');
    expect([ready.statusCode, ready.json()]).toEqual([
      200,
      {
        status: 'degraded',
        engines: { postgres: 'up', redis: 'away' },
        degraded: { redis: 'Limits are counted by each process.' },
      },
    ]);
  } finally {
    await serverWithoutRedis.close();
  }
});
