import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { anyOf, data, route } from '@tributary/contract';
import type { Ledger } from '@tributary/postgres';
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

/** Returns the name only to callers with customers:read. */
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
let duringHandler: () => Promise<unknown> = async () => {};
beforeAll(async () => {
  kit = await openTestkit();
  server = await serve(kit, [
    served(either, async (_input, { caller }) => {
      const name = caller.scopes.has('customers:read') ? 'Eva' : null;
      await duringHandler();
      return answer(200, { data: { name } });
    }),
  ]);
});
afterAll(async () => {
  await server.close();
  await kit.close();
});

test('an answer built for a scope is refused once the scope is lost, even if another scope admits the call', async () => {
  const { id: profileId, workspaceId } = await buildProfile(kit.app);
  const ledger = kit.app.forProfile(profileId);
  const both = await buildApiKey(kit.app, profileId, { scopes: ['conversions:read', 'customers:read'] });
  const ask = () => server.fastify.inject({ url: '/api/v1/either', headers: both.headers });
  expect((await ask()).json().data).toEqual({ name: 'Eva' });

  duringHandler = () =>
    ledger.transaction((tx) =>
      tx
        .updateTable('api_keys')
        .set({ scopes: ['conversions:read'] })
        .where('id', '=', both.id)
        .execute(),
    );
  const response = await ask();
  expect([response.statusCode, response.json().error.code]).toEqual([403, 'insufficient_scope']);
  expect(response.body).not.toContain('Eva');
  duringHandler = async () => {};
  expect((await ask()).json().data).toEqual({ name: null });

  const log = await kit.app
    .forWorkspace(workspaceId)
    .transaction((tx) => tx.selectFrom('pii_access_log').select('result').orderBy('id').execute());
  expect(log.map(({ result }) => result)).toEqual(['served', 'served', 'refused', 'served']);
});

test('a caller that hangs up before the answer is ready does not delay a privacy switch', async () => {
  const { id: profileId, workspaceId } = await buildProfile(kit.app);
  const { headers } = await buildApiKey(kit.app, profileId, { scopes: ['customers:read'] });
  const [requested, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  duringHandler = () => {
    requested.resolve();
    return gone.promise;
  };
  await server.fastify.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.fastify.server.address() as AddressInfo;
  const connection = connect(port, '127.0.0.1');
  const closed = new Promise<void>((resolve) => {
    server.fastify.server.once('connection', (socket) => socket.once('close', () => resolve()));
  });
  connection.write(`GET /api/v1/either HTTP/1.1\r\nhost: test\r\nauthorization: ${headers.authorization}\r\n\r\n`);
  await requested.promise;
  connection.destroy();
  await Promise.all([closed, once(connection, 'close')]);
  gone.resolve();
  duringHandler = async () => {};
  const served = () =>
    kit.app
      .forWorkspace(workspaceId)
      .transaction((tx) => tx.selectFrom('pii_access_log').select('result').execute())
      .then((rows) => rows.length);
  await expect.poll(served).toBe(1);

  const startedAt = performance.now();
  await kit.app
    .forProfile(profileId)
    .transaction((tx) => tx.updateTable('profiles').set({ privacy_mode: 'hipaa' }).execute());
  // A connected caller would delay it for five seconds.
  expect(performance.now() - startedAt).toBeLessThan(4_500);
});

test('an answer delayed too long by a privacy switch is 503, regardless of who switches', async () => {
  const askDuringSwitch = async (getLedger: (profileId: string) => Ledger) => {
    const { id: profileId } = await buildProfile(kit.app);
    const { headers } = await buildApiKey(kit.app, profileId, { scopes: ['customers:read'] });
    const [switched, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const isSwitched = getLedger(profileId).transaction(async (tx) => {
      await tx.updateTable('profiles').set({ privacy_mode: 'platform_safe' }).where('id', '=', profileId).execute();
      switched.resolve();
      await done.promise;
    });
    await switched.promise;
    const response = await server.fastify.inject({ url: '/api/v1/either', headers });
    done.resolve();
    await isSwitched;
    return [response.statusCode, response.json().error?.code];
  };
  // An operator who changes the database by hand has no tenant scope.
  const answers = await Promise.all([askDuringSwitch(kit.app.forProfile), askDuringSwitch(() => kit.owner.unbound)]);
  expect(answers).toEqual([
    [503, 'service_unavailable'],
    [503, 'service_unavailable'],
  ]);
});
