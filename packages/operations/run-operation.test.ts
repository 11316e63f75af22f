import { data, route } from '@tributary/contract';
import type { Tx } from '@tributary/postgres';
import { buildApiKey, buildProfile, openDesk, openTestkit, type TestDesk, type Testkit } from '@tributary/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import {
  type AnyHandler,
  admitCall,
  answer,
  type Call,
  FairScheduler,
  type Handles,
  identify,
  type Prepared,
  requestSlots,
  runOperation,
} from './index.ts';

const access = { credentials: ['api_key'], scopes: [['customers:read']] } as const;

const name = route({
  id: 'name',
  method: 'GET',
  path: '/api/v1/name',
  summary: 'Name',
  chapter: 'Test',
  access: { ...access, grain: 'person' },
  query: z.object({ of: z.string().max(20) }),
  answers: { 200: { schema: data(z.strictObject({ name: z.string() })) } },
});

const count = route({
  id: 'count',
  method: 'POST',
  path: '/api/v1/count',
  audit: 'not needed: a test',
  summary: 'Count',
  chapter: 'Test',
  access: { ...access, grain: 'profile', entitlement: 'not needed' },
  idempotency: 'required',
  answers: { 201: { schema: data(z.strictObject({ count: z.number() })) } },
});

let kit: Testkit;
let desk: TestDesk;
let profileId: string;
let workspaceId: string;
let authorization: string;
beforeAll(async () => {
  kit = await openTestkit();
  desk = openDesk(kit);
  ({ id: profileId, workspaceId } = await buildProfile(kit.app));
  ({ authorization } = (await buildApiKey(kit.app, profileId, { scopes: ['customers:read'] })).headers);
});
afterAll(() => kit.close());

const sayName: Handles<typeof name> = async ({ query }, { mentions }) => {
  mentions('018f0000-0000-7000-8000-000000000001');
  return answer(200, { data: { name: query.of } });
};

let counted = 0;
const countOn: Handles<typeof count> = (_input, { effect }) =>
  effect(async () => {
    counted += 1;
    return answer(201, { data: { count: counted } });
  });

const call = async (of: typeof name | typeof count, more: Partial<Call> = {}): Promise<Call> => ({
  caller: await identify(desk, of, { ...nothing, authorization }, 'here', kit.clock.now()),
  address: 'here',
  requestId: 'req_test',
  now: kit.clock.now(),
  signal: new AbortController().signal,
  ...more,
});
const inputOf = (of: typeof name | typeof count) => ({
  params: {},
  query: of === name ? { of: 'Eva' } : {},
  body: undefined,
  contentType: undefined,
  target: of.path,
});
const nothing = { authorization: undefined, cookie: undefined, profileId: undefined, workspaceId: undefined };

/** Runs it and keeps what was sent. */
async function run(of: typeof name | typeof count, handler: AnyHandler, made: Call) {
  const sent: { prepared: Prepared; isGated: boolean }[] = [];
  await runOperation(
    of,
    handler,
    await admitCall(of, made, desk),
    inputOf(of),
    desk,
    (prepared, cut) => void sent.push({ prepared, isGated: cut !== undefined }),
  );
  expect(sent).toHaveLength(1);
  return sent[0] as (typeof sent)[number];
}

test('an operation is run without any web server, and what names people passes the gate', async () => {
  const told: Record<string, string> = {};
  const requestId = 'req_of_one';
  const made = await call(name, { requestId, tell: (headers) => Object.assign(told, headers) });
  const { prepared, isGated } = await run(name, sayName, made);
  expect([prepared.status, JSON.parse(prepared.bytes), isGated]).toEqual([
    200,
    { data: { name: 'Eva' }, meta: { profile_id: profileId } },
    true,
  ]);
  expect(Object.keys(told)).toContain('x-ratelimit-limit');
  const log = await kit.app
    .forWorkspace(workspaceId)
    .transaction((tx) =>
      tx
        .selectFrom('pii_access_log')
        .select(['operation', 'people', 'result'])
        .where('request_id', '=', requestId)
        .execute(),
    );
  expect(log).toEqual([{ operation: 'name', people: 1, result: 'served' }]);
});

