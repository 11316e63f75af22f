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
import { dayMs } from '@tributary/vocabulary';
import { beforeEach, expect, test } from 'vitest';
import { type DeletionStores, deleteTenantStep } from './delete-tenant-step.ts';
import { tenantDeletions } from './deletions.queue.ts';
import { archiveWorkspaceByOperator } from './module.ts';

const { kit, api } = await openTest();
const { signal } = new AbortController();
let workspaceId: string;
let profileId: string;
let owner: BuiltMember;
let secret: string;
beforeEach(async () => {
  kit.clock.set(new Date());
  ({ id: profileId, workspaceId } = await buildProfile(kit.app));
  owner = await buildMember(kit.app, workspaceId, 'owner');
  ({ secret } = await buildApiKey(kit.app, profileId));
});

async function call(method: 'GET' | 'POST' | 'DELETE', url: string, headers: Record<string, string>, payload?: object) {
  const response = await api.fastify.inject({
    method,
    url: `/api/v1${url}`,
    headers: { ...headers, ...(method !== 'GET' && { 'content-type': 'application/json' }) },
    ...(payload && { payload }),
  });
  const body = response.json();
  return { status: response.statusCode, data: body.data, code: body.error?.code };
}
const password = { current_password: testPassword };
const remove = (body?: object, by = owner) => call('DELETE', `/workspaces/${workspaceId}`, by.headers(), body);
const restore = (by = owner) => call('POST', `/account/deleted-workspaces/${workspaceId}/restore`, by.headers());
const deleted = async (by = owner) => (await call('GET', '/account/deleted-workspaces', by.headers())).data;
const read = async () => (await call('GET', '/profile', { authorization: `Bearer ${secret}` })).status;
const profiles = async () => (await call('GET', `/workspaces/${workspaceId}/profiles`, owner.headers())).data;

const stores: DeletionStores = {
  app: kit.app,
  system: kit.system,
  log: { end: async () => '7', consumedThrough: async () => '7' },
  forgetColumns: async () => 0,
  forgetLetters: async () => 0,
  now: () => kit.clock.now(),
};
const step = (id: string) => deleteTenantStep(stores, id, signal);
const isWaiting = async () => (await tenantDeletions(stores).load(workspaceId, 1, signal)).items.length === 0;
const workspaceRows = () =>
  kit.app
    .forWorkspace(workspaceId)
    .transaction((tx) => tx.selectFrom('workspaces').select('id').where('id', '=', workspaceId).execute());

test('400: a session cannot delete a workspace or profile without the password', async () => {
  for (const url of [`/workspaces/${workspaceId}`, `/workspaces/${workspaceId}/profiles/${profileId}`]) {
    expect((await call('DELETE', url, owner.headers())).code).toBe('current_password_required');
    const wrong = await call('DELETE', url, owner.headers(), { current_password: 'another otter lamp' });
    expect([wrong.status, wrong.code]).toEqual([400, 'current_password_invalid']);
  }
  expect(await read()).toBe(200);
});

test('a deleted workspace is inaccessible for seven days and unchanged once restored', async () => {
  const until = new Date(kit.clock.now().getTime() + 7 * dayMs).toISOString();
  expect((await remove(password)).data).toEqual({ id: workspaceId, deleted: true, restorable_until: until });
  expect(await read()).toBe(401);
  expect((await call('GET', '/profile', owner.headers({ profileId }))).status).toBe(404);
  expect((await call('GET', '/account', owner.headers())).data.memberships).toEqual([]);
  expect(await deleted()).toMatchObject([{ id: workspaceId, restorable_until: until }]);

  kit.clock.advance(7 * dayMs - 1_000);
  expect(await isWaiting()).toBe(true);
  expect(await step(workspaceId)).toBe('again');
  expect((await restore()).data).toMatchObject({ id: workspaceId });
  expect(await read()).toBe(200);
  expect(await deleted()).toEqual([]);
  expect(await step(workspaceId)).toBe('done');
  const actions = (await auditEntries(kit, { workspaceId })).map(({ action }) => action);
  expect(actions).toContain('workspace.restored');
});

test('restoring a workspace does not restore profiles archived or deleted before it', async () => {
  const archived = await buildProfile(kit.app, { workspaceId });
  const gone = await buildProfile(kit.app, { workspaceId });
  await call('POST', `/workspaces/${workspaceId}/profiles/${archived.id}/archive`, owner.headers());
  await call('DELETE', `/workspaces/${workspaceId}/profiles/${gone.id}`, owner.headers(), password);
  kit.clock.advance(1_000);
  await remove(password);
  await restore();
  const listed: { id: string; archived_at: string | null }[] = await profiles();
  expect(listed.map(({ id, archived_at: at }) => [id, at !== null]).sort()).toEqual(
    [
      [profileId, false],
      [archived.id, true],
    ].sort(),
  );
});

test('removes a workspace after seven days, when it can no longer be restored', async () => {
  await remove(password);
  kit.clock.advance(7 * dayMs);
  expect(await deleted()).toEqual([]);
  expect((await restore()).status).toBe(404);
  expect(await isWaiting()).toBe(false);
  expect(await step(workspaceId)).toBe('again');
  expect(await step(profileId)).toBe('emptied');
  expect(await step(workspaceId)).toBe('done');
  expect(await workspaceRows()).toEqual([]);
});

test('removes a workspace at once with delete_now', async () => {
  expect((await remove({ ...password, delete_now: true })).data.restorable_until).toBeNull();
  expect(await deleted()).toEqual([]);
  expect((await restore()).status).toBe(404);
  expect(await step(profileId)).toBe('emptied');
  expect(await step(workspaceId)).toBe('done');
  expect(await workspaceRows()).toEqual([]);
});

test('the operator can remove a workspace at once after its owner deleted it', async () => {
  await remove(password);
  await archiveWorkspaceByOperator(operatorOf(kit), workspaceId);
  expect((await restore()).status).toBe(404);
  expect(await step(profileId)).toBe('emptied');
});

test('404: only an owner can list and restore a deleted workspace', async () => {
  const admin = await buildMember(kit.app, workspaceId, 'admin');
  const foreignOwner = await buildMember(kit.app, (await buildProfile(kit.app)).workspaceId);
  expect((await remove(password, admin)).code).toBe('forbidden');
  await remove(password);
  for (const who of [admin, foreignOwner]) {
    expect(await deleted(who)).toEqual([]);
    expect((await restore(who)).code).toBe('not_found');
  }
});

test('two concurrent restores succeed once', async () => {
  await remove(password);
  const both = await Promise.all([restore(), restore()]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 404]);
});
