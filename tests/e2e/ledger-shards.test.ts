import { writeAudit } from '@tributary/domain/tenancy/accountability/module.ts';
import { addMember } from '@tributary/domain/tenancy/accounts/module.ts';
import { mintSecret } from '@tributary/domain/tenancy/credentials/module.ts';
import { createProfileByOperator, createWorkspaceByOperator } from '@tributary/domain/tenancy/tenants/module.ts';
import { createOperator } from '@tributary/operations';
import { createPostgres, joinShards, type Postgres } from '@tributary/postgres';
import {
  buildApiKey,
  buildAssistant,
  buildMember,
  buildProfile,
  farShard,
  openApi,
  openTestkit,
  operatorOf,
  paymentEvent,
  type TestApi,
  type Testkit,
  testPassword,
} from '@tributary/testkit';
import { homeShard } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** A deployment with two ledger servers: workspaces on the far one, accounts on the home one. */
let kit: Testkit;
let api: TestApi;
let [home, far] = [] as unknown as [Postgres, Postgres];

beforeAll(async () => {
  kit = await openTestkit(true);
  api = await openApi(kit);
  home = kit.owner.shards.get(homeShard) as Postgres;
  far = kit.owner.shards.get(farShard) as Postgres;
});
afterAll(async () => {
  await api.close();
  await kit.close();
});

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
async function call(method: Method, url: string, headers: Record<string, string>, body?: object, through = api) {
  const { statusCode: status, ...answer } = await through.call({
    method,
    url,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { payload: JSON.stringify(body) }),
  });
  return { status, body: answer.body === '' ? undefined : answer.json(), headers: answer.headers };
}

const count = async (shard: Postgres, table: string, where: string, id: string): Promise<number> => {
  const { rows } = await shard.unbound.query(
    sql<{ n: number }>`SELECT count(*)::int AS n FROM ${sql.table(table)} WHERE ${sql.ref(where)} = ${id}`,
  );
  return rows[0]?.n ?? 0;
};
const whereIs = async (table: string, where: string, id: string) => ({
  home: await count(home, table, where, id),
  far: await count(far, table, where, id),
});

const outcome = () => paymentEvent({ customer: uuid() });

/** A workspace that the operator created on the home server. */
async function atHome() {
  const operator = operatorOf(kit);
  const workspaceId = await createWorkspaceByOperator(operator, { name: 'At home', plan: 'scale' });
  const profile = { workspace_id: workspaceId, name: 'Shop', privacy_mode: 'standard' as const };
  return { workspaceId, id: await createProfileByOperator(operator, profile) };
}

describe('a workspace on another server', () => {
  test('works there: its key is accepted, and its events are stored beside it', async () => {
    const { id } = await buildProfile(kit.app);
    const { headers } = await buildApiKey(kit.app, id);
    expect((await call('POST', '/api/v1/events', headers, outcome())).status).toBe(202);
    expect(await whereIs('outcomes', 'profile_id', id)).toEqual({ home: 0, far: 1 });
    expect(await whereIs('api_keys', 'profile_id', id)).toEqual({ home: 0, far: 1 });
  });

  test('rejects a revoked key from the next request on', async () => {
    const { id } = await buildProfile(kit.app);
    const key = await buildApiKey(kit.app, id);
    expect((await call('GET', '/api/v1/profile', key.headers)).status).toBe(200);
    await far.unbound.query(sql`UPDATE api_keys SET revoked_at = now() WHERE id = ${key.id}`);
    expect((await call('GET', '/api/v1/profile', key.headers)).status).toBe(401);
  });

  test('is created on the server that the operator names, and an unknown server is an error', async () => {
    const operator = operatorOf(kit);
    const id = await createWorkspaceByOperator(operator, { name: 'Far', plan: 'scale' }, farShard);
    expect(await whereIs('workspaces', 'id', id)).toEqual({ home: 0, far: 1 });
    expect(await whereIs('audit_log', 'workspace_id', id)).toEqual({ home: 0, far: 1 });
    await expect(createWorkspaceByOperator(operator, { name: 'Lost', plan: 'scale' }, 'moon')).rejects.toThrow(
      'There is no ledger shard "moon" but home, far.',
    );
  });
});