test('what may no longer leave is not sent', async () => {
  const other = await buildApiKey(kit.app, profileId, { scopes: ['customers:read'] });
  const caller = await identify(desk, name, { ...nothing, ...other.headers }, 'here', kit.clock.now());
  const revoke = (tx: Tx) =>
    tx.updateTable('api_keys').set({ revoked_at: kit.clock.now() }).where('id', '=', other.id).execute();
  const sayWhileRevoked: Handles<typeof name> = async (input, context) => {
    await kit.app.forProfile(profileId).transaction(revoke);
    return sayName(input, context);
  };
  await expect(run(name, sayWhileRevoked, await call(name, { caller }))).rejects.toMatchObject({
    code: 'unauthorized',
  });
});

test('a read is made only when it can leave; behind two slow ones it waits', async () => {
  let begun = 0;
  const left = Promise.withResolvers<void>();
  const countAndSay: Handles<typeof name> = (input, context) => {
    begun += 1;
    return sayName(input, context);
  };
  const running = Array.from({ length: 5 }, async () =>
    runOperation(
      name,
      countAndSay,
      await admitCall(name, await call(name), desk),
      inputOf(name),
      desk,
      () => left.promise,
    ),
  );
  await expect.poll(() => begun).toBe(2);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(begun).toBe(2);
  left.resolve();
  await Promise.all(running);
  expect(begun).toBe(5);
});

test('under one Idempotency-Key it is carried out once', async () => {
  const send = async (idempotencyKey?: string) =>
    (await run(count, countOn, await call(count, { idempotencyKey }))).prepared;
  const [first, second] = [await send('one'), await send('one')];
  expect([first.bytes, counted]).toEqual([second.bytes, 1]);
  expect(second.headers['idempotent-replayed']).toBe('true');
  await expect(send()).rejects.toMatchObject({ code: 'invalid_parameter' });
});

test('a request of one tenant is processed while slow requests of another tenant fill their slots', async () => {
  const scheduler = new FairScheduler({ ...requestSlots(4), waitMs: 10_000 });
  const other = await buildProfile(kit.app);
  const { headers } = await buildApiKey(kit.app, other.id, { scopes: ['customers:read'] });
  const neighbour = await identify(desk, name, { ...nothing, ...headers }, 'here', kit.clock.now());
  const done = Promise.withResolvers<void>();
  let started = 0;
  const slowly: Handles<typeof count> = async (input, context) => {
    started += 1;
    await done.promise;
    return countOn(input, context);
  };
  const fairDesk = { ...desk, scheduler };
  const send = async (handler: AnyHandler, made: Call) =>
    runOperation(count, handler, await admitCall(count, made, desk), inputOf(count), fairDesk, () => {});
  const slowRequests = Array.from({ length: 6 }, async (_, nth) =>
    send(slowly, await call(count, { idempotencyKey: `slow-${nth}` })),
  );
  await expect.poll(() => started).toBe(2);
  await send(countOn, await call(count, { caller: neighbour, idempotencyKey: 'quick' }));
  expect(started).toBe(2);
  done.resolve();
  await Promise.all(slowRequests);
  expect(started).toBe(6);
});

test('whoever may not is refused, whatever carried the call', async () => {
  const { headers } = await buildApiKey(kit.app, profileId, { scopes: ['campaigns:read'] });
  const caller = await identify(desk, name, { ...nothing, ...headers }, 'here', kit.clock.now());
  await expect(run(name, sayName, await call(name, { caller }))).rejects.toMatchObject({ code: 'insufficient_scope' });
  await expect(identify(desk, name, nothing, 'here', kit.clock.now())).rejects.toMatchObject({ code: 'unauthorized' });
});
