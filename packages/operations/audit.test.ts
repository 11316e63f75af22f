import { anyOf, data, route } from '@tributary/contract';
import {
  auditEntries,
  buildApiKey,
  buildProfile,
  openDesk,
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
  desk = openDesk(kit);
});
afterAll(() => kit.close());
beforeEach(async () => {
  profile = await buildProfile(kit.app);
  key = await buildApiKey(kit.app, profile.id, { scopes: ['attribution:write'] });
});

async function run(handler: Rename) {
  const now = kit.clock.now();
  const { authorization } = key.headers;
  const shown = { authorization, cookie: undefined, profileId: undefined, workspaceId: undefined };
  const call: Call = {
    caller: await identify(desk, rename, shown, 'here', now),
    address: 'here',
    requestId: 'req_test',
    now,
    signal: new AbortController().signal,
  };
  const input = { params: { id: '7' }, query: {}, body: undefined, contentType: undefined, target: '/api/v1/things/7' };
  return runOperation(rename, handler, await admitCall(rename, call, desk), input, desk, () => {});
}

/** Changes the profile's own name, so that the change can be looked for. */
const renaming =
  (status: 200 | 201, before: (context: Parameters<Rename>[1]) => void = () => {}): Rename =>
  async (_input, context) =>
    context.effect(async (tx) => {
      await tx.updateTable('profiles').set({ name: 'After' }).where('id', '=', profile.id).execute();
      before(context);
      return status === 200 ? answer(200, { data: { name: 'After' } }) : answer(201, { data: { name: 'After' } });
    });
const nameNow = async () =>
  (
    await kit.app
      .forProfile(profile.id)
      .transaction((tx) => tx.selectFrom('profiles').select('name').executeTakeFirstOrThrow())
  ).name;
const entries = () => auditEntries(kit, { workspaceId: profile.workspaceId });

test('an effect leaves the entry that its route declares: who, what, of what, in which request', async () => {
  await run(renaming(201, ({ addToAudit }) => addToAudit({ detail: { from: 'Before' } })));
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

test('an answer that says that nothing was changed leaves none', async () => {
  await run(renaming(200));
  expect(await entries()).toEqual([]);
});

test('an effect that is refused leaves neither change nor entry', async () => {
  const refused = run(renaming(201, () => refuse('invalid_state', 'No.')));
  await expect(refused).rejects.toMatchObject({ code: 'invalid_state' });
  expect([await nameNow(), await entries()]).toEqual(['Test profile', []]);
});

test('without its entry nothing is committed', async () => {
  const elsewhere = await buildProfile(kit.app);
  const misplaced = renaming(201, ({ addToAudit }) => addToAudit({ log: { workspaceId: elsewhere.workspaceId } }));
  await expect(run(misplaced)).rejects.toThrow(/belongs to the workspace of its transaction/);
  expect(await nameNow()).toBe('Test profile');
});

test('a change past the effect is an error', async () => {
  const past: Rename = async (_input, { ledger }) => {
    await ledger.transaction(async () => {});
    return answer(201, { data: { name: 'After' } });
  };
  await expect(run(past)).rejects.toThrow(/left no audit entry/);
});
