import { anyOf, data, route } from '@tributary/contract';
import {
  auditEntries,
  buildApiKey,
  buildProfile,
  openOperationDeps,
  openTestkit,
  type TestDesk,
  type Testkit,
} from '@tributary/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { admitCall, answer, type Call, type Handles, identify, refuse, runOperation } from './index.ts';

const rename = route({
  id: 'rename',
  method: 'PUT',
  path: '/api/v1/things/{id}',
  audit: { action: 'thing.renamed', of: 'thing:{params.id}', unchanged: 200 },
  summary: 'Rename',
  chapter: 'Test',
  access: { credentials: ['api_key'], scopes: anyOf('attribution:write'), grain: 'profile' },
  params: z.object({ id: z.string() }),
  answers: {
    200: { schema: data(z.strictObject({ name: z.string() })) },
    201: { schema: data(z.strictObject({ name: z.string() })) },
  },
});
type Rename = Handles<typeof rename>;

let kit: Testkit;
let desk: TestDesk;
let profile: { id: string; workspaceId: string };
let key: Awaited<ReturnType<typeof buildApiKey>>;
beforeAll(async () => {
  kit = await openTestkit();
  desk = openOperationDeps(kit);
});
afterAll(() => kit.close());
beforeEach(async () => {
  profile = await buildProfile(kit.app);
  key = await buildApiKey(kit.app, profile.id, { scopes: ['attribution:write'] });
});

async function run(handler: Rename) {
  const now = kit.clock.now();
  const { authorization } = key.headers;
  const presented = { authorization, cookie: undefined, profileId: undefined, workspaceId: undefined };
  const call: Call = {
    caller: await identify(desk, rename, presented, 'here', now),
    address: 'here',
    requestId: 'req_test',
    now,
    signal: new AbortController().signal,
  };
  const input = { params: { id: '7' }, query: {}, body: undefined, contentType: undefined, target: '/api/v1/things/7' };
  return runOperation(rename, handler, await admitCall(rename, call, desk), input, desk, () => {});
}

/** Changes the profile's name, so that the test can check for the change. */
const renameWith =
  (status: 200 | 201, before: (context: Parameters<Rename>[1]) => void = () => {}): Rename =>
  async (_input, context) =>
    context.effect(async (tx) => {
      await tx.updateTable('profiles').set({ name: 'After' }).where('id', '=', profile.id).execute();
      before(context);
      return status === 200 ? answer(200, { data: { name: 'After' } }) : answer(201, { data: { name: 'After' } });
    });
const readName = async () =>
  (
    await kit.app
      .forProfile(profile.id)
      .transaction((tx) => tx.selectFrom('profiles').select('name').executeTakeFirstOrThrow())
  ).name;
const entries = () => auditEntries(kit, { workspaceId: profile.workspaceId });

test('an effect writes the declared entry with actor, action, target and request', async () => {
  await run(renameWith(201, ({ addToAudit }) => addToAudit({ detail: { from: 'Before' } })));
  expect(await entries()).toEqual([
    {
      actor_kind: 'api_key',
      actor_id: key.id,
      action: 'thing.renamed',
      result: 'done',
      target: 'thing:7',
      detail: { from: 'Before' },
      request_id: 'req_test',
    },
  ]);
});

test('an answer that declares no change writes no entry', async () => {
  await run(renameWith(200));
  expect(await entries()).toEqual([]);
});

test('a refused effect commits neither change nor entry', async () => {
  const refused = run(renameWith(201, () => refuse('invalid_state', 'No.')));
  await expect(refused).rejects.toMatchObject({ code: 'invalid_state' });
  expect([await readName(), await entries()]).toEqual(['Test profile', []]);
});

test('commits nothing if the entry cannot be written', async () => {
  const elsewhere = await buildProfile(kit.app);
  const misplaced = renameWith(201, ({ addToAudit }) => addToAudit({ log: { workspaceId: elsewhere.workspaceId } }));
  await expect(run(misplaced)).rejects.toThrow(/belongs to the workspace of its transaction/);
  expect(await readName()).toBe('Test profile');
});

test('a change outside of the effect is an error', async () => {
  const past: Rename = async (_input, { ledger }) => {
    await ledger.transaction(async () => {});
    return answer(201, { data: { name: 'After' } });
  };
  await expect(run(past)).rejects.toThrow(/left no audit entry/);
});
