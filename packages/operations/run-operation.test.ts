import { data, route } from '@tributary/contract';
import type { Tx } from '@tributary/postgres';
import {
  buildApiKey,
  buildProfile,
  openOperationDeps,
  openTestkit,
  type TestDesk,
  type Testkit,
} from '@tributary/testkit';
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
  desk = openOperationDeps(kit);
  ({ id: profileId, workspaceId } = await buildProfile(kit.app));
  ({ authorization } = (await buildApiKey(kit.app, profileId, { scopes: ['customers:read'] })).headers);
});
afterAll(() => kit.close());

const readName: Handles<typeof name> = async ({ query }, { mentions }) => {
  mentions('018f0000-0000-7000-8000-000000000001');
  return answer(200, { data: { name: query.of } });
};

let counted = 0;
const increment: Handles<typeof count> = (_input, { effect }) =>
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
const getInput = (of: typeof name | typeof count) => ({
  params: {},
  query: of === name ? { of: 'Eva' } : {},
  body: undefined,
  contentType: undefined,
  target: of.path,
});
const nothing = { authorization: undefined, cookie: undefined, profileId: undefined, workspaceId: undefined };

/** Runs the operation and returns what was sent. */
async function run(of: typeof name | typeof count, handler: AnyHandler, request: Call) {
  const sent: { prepared: Prepared; isGated: boolean }[] = [];
  await runOperation(
    of,
    handler,
    await admitCall(of, request, desk),
    getInput(of),
    desk,
    (prepared, cut) => void sent.push({ prepared, isGated: cut !== undefined }),
  );
  expect(sent).toHaveLength(1);
  return sent[0] as (typeof sent)[number];
}

test('runs without a web server, and a response with personal data passes the gate', async () => {
  const sentHeaders: Record<string, string> = {};
  const requestId = 'req_of_one';
  const request = await call(name, { requestId, setHeaders: (headers) => Object.assign(sentHeaders, headers) });
  const { prepared, isGated } = await run(name, readName, request);
  expect([prepared.status, JSON.parse(prepared.bytes), isGated]).toEqual([
    200,
    { data: { name: 'Eva' }, meta: { profile_id: profileId } },
    true,
  ]);
  expect(Object.keys(sentHeaders)).toContain('x-ratelimit-limit');
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

test('a response is not sent if the credential was revoked meanwhile', async () => {
  const other = await buildApiKey(kit.app, profileId, { scopes: ['customers:read'] });
  const caller = await identify(desk, name, { ...nothing, ...other.headers }, 'here', kit.clock.now());
  const revoke = (tx: Tx) =>
    tx.updateTable('api_keys').set({ revoked_at: kit.clock.now() }).where('id', '=', other.id).execute();
  const readWhileRevoked: Handles<typeof name> = async (input, context) => {
    await kit.app.forProfile(profileId).transaction(revoke);
    return readName(input, context);
  };
  await expect(run(name, readWhileRevoked, await call(name, { caller }))).rejects.toMatchObject({
    code: 'unauthorized',
  });
});

test('a read starts only when its response can be sent; it waits behind four slow ones', async () => {
  let begun = 0;
  const sent = Promise.withResolvers<void>();
  const countAndRead: Handles<typeof name> = (input, context) => {
    begun += 1;
    return readName(input, context);
  };
  const running = Array.from({ length: 7 }, async () =>
    runOperation(
      name,
      countAndRead,
      await admitCall(name, await call(name), desk),
      getInput(name),
      desk,
      () => sent.promise,
    ),
  );
  await expect.poll(() => begun).toBe(4);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(begun).toBe(4);
  sent.resolve();
  await Promise.all(running);
  expect(begun).toBe(7);
});

test('one Idempotency-Key runs the operation once', async () => {
  const send = async (idempotencyKey?: string) =>
    (await run(count, increment, await call(count, { idempotencyKey }))).prepared;
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
    return increment(input, context);
  };
  const fairDesk = { ...desk, scheduler };
  const send = async (handler: AnyHandler, request: Call) =>
    runOperation(count, handler, await admitCall(count, request, desk), getInput(count), fairDesk, () => {});
  const slowRequests = Array.from({ length: 6 }, async (_, nth) =>
    send(slowly, await call(count, { idempotencyKey: `slow-${nth}` })),
  );
  await expect.poll(() => started).toBe(2);
  await send(increment, await call(count, { caller: neighbour, idempotencyKey: 'quick' }));
  expect(started).toBe(2);
  done.resolve();
  await Promise.all(slowRequests);
  expect(started).toBe(6);
});

test('a caller without permission is refused, regardless of the transport', async () => {
  const { headers } = await buildApiKey(kit.app, profileId, { scopes: ['campaigns:read'] });
  const caller = await identify(desk, name, { ...nothing, ...headers }, 'here', kit.clock.now());
  await expect(run(name, readName, await call(name, { caller }))).rejects.toMatchObject({ code: 'insufficient_scope' });
  await expect(identify(desk, name, nothing, 'here', kit.clock.now())).rejects.toMatchObject({ code: 'unauthorized' });
});
