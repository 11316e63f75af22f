import { setPlanByOperator } from '@tributary/domain/tenancy/tenants/module.ts';
import {
  auditEntries,
  type BuiltMember,
  buildApiKey,
  buildMember,
  buildProfile,
  openTest,
  operatorOf,
  testPassword,
} from '@tributary/testkit';
import { v7 as uuid } from 'uuid';
import { beforeEach, expect, test } from 'vitest';

const { kit, api } = await openTest();
kit.clock.set(new Date());
let workspaceId: string;
let profileId: string;
let owner: BuiltMember;
beforeEach(async () => {
  ({ id: profileId, workspaceId } = await buildProfile(kit.app));
  owner = await buildMember(kit.app, workspaceId, 'owner');
});

async function call(
  method: 'GET' | 'POST' | 'DELETE',
  url: string,
  credential: Record<string, string> = owner.headers(),
) {
  const headers = { ...credential, ...(method !== 'GET' && { 'content-type': 'application/json' }) };
  const payload = method === 'DELETE' ? { current_password: testPassword } : undefined;
  const response = await api.fastify.inject({ method, url: `/api/v1${url}`, headers, ...(payload && { payload }) });
  return { status: response.statusCode, body: response.json() };
}
const profiles = () => `/workspaces/${workspaceId}/profiles`;
const act = (action: 'archive' | 'restore', headers = owner.headers(), id = profileId) =>
  call('POST', `${profiles()}/${id}/${action}`, headers);
const list = async () => (await call('GET', profiles())).body.data as { id: string; archived_at: string | null }[];

test('200: an archived profile returns 401 or 404, stays in the list, and works again after it is restored', async () => {
  const { secret } = await buildApiKey(kit.app, profileId);
  const read = async () => (await call('GET', '/profile', { authorization: `Bearer ${secret}` })).status;
  expect(await read()).toBe(200);
  const archived = await act('archive');
  expect(archived).toMatchObject({ status: 200, body: { data: { id: profileId, name: expect.any(String) } } });
  expect(await read()).toBe(401);
  expect((await call('GET', '/profile', owner.headers({ profileId }))).status).toBe(404);
  expect(await list()).toEqual([expect.objectContaining({ id: profileId, archived_at: expect.any(String) })]);

  kit.clock.advance(60_000);
  expect((await act('archive')).body.data).toEqual(archived.body.data);
  expect((await act('restore')).body.data).toMatchObject({ id: profileId, archived_at: null });
  expect((await act('restore')).status).toBe(200);
  expect(await read()).toBe(200);
  const actions = (await auditEntries(kit, { workspaceId })).map(({ action }) => action);
  expect([...new Set(actions)]).toEqual(['profile.archived', 'profile.restored']);
});

test('200: lists profiles page by page, without those that are being deleted', async () => {
  const [second, third] = [await buildProfile(kit.app, { workspaceId }), await buildProfile(kit.app, { workspaceId })];
  await call('DELETE', `${profiles()}/${third.id}`);
  const first = await call('GET', `${profiles()}?limit=1`);
  expect(first.body.pagination.has_next).toBe(true);
  const next = await call('GET', `${profiles()}?limit=1&cursor=${first.body.pagination.cursor}`);
  expect(next.body.pagination.has_next).toBe(false);
  const ids = [...first.body.data, ...next.body.data].map(({ id }: { id: string }) => id);
  expect(ids.sort()).toEqual([profileId, second.id].sort());
});

test('200: deletes an archived profile, after which restoring or deleting it returns 404', async () => {
  await act('archive');
  expect((await call('DELETE', `${profiles()}/${profileId}`)).status).toBe(200);
  expect((await act('restore')).status).toBe(404);
  expect((await call('DELETE', `${profiles()}/${profileId}`)).status).toBe(404);
});

test('403: only an owner can archive and restore a profile', async () => {
  const admin = await buildMember(kit.app, workspaceId, 'admin');
  for (const action of ['archive', 'restore'] as const)
    expect(await act(action, admin.headers())).toMatchObject({ status: 403, body: { error: { code: 'forbidden' } } });
  expect((await call('GET', profiles(), admin.headers())).status).toBe(200);
});

test('404: a profile of another workspace returns the same response as an unknown id', async () => {
  const foreign = await buildProfile(kit.app);
  for (const action of ['archive', 'restore'] as const) {
    const responses = [];
    for (const id of [foreign.id, uuid()]) {
      const { status, body } = await act(action, owner.headers(), id);
      responses.push([status, body.error.code, body.error.message]);
    }
    expect(responses).toEqual([responses[0], responses[0]]);
    expect(responses[0]?.[0]).toBe(404);
  }
});

test('profile_limit_reached: restores a profile only while the plan has a free slot', async () => {
  await setPlanByOperator(operatorOf(kit), workspaceId, 'free');
  await act('archive');
  for (const _ of [1, 2, 3]) await buildProfile(kit.app, { workspaceId });
  expect((await act('restore')).body.error.code).toBe('profile_limit_reached');
  const [other] = (await list()).filter(({ archived_at: at }) => at === null);
  await act('archive', owner.headers(), other?.id);
  expect((await act('restore')).status).toBe(200);
});
