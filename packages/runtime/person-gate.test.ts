import { anyOf, data, route } from '@tributary/contract';
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

/** Shows more to whoever may see people. */
const either = route({
  id: 'either',
  method: 'GET',
  path: '/api/v1/either',
  summary: 'Either',
  chapter: 'Test',
  access: { credentials: ['api_key'], scopes: anyOf('conversions:read', 'customers:read'), grain: 'person' },
  answers: { 200: { schema: data(z.strictObject({ name: z.string().nullable() })) } },
});

let kit: Testkit;
let server: TestServer;
let meanwhile: () => Promise<unknown> = async () => {};
beforeAll(async () => {
  kit = await openTestkit();
  server = await serve(kit, [
    served(either, async (_input, { caller }) => {
      const name = caller.scopes.has('customers:read') ? 'Eva' : null;
      await meanwhile();
      return answer(200, { data: { name } });
    }),
  ]);
});
afterAll(async () => {
  await server.close();
  await kit.close();
});

test('an answer made for a scope does not leave once the scope is gone, though another would do for less', async () => {
  const { id: profileId, workspaceId } = await buildProfile(kit.app);
  const ledger = kit.app.forProfile(profileId);
  const both = await buildApiKey(kit.app, profileId, { scopes: ['conversions:read', 'customers:read'] });
  const ask = () => server.fastify.inject({ url: '/api/v1/either', headers: both.headers });
  expect((await ask()).json().data).toEqual({ name: 'Eva' });

  meanwhile = () =>
    ledger.transaction((tx) =>
      tx
        .updateTable('api_keys')
        .set({ scopes: ['conversions:read'] })
        .where('id', '=', both.id)
        .execute(),
    );
  const caught = await ask();
  expect([caught.statusCode, caught.json().error.code]).toEqual([403, 'insufficient_scope']);
  expect(caught.body).not.toContain('Eva');
  meanwhile = async () => {};
  expect((await ask()).json().data).toEqual({ name: null });

  const log = await kit.app
    .forWorkspace(workspaceId)
    .transaction((tx) => tx.selectFrom('pii_access_log').select('result').orderBy('id').execute());
  expect(log.map(({ result }) => result)).toEqual(['served', 'served', 'refused', 'served']);
});
