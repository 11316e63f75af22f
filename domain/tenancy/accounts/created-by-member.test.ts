import { type BuiltMember, buildAssistant, buildMember, buildProfile, openTest } from '@tributary/testkit';
import { v7 as uuid } from 'uuid';
import { beforeEach, describe, expect, test } from 'vitest';

const { kit, api } = await openTest();
kit.clock.set(new Date());
let workspaceId: string;
let profileId: string;
let owner: BuiltMember;
let admin: BuiltMember;
beforeEach(async () => {
  ({ id: profileId, workspaceId } = await buildProfile(kit.app));
  owner = await buildMember(kit.app, workspaceId, 'owner');
  admin = await buildMember(kit.app, workspaceId, 'admin');
});

type Method = 'GET' | 'POST' | 'DELETE';
const call = async (method: Method, url: string, headers: Record<string, string>, body?: object) => {
  const response = await api.fastify.inject({
    method,
    url: `/api/v1${url}`,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { payload: JSON.stringify(body) }),
  });
  const answer = response.json();
  return { status: response.statusCode, body: answer, data: answer.data, code: answer.error?.code };
};
const create = async (url: string, by: BuiltMember, body: object, of = profileId) => {
  const { status, data } = await call('POST', url, by.headers({ profileId: of }), body);
  expect(status).toBe(201);
  return data;
};
const createKey = (by = admin, of = profileId) => create('/keys', by, { name: 'Shop', scopes: ['campaigns:read'] }, of);
const createLink = (by = admin) =>
  create('/shared-views', by, { name: 'June', page: 'campaigns', date_from: '2026-06-01', date_to: '2026-06-30' });
const createMail = (by = admin) =>
  create('/report-mails', by, { page: 'overview', every: 'week', language: 'en', recipients: [owner.userId] });
const invite = (by = admin) => create(`/workspaces/${workspaceId}/invitations`, by, { role: 'viewer' });
const list = (who: BuiltMember, by = owner) =>
  call('GET', `/workspaces/${workspaceId}/members/${who.userId}/created`, by.headers());
const remove = (who: BuiltMember, body?: object, by = owner) =>
  call('DELETE', `/workspaces/${workspaceId}/members/${who.userId}`, by.headers(), body);
const statusOf = async (secret: string, url = '/profile') =>
  (await call('GET', url, { authorization: `Bearer ${secret}` })).status;
const nameOf = ({ userId, email }: BuiltMember) => ({ kind: 'user', id: userId, name: 'Person person.test', email });

describe('created_by', () => {
  test('keys, links, report subscriptions and invitations name their creator, even after the creator left', async () => {
    const created = [await createKey(), await createLink(), await createMail(), await invite()];
    expect(created.map(({ created_by }) => created_by)).toEqual(created.map(() => nameOf(admin)));
    expect((await remove(admin)).status).toBe(200);
    for (const url of ['/keys', '/shared-views', '/report-mails', `/workspaces/${workspaceId}/invitations`]) {
      const { data } = await call('GET', url, owner.headers({ profileId }));
      expect(data, url).toMatchObject([{ created_by: nameOf(admin) }]);
    }
  });
});

describe('GET created', () => {
  test('lists only what the member created, in all profiles, newest first', async () => {
    const { id: second } = await buildProfile(kit.app, { workspaceId });
    await createKey(owner);
    const key = await createKey(admin, second);
    kit.clock.advance(1_000);
    const link = await createLink();
    kit.clock.advance(1_000);
    const mail = await createMail();
    kit.clock.advance(1_000);
    const invitation = await invite();
    await buildAssistant(kit.app, admin, profileId);
    const { data, body } = await list(admin);
    expect(data.filter(({ kind }: { kind: string }) => kind !== 'assistant')).toEqual([
      expect.objectContaining({ kind: 'invitation', id: invitation.id, profile_id: null, name: 'viewer' }),
      expect.objectContaining({ kind: 'report_mail', id: mail.id, profile_id: profileId, name: 'overview' }),
      expect.objectContaining({ kind: 'shared_view', id: link.id, name: 'June' }),
      expect.objectContaining({ kind: 'api_key', id: key.id, profile_id: second, profile_name: expect.any(String) }),
    ]);
    expect(data.map(({ kind }: { kind: string }) => kind)).toContain('assistant');
    expect(body.meta.has_more).toBe(false);
  });

  test('omits revoked items and those in another workspace', async () => {
    const { id: foreign, workspaceId: elsewhere } = await buildProfile(kit.app);
    await kit.app
      .forWorkspace(elsewhere)
      .transaction((tx) =>
        tx
          .insertInto('members')
          .values({ workspace_id: elsewhere, user_id: admin.userId, role: 'admin', created_at: new Date() })
          .execute(),
      );
    await createKey(admin, foreign);
    const { id } = await createKey();
    await call('DELETE', `/keys/${id}`, owner.headers({ profileId }));
    expect((await list(admin)).data).toEqual([]);
  });

  test('403: analysts and viewers can read only their own list', async () => {
    const viewer = await buildMember(kit.app, workspaceId, 'viewer');
    expect((await list(admin, viewer)).code).toBe('forbidden');
    expect((await list(viewer, viewer)).status).toBe(200);
  });

  test('404: for a user of another workspace and an unknown id', async () => {
    const foreignMember = await buildMember(kit.app, (await buildProfile(kit.app)).workspaceId);
    expect((await list(foreignMember)).code).toBe('not_found');
    expect((await call('GET', `/workspaces/${workspaceId}/members/${uuid()}/created`, owner.headers())).status).toBe(
      404,
    );
  });
});

describe('DELETE member', () => {
  test('revoke_created revokes what the member created and nothing else', async () => {
    const { id: second } = await buildProfile(kit.app, { workspaceId });
    const [key, otherKey, ownersKey] = [await createKey(), await createKey(admin, second), await createKey(owner)];
    const link = await createLink();
    await createMail();
    await invite();
    await buildAssistant(kit.app, admin, profileId);
    expect((await remove(admin, { revoke_created: true })).status).toBe(200);
    expect(await statusOf(key.key)).toBe(401);
    expect(await statusOf(otherKey.key)).toBe(401);
    expect(await statusOf(link.url.split('#')[1], '/shared-view')).toBe(401);
    expect(await statusOf(ownersKey.key)).toBe(200);
    expect((await call('GET', '/report-mails', owner.headers({ profileId }))).data).toEqual([]);
    const open = await call('GET', `/workspaces/${workspaceId}/invitations`, owner.headers());
    expect(open.data).toMatchObject([{ status: 'revoked' }]);
    expect((await call('GET', '/account/assistants', admin.headers())).data).toEqual([]);
  });

  test('without revoke_created the keys stay valid', async () => {
    const { key } = await createKey();
    expect((await remove(admin)).status).toBe(200);
    expect(await statusOf(key)).toBe(200);
  });

  test('the audit log contains the revoked items', async () => {
    const { id } = await createKey();
    await remove(admin, { revoke_created: true });
    const { detail } = await kit.app
      .forWorkspace(workspaceId)
      .transaction((tx) =>
        tx.selectFrom('audit_log').select('detail').where('action', '=', 'member.removed').executeTakeFirstOrThrow(),
      );
    expect(detail).toEqual({ revoked: [`api_key:${id}`] });
  });
});
