import { data, route } from '@tributary/contract';
import { Leases } from '@tributary/redis';
import {
  buildApiKey,
  buildProfile,
  openTestkit,
  serve,
  served,
  type Testkit,
  type TestServer,
} from '@tributary/testkit';
import { limits } from '@tributary/vocabulary';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Costs } from './costs.ts';
import { answer, type Refusal } from './index.ts';
import { threadMs } from './thread-time.ts';

let nowMs = 0;
/** A process that cannot reach Redis. */
const open = () =>
  new Costs(new Leases({ limiter: { takeMany: () => Promise.reject(new Error('away')) }, nowMs: () => nowMs }));
const payer = (id: string) => ({ id, mebibytes: 1, processorMs: 1_000 });

function refusalOf(work: () => void): Refusal | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error as Refusal;
  }
}

describe('the budget per minute', () => {
  test('limits the bytes of each payer separately, and refills over time', () => {
    const costs = open();
    const take = (id: string) => refusalOf(() => costs.takeBytes(payer(id), 512 * 1_024));
    expect([take('a'), take('a'), take('b')]).toEqual([undefined, undefined, undefined]);
    const refusal = take('a');
    expect(refusal).toMatchObject({ code: 'rate_limit_exceeded', fields: { reason: 'bytes' } });
    expect(refusal?.message).toBe('Requests in the last minute contained more than 1 MiB. Retry in 30 seconds.');
    expect(refusal?.headers).toEqual({ 'retry-after': '30', 'x-ratelimit-reset': expect.stringMatching(/^\d+$/) });
    expect(take('b')).toBeUndefined();
    nowMs += 30_000;
    expect([take('a'), take('a')?.code]).toEqual([undefined, 'rate_limit_exceeded']);
  });

  test('charges the processor time of requests, at least one millisecond each', () => {
    const costs = open();
    const admit = (id: string) => refusalOf(() => costs.admit(payer(id)));
    expect(admit('a')).toBeUndefined();
    costs.spend(payer('a'), 0.2);
    expect(admit('a')).toBeUndefined();
    // The debt of a very long request is capped at one minute.
    costs.spend(payer('a'), 500_000);
    expect(admit('a')).toMatchObject({ code: 'rate_limit_exceeded', fields: { reason: 'processor_time' } });
    expect(admit('b')).toBeUndefined();
    nowMs += 61_000;
    expect(Array.from({ length: 1_000 }, () => admit('a')).filter(Boolean)).toEqual([]);
    expect(admit('a')?.headers['retry-after']).toBe('1');
  });
});

describe('typical requests at the full request rate stay within the cost budget', () => {
  const perMinute = limits.ratePerMinute;
  test.each([
    ['single events of 4 KiB', perMinute.ingest, 4 * 1_024, 2],
    ['imports of 1,000 rows', perMinute.app.standard, 400 * 1_024, 50],
    ['events of 1,000 rows', perMinute.app.standard, 800 * 1_024, 80],
    ['report queries', perMinute.app.internal, 0, 4],
  ])('%s', (_what, requests, bytes, ms) => {
    const costs = open();
    const client = { id: 'client', ...limits.costPerMinute.credential };
    nowMs += 60_000;
    const refused = Array.from({ length: requests }, () => {
      nowMs += 60_000 / requests;
      return refusalOf(() => {
        costs.admit(client);
        costs.takeBytes(client, bytes);
        costs.spend(client, ms);
      });
    });
    expect(refused.filter(Boolean)).toEqual([]);
  });
});

describe('over HTTP', () => {
  const save = route({
    id: 'save',
    method: 'POST',
    path: '/api/v1/save',
    summary: 'Save',
    chapter: 'Test',
    access: { credentials: ['api_key', 'public'], grain: 'profile' },
    audit: 'not needed: a test',
    idempotency: 'natural',
    body: { schema: z.strictObject({ text: z.string(), busyMs: z.number().optional() }) },
    answers: { 200: { schema: data(z.strictObject({})) } },
  });
  let kit: Testkit;
  let server: TestServer;
  let profileId: string;
  beforeAll(async () => {
    kit = await openTestkit();
    profileId = (await buildProfile(kit.app)).id;
    const save_ = served(save, async ({ body }) => {
      const until = threadMs() + (body.busyMs ?? 0);
      while (threadMs() < until);
      return answer(200, { data: {} });
    });
    const leases = new Leases({
      limiter: { takeMany: () => Promise.reject(new Error('away')) },
      nowMs: () => 0,
    });
    // Multiplies every cost by 100, so that the test uses up a budget quickly.
    const expensive = {
      take: (name: string, limit: number, cost = 1) => leases.take(name, limit, cost * 100),
      spend: (name: string, limit: number, cost: number) => leases.spend(name, limit, cost * 100),
    };
    server = await serve(kit, [save_], { costs: new Costs(expensive) });
  });
  afterAll(async () => {
    await server.close();
    await kit.close();
  });

  async function openSender() {
    const { headers } = await buildApiKey(kit.app, profileId);
    return async (body: object) => {
      const response = await server.fastify.inject({
        method: 'POST',
        url: save.path,
        headers,
        payload: body,
      });
      return { status: response.statusCode, headers: response.headers, error: response.json().error };
    };
  }

  test('returns 429 with Retry-After when a key has sent too many bytes', async () => {
    const [send, other] = [await openSender(), await openSender()];
    const body = { text: 'x'.repeat(250 * 1_024) };
    const statuses = [];
    for (let request = 0; request < 10; request += 1) statuses.push((await send(body)).status);
    expect(statuses).toEqual(Array(10).fill(200));
    const { status, headers, error } = await send(body);
    expect([status, error.code, error.reason]).toEqual([429, 'rate_limit_exceeded', 'bytes']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(headers['x-ratelimit-reset'])).toBeGreaterThan(Date.now() / 1_000);
    // A small request still fits, and another key has a separate budget.
    expect([(await send({ text: 'x' })).status, (await other(body)).status]).toEqual([200, 200]);
  });

  test('returns 429 before the body is read when a key has used too much processor time', async () => {
    const [send, other] = [await openSender(), await openSender()];
    expect((await send({ text: 'x', busyMs: 320 })).status).toBe(200);
    const { status, error } = await send({ text: 'x'.repeat(200 * 1_024) });
    expect([status, error.code, error.reason]).toEqual([429, 'rate_limit_exceeded', 'processor_time']);
    expect((await other({ text: 'x' })).status).toBe(200);
  });
});