describe('members', () => {
  test('act in workspaces of both servers, and see both listed by name', async () => {
    const [there, here] = [await buildProfile(kit.app), await atHome()];
    const member = await buildMember(kit.app, there.workspaceId, 'owner');
    const email = member.email;
    await addMember({ operator: operatorOf(kit) }, { workspaceId: here.workspaceId, email, role: 'viewer' });
    const { body } = await call('GET', '/api/v1/account', member.headers());
    expect(body.data.memberships.map((one: { workspace_name: string; role: string }) => one)).toMatchObject([
      { workspace_name: 'At home', role: 'viewer', profiles: [{ id: here.id }] },
      { workspace_name: 'Test workspace', role: 'owner', profiles: [{ id: there.id }] },
    ]);
    for (const profileId of [there.id, here.id])
      expect((await call('GET', '/api/v1/profile', member.headers({ profileId }))).status).toBe(200);
  });

  test('disclose personal data of a profile there through its gate, and its log records it', async () => {
    const { id, workspaceId } = await buildProfile(kit.app);
    const member = await buildMember(kit.app, workspaceId, 'owner');
    const { headers } = await buildApiKey(kit.app, id);
    const sent = { ...outcome(), user_traits: { external_id: uuid(), email: `${id}@shop.test` } };
    await call('POST', '/api/v1/events', headers, sent);
    const search = `/api/v1/customers/search?q=${encodeURIComponent(sent.user_traits.email)}`;
    const { status, body } = await call('GET', search, member.headers({ profileId: id }));
    expect([status, body.data.length]).toEqual([200, 1]);
    const log = await kit.app
      .forWorkspace(workspaceId)
      .transaction((tx) => tx.selectFrom('pii_access_log').select(['operation', 'people', 'result']).execute());
    expect(log).toEqual([{ operation: 'searchCustomers', people: 1, result: 'served' }]);
  });

  test('lose access there when they are removed or sign out', async () => {
    const { id, workspaceId } = await buildProfile(kit.app);
    const [left, out] = [await buildMember(kit.app, workspaceId), await buildMember(kit.app, workspaceId)];
    const leaving = { method: 'DELETE', url: `/api/v1/workspaces/${workspaceId}/members/${left.userId}` } as const;
    const body = { current_password: testPassword };
    expect((await call(leaving.method, leaving.url, out.headers({ workspaceId }), body)).status).toBe(200);
    expect((await call('GET', '/api/v1/profile', left.headers({ profileId: id }))).status).toBe(404);
    await home.unbound.query(sql`DELETE FROM sessions WHERE user_id = ${out.userId}`);
    expect((await call('GET', '/api/v1/profile', out.headers({ profileId: id }))).status).toBe(401);
  });

  test('list and revoke what a member created there, including assistants at home', async () => {
    const { id, workspaceId } = await buildProfile(kit.app);
    const [owner, admin] = [await buildMember(kit.app, workspaceId), await buildMember(kit.app, workspaceId, 'admin')];
    const { body: made } = await call('POST', '/api/v1/keys', admin.headers({ profileId: id }), {});
    await buildAssistant(kit.app, admin, id);
    const url = `/api/v1/workspaces/${workspaceId}/members/${admin.userId}`;
    const { body: listed } = await call('GET', `${url}/created`, owner.headers({ workspaceId }));
    expect(listed.data.map(({ kind }: { kind: string }) => kind).sort()).toEqual(['api_key', 'assistant']);
    const removed = await call('DELETE', url, owner.headers({ workspaceId }), { revoke_created: true });
    expect(removed.status).toBe(200);
    const key = { authorization: `Bearer ${made.data.key}` };
    expect((await call('GET', '/api/v1/profile', key)).status).toBe(401);
    expect((await call('GET', '/api/v1/account/assistants', admin.headers())).body.data).toEqual([]);
  });

  test('delete a workspace there with the password, which is stored at home, and restore it', async () => {
    const { id, workspaceId } = await buildProfile(kit.app);
    const owner = await buildMember(kit.app, workspaceId);
    const { headers } = await buildApiKey(kit.app, id);
    const body = { current_password: testPassword };
    const url = `/api/v1/workspaces/${workspaceId}`;
    expect((await call('DELETE', url, owner.headers({ workspaceId }), body)).status).toBe(200);
    expect((await call('GET', '/api/v1/profile', headers)).status).toBe(401);
    const { body: deleted } = await call('GET', '/api/v1/account/deleted-workspaces', owner.headers());
    expect(deleted.data).toMatchObject([{ id: workspaceId }]);
    const restore = `/api/v1/account/deleted-workspaces/${workspaceId}/restore`;
    expect((await call('POST', restore, owner.headers(), {})).status).toBe(200);
    expect((await call('GET', '/api/v1/profile', headers)).status).toBe(200);
  });

  const invite = async (workspaceId: string, email: string) => {
    const owner = await buildMember(kit.app, workspaceId, 'owner');
    const url = `/api/v1/workspaces/${workspaceId}/invitations`;
    const { body } = await call('POST', url, owner.headers({ workspaceId }), { role: 'analyst', email });
    return body.data.token as string;
  };
  const ours = { 'sec-fetch-site': 'same-origin' };

  test('join there by an invitation, with a new account at home', async () => {
    const { id, workspaceId } = await buildProfile(kit.app);
    const email = `${uuid()}@new.test`;
    const token = await invite(workspaceId, email);
    const newcomer = { token, name: 'New', email, password: 'a long enough password' };
    const { status, body, headers } = await call('POST', '/api/v1/invitations/accept', ours, newcomer);
    expect(status).toBe(201);
    const userId = body.data.user_id;
    expect(await whereIs('users', 'id', userId)).toEqual({ home: 1, far: 1 });
    expect(await whereIs('accounts', 'user_id', userId)).toEqual({ home: 1, far: 0 });
    expect(await whereIs('members', 'user_id', userId)).toEqual({ home: 0, far: 1 });
    const cookie = String(headers['set-cookie']).split(';')[0] as string;
    expect((await call('GET', '/api/v1/profile', { ...ours, cookie, 'x-profile-id': id })).status).toBe(200);
  });

  test('join there by an invitation while signed in to a workspace at home', async () => {
    const [there, here] = [await buildProfile(kit.app), await atHome()];
    const member = await buildMember(kit.app, here.workspaceId, 'owner');
    const token = await invite(there.workspaceId, member.email);
    const acting = member.headers({ profileId: here.id });
    expect((await call('POST', '/api/v1/invitations/accept', acting, { token })).status).toBe(201);
    expect((await call('GET', '/api/v1/profile', member.headers({ profileId: there.id }))).status).toBe(200);
    expect(await whereIs('members', 'user_id', member.userId)).toEqual({ home: 1, far: 1 });
  });

  test('an invitation for another address creates no account', async () => {
    const { workspaceId } = await buildProfile(kit.app);
    const token = await invite(workspaceId, `${uuid()}@right.test`);
    const email = `${uuid()}@wrong.test`;
    const newcomer = { token, name: 'New', email, password: 'a long enough password' };
    const { status } = await call('POST', '/api/v1/invitations/accept', ours, newcomer);
    expect([status, await whereIs('users', 'email', email)]).toEqual([403, { home: 0, far: 0 }]);
  });

  test('an assistant that was authorized for a profile there can read it until it is revoked', async () => {
    const { id, workspaceId } = await buildProfile(kit.app);
    const member = await buildMember(kit.app, workspaceId, 'owner');
    const { headers } = await buildAssistant(kit.app, member, id);
    expect((await call('GET', '/api/v1/profile', headers)).body.data.id).toBe(id);
    // The account's own resources are the same in every scope.
    for (const place of [{}, { profileId: id }])
      expect((await call('GET', '/api/v1/account/sessions', member.headers(place))).body.data).toHaveLength(1);
    const acting = member.headers({ profileId: id });
    const [assistant] = (await call('GET', '/api/v1/account/assistants', acting)).body.data;
    expect((await call('DELETE', `/api/v1/account/assistants/${assistant.id}`, acting)).status).toBe(200);
    expect((await call('GET', '/api/v1/profile', headers)).status).toBe(401);
    expect(await whereIs('audit_log', 'workspace_id', workspaceId)).toEqual({ home: 0, far: 1 });
  });
});

