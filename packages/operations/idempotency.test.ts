import { data, route } from '@tributary/contract';
import { LocalBuckets, type RateLimiter } from '@tributary/redis';
import { buildApiKey, buildProfile, openKit, openOperationDeps, type TestDesk } from '@tributary/testkit';
import { limits } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { admitCall, answer, type Call, type Handles, identify, type Prepared, runOperation } from './index.ts';

const say = route({
  id: 'say',
  method: 'POST',
  path: '/api/v1/say',
  audit: 'not needed: a test',
  summary: 'Say',
  chapter: 'Test',
  access: { credentials: ['api_key'], scopes: [['customers:read']], grain: 'person', entitlement: 'not needed' },
  idempotency: 'accepted',
  answers: { 200: { schema: data(z.strictObject({ text: z.string(), count: z.number() })) } },
});

const kit = await openKit();
const { smallAnswerBytes, largeKibibytesPerHour } = limits.idempotency;
let desk: TestDesk;
let nowMs: number;
let profile: { id: string; workspaceId: string };
let count: number;
beforeEach(async () => {
  const buckets = new LocalBuckets();
  nowMs = 0;
  count = 0;
  const limiter: RateLimiter = {
    take: async (name, limit, { windowMs = 60_000, cost = 1 } = {}) =>
      buckets.take(name, limit, nowMs * 1_000, { limit, window: windowMs * 1_000, cost }),
  };
  desk = openOperationDeps(kit, limiter);
  profile = await buildProfile(kit.app);
});

interface AskOptions {
  readonly people?: number;
  /** The request target, if not the default. */
  readonly target?: string;
  readonly body?: string;
  /** Delays the handler before or within its effect. */
  readonly before?: Promise<void>;
  readonly within?: Promise<void>;
}

/** A caller whose answers have the given number of characters and customers. */
async function caller() {
  const { id, headers } = await buildApiKey(kit.app, profile.id, { scopes: ['customers:read', 'visitors:read'] });
  const { authorization } = headers;
  const presented = { authorization, cookie: undefined, profileId: undefined, workspaceId: undefined };
  const ask = async (idempotencyKey: string, characters: number, options: AskOptions = {}) => {
    const { people = 0, target = say.path, body, before, within } = options;
    const handler: Handles<typeof say> = async (_input, { effect, mentions }) => {
      await before;
      return effect(async () => {
        for (let person = 0; person < people; person += 1) mentions(uuid());
        count += 1;
        const nth = count;
        await within;
        return answer(200, { data: { text: 'x'.repeat(characters), count: nth } });
      });
    };
    const call: Call = {
      caller: await identify(desk, say, presented, 'here', kit.clock.now()),
      address: 'here',
      idempotencyKey,
      requestId: 'req_test',
      now: kit.clock.now(),
      signal: new AbortController().signal,
    };
    const sentBody = body === undefined ? undefined : Buffer.from(body);
    const input = { params: {}, query: {}, body: sentBody, contentType: undefined, target };
    const sent: Prepared[] = [];
    const send = (prepared: Prepared) => void sent.push(prepared);
    await runOperation(say, handler, await admitCall(say, call, desk), input, desk, send);
    return JSON.parse(sent[0]?.bytes ?? 'null').data.count as number;
  };
  return Object.assign(ask, { id });
}

const conflict = { code: 'idempotency_key_conflict', message: expect.stringContaining('for another request') };

test('[err-067] a key is bound to one target and one body', async () => {
  const one = await caller();
  expect([await one('key', 1, { body: '{}' }), await one('key', 1, { body: '{}' })]).toEqual([1, 1]);
  await expect(one('key', 1, { body: '{} ' })).rejects.toMatchObject(conflict);
  await expect(one('key', 1, { body: '{}', target: `${say.path}?more` })).rejects.toMatchObject(conflict);
  expect(count).toBe(1);
});

test('[err-068] a repeat during the first request is refused with Retry-After', async () => {
  const one = await caller();
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const held = one('key', 1, { within: first.promise });
  await expect.poll(() => count).toBe(1);
  await expect(one('key', 1)).rejects.toMatchObject({
    code: 'idempotency_key_in_flight',
    headers: { 'retry-after': '1' },
  });
  first.resolve();
  expect([await held, await one('key', 1)]).toEqual([1, 1]);
  // The first lookup finds no stored answer; the second one, after claiming the key, does.
  const late = one('other', 1, { before: second.promise });
  expect(await one('other', 1)).toBe(2);
  second.resolve();
  expect(await late).toBe(2);
});

test('keys are separate per caller and case-sensitive', async () => {
  const [one, other] = [await caller(), await caller()];
  expect([await one('key', 1), await other('key', 1), await one('KEY', 1)]).toEqual([1, 2, 3]);
  expect([await one('key', 1), await other('key', 1), await one('KEY', 1)]).toEqual([1, 2, 3]);
});

test('an answer is not replayed after the caller lost permissions', async () => {
  const one = await caller();
  await one('key', 1);
  await kit.app.forProfile(profile.id).transaction((tx) =>
    tx
      .updateTable('api_keys')
      .set({ scopes: ['customers:read'] })
      .where('id', '=', one.id)
      .execute(),
  );
  await expect(one('key', 1)).rejects.toMatchObject(conflict);
});

const notStored = { code: 'idempotency_key_conflict', message: expect.stringContaining('was carried out before') };

test('stores only so many bytes of large answers per caller and hour; beyond it a repeat is a conflict', async () => {
  const [one, other] = [await caller(), await caller()];
  const halfBytes = (largeKibibytesPerHour / 2) * 1_024 - 1_024;
  for (const key of ['first', 'second', 'third']) await one(key, halfBytes);
  expect([await one('first', halfBytes), await one('second', halfBytes)]).toEqual([1, 2]);
  await expect(one('third', halfBytes)).rejects.toMatchObject(notStored);
  expect(count).toBe(3);
  // Other callers have their own allowance, and a small answer is always stored.
  expect([await other('third', halfBytes), await other('third', halfBytes)]).toEqual([4, 4]);
  expect([await one('small', smallAnswerBytes / 2), await one('small', smallAnswerBytes / 2)]).toEqual([5, 5]);
  nowMs += 31 * 60_000;
  expect([await one('later', halfBytes), await one('later', halfBytes)]).toEqual([6, 6]);
});

test('the index of customers counts towards the allowance', async () => {
  const one = await caller();
  const people = 1_000;
  await one('full', (largeKibibytesPerHour - 100) * 1_024);
  await one('people', 0, { people });
  await expect(one('people', 0, { people })).rejects.toMatchObject(notStored);
  const named = await kit.app
    .forProfile(profile.id)
    .transaction((tx) => tx.selectFrom('idempotent_answer_people').selectAll().execute());
  expect(named).toEqual([]);
});

test('the data access log counts the customers of a replayed answer', async () => {
  const one = await caller();
  await one('three', 1, { people: 3 });
  await one('three', 1, { people: 3 });
  const log = await kit.app
    .forWorkspace(profile.workspaceId)
    .transaction((tx) => tx.selectFrom('pii_access_log').select(['operation', 'people', 'result']).execute());
  expect(log).toEqual(Array.from({ length: 2 }, () => ({ operation: 'say', people: 3, result: 'served' })));
});