describe('apps', () => {
  test('work on both servers, and create profiles in a workspace there', async () => {
    const app = await api.registerApp();
    expect(await whereIs('apps', 'id', app.clientId)).toEqual({ home: 1, far: 1 });
    const { workspaceId } = await buildProfile(kit.app);
    await far.unbound.query(sql`UPDATE workspaces SET provisioned_by = ${app.clientId} WHERE id = ${workspaceId}`);
    const profile = { workspace_id: workspaceId, name: 'Shop' };
    const headers = { ...(await app.token()), 'idempotency-key': uuid() };
    const made = await call('POST', '/api/v1/profiles', headers, profile);
    expect(made.status).toBe(201);
    const again = await call('POST', '/api/v1/profiles', headers, profile);
    expect(again.body).toEqual(made.body);
    const { id } = made.body.data;
    expect(await whereIs('profiles', 'id', id)).toEqual({ home: 0, far: 1 });
    await call('PUT', `/api/v1/profiles/${id}/entitlements/atribu_attribution`, await app.token(), { enabled: true });
    await call('PUT', `/api/v1/profiles/${id}/grant`, await app.token(), { scopes: ['analytics'] });
    const bound = await app.token(id);
    expect((await call('GET', '/api/v1/profile', bound)).status).toBe(200);
    expect(await whereIs('app_tokens', 'profile_id', id)).toEqual({ home: 0, far: 1 });
  });
});

describe('an unreachable server', () => {
  /** The same home server, and a far server at a port that nothing listens on. */
  async function withoutFar(work: (through: TestApi) => Promise<void>) {
    const nowhere = kit.database.appUrl.replace(/@[^/]*/, '@127.0.0.1:9');
    const single = kit.app.shards.get(homeShard) as Postgres;
    const lost = createPostgres({ url: nowhere, poolSize: 1 });
    const through = await openApi(kit, {
      postgres: joinShards(new Map(Object.entries({ [homeShard]: single, [farShard]: lost }))),
    });
    try {
      await work(through);
    } finally {
      await through.close();
      await lost.close();
    }
  }

  test('is not mistaken for a server without the key, and the others keep working', async () => {
    const [there, here] = [await buildProfile(kit.app), await atHome()];
    const [lost, validKey] = [await buildApiKey(kit.app, there.id), await buildApiKey(kit.app, here.id)];
    const stranger = { authorization: `${validKey.headers.authorization.slice(0, -8)}00000000` };
    await withoutFar(async (through) => {
      const statusOf = async (headers: Record<string, string>) =>
        (await call('GET', '/api/v1/profile', headers, undefined, through)).status;
      expect(await statusOf(validKey.headers)).toBe(200);
      expect(await statusOf(lost.headers)).toBe(503);
      expect(await statusOf(stranger)).not.toBe(200);
      const invitation = {
        token: mintSecret('invitation'),
        name: 'New',
        email: 'a@new.test',
        password: 'long enough 1',
      };
      const accepting = await call('POST', '/api/v1/invitations/accept', {}, invitation, through);
      expect(accepting.status).toBe(503);
      const { status, body } = await call('GET', '/readyz', {}, undefined, through);
      expect([status, body.status]).toEqual([200, 'degraded']);
      expect(JSON.stringify(body)).toContain('ledger_far');
    });
  });
});

test('an unknown key is looked up at home, and found once it exists', async () => {
  const id = uuid();
  expect(await kit.app.shardOf(id)).toBe(kit.app.home);
  const operator = createOperator({ app: kit.app, owner: kit.owner, audit: writeAudit, now: () => kit.clock.now() });
  const workspaceId = await createWorkspaceByOperator(operator, { name: 'New', plan: 'scale' }, farShard);
  expect(await kit.app.shardOf(workspaceId)).toBe(kit.app.shards.get(farShard));
});
