import type { Role } from '@tributary/contract';
import { setPlanByOperator } from '@tributary/domain/tenancy/tenants/module.ts';
import {
  auditEntries,
  type BuiltMember,
  buildMember,
  buildProfile,
  openTest,
  operatorOf,
  testPassword,
} from '@tributary/testkit';
import { plans } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { beforeEach, describe, expect, test } from 'vitest';

const { kit, api } = await openTest();
kit.clock.set(new Date());
let workspaceId: string;
let profileId: string;
let owner: BuiltMember;
beforeEach(async () => {
  ({ id: profileId, workspaceId } = await buildProfile(kit.app));
  owner = await buildMember(kit.app, workspaceId, 'owner');
});

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';
let callers = 0;
const next = () => {
  callers += 1;
  return callers;
};
const call = async (method: Method, url: string, headers: Record<string, string>, body?: unknown) => {
  const response = await api.fastify.inject({
    method,
    url: `/api/v1${url}`,
    headers: {
      ...headers,
      ...((body !== undefined || method === 'POST' || method === 'PATCH') && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { payload: JSON.stringify(body) }),
    remoteAddress: `2001:db8:${next().toString(16)}::3`,
  });
  const answer = response.json();
  return {
    status: response.statusCode,
    headers: response.headers,
    body: answer,
    code: answer.error?.code,
    reason: answer.error?.reason,
  };
};

const members = () => `/workspaces/${workspaceId}/members`;
const invitations = () => `/workspaces/${workspaceId}/invitations`;
const member = (role: Role) => buildMember(kit.app, workspaceId, role);
const invite = async (body: object = { role: 'analyst' }, by = owner) => {
  const answer = await call('POST', invitations(), by.headers(), body);
  return { ...answer, id: answer.body.data?.id as string, token: answer.body.data?.token as string };
};
const accept = (token: string, more: object = {}, headers: Record<string, string> = {}) =>
  call('POST', '/invitations/accept', headers, { token, ...more });
const newcomer = () => ({ name: 'Noa', email: `noa${next()}@example.com`, password: 'vague otter lamp' });

describe('profile and workspace of a member request', () => {
  test('200: uses the profile in X-Profile-Id', async () => {
    const { status, body } = await call('GET', '/profile', owner.headers({ profileId }));
    expect([status, body.data.id, body.meta.profile_id]).toEqual([200, profileId, profileId]);
  });

  test('404: a missing, foreign, unknown and malformed profile id return the same error', async () => {
    const foreign = await buildProfile(kit.app);
    const responses = [];
    for (const named of [undefined, foreign.id, uuid(), 'nonsense']) {
      const { status, body } = await call('GET', '/profile', owner.headers(named ? { profileId: named } : {}));
      const { request_id: _, ...error } = body.error;
      responses.push({ status, error });
    }
    expect(responses[0]).toMatchObject({ status: 404, error: { code: 'not_found' } });
    for (const answer of responses) expect(answer).toEqual(responses[0]);
  });

  test('404: a foreign, unknown and malformed workspace id return the same error', async () => {
    const foreign = await buildProfile(kit.app);
    const responses = [];
    for (const named of [foreign.workspaceId, uuid(), 'nonsense']) {
      const { status, body } = await call('GET', `/workspaces/${named}/members`, owner.headers({ profileId }));
      const { request_id: _, ...error } = body.error;
      responses.push({ status, error });
    }
    expect(responses[0]).toMatchObject({ status: 404, error: { code: 'not_found' } });
    for (const answer of responses) expect(answer).toEqual(responses[0]);
  });

  test('404: an archived workspace and its profiles', async () => {
    await archive();
    expect((await call('GET', members(), owner.headers())).status).toBe(404);
    expect((await call('GET', '/profile', owner.headers({ profileId }))).status).toBe(404);
  });

  test('403: [err-011] an insufficient role', async () => {
    const viewer = await member('viewer');
    const refused = await call('POST', invitations(), viewer.headers(), { role: 'viewer' });
    expect([refused.status, refused.code, refused.reason]).toEqual([403, 'forbidden', 'role']);
    expect((await call('GET', members(), viewer.headers())).status).toBe(200);
  });

  test('access to personal data depends on the role, also on a healthcare profile, and is logged', async () => {
    const { id } = await buildProfile(kit.app, { workspaceId, privacyMode: 'hipaa' });
    const [analyst, viewer] = [await member('analyst'), await member('viewer')];
    const search = (who: BuiltMember) => call('GET', '/customers/search?q=ana', who.headers({ profileId: id }));
    expect((await search(analyst)).status).toBe(200);
    const refused = await search(viewer);
    expect([refused.status, refused.code]).toEqual([403, 'insufficient_scope']);
    const rows = await kit.app
      .forWorkspace(workspaceId)
      .transaction((tx) => tx.selectFrom('pii_access_log').selectAll().orderBy('id').execute());
    expect(rows.map(({ actor_kind, actor_id, result }) => [actor_kind, actor_id, result])).toEqual([
      ['user', analyst.userId, 'served'],
      ['user', viewer.userId, 'refused'],
    ]);
  });

  test('X-Workspace-Id selects a workspace without profiles', async () => {
    const created = await call('POST', '/workspaces', owner.headers({ workspaceId }), { name: 'Second' });
    const second = created.body.data.id as string;
    const body = { workspace_id: second, name: 'First profile' };
    expect((await call('POST', '/profiles', owner.headers(), body)).code).toBe('insufficient_scope');
    expect((await call('POST', '/profiles', owner.headers({ workspaceId }), body)).status).toBe(404);
    expect((await call('POST', '/profiles', owner.headers({ workspaceId: second }), body)).status).toBe(201);
  });

  test('a changed role takes effect with the next request', async () => {
    const admin = await member('admin');
    expect((await call('GET', invitations(), admin.headers())).status).toBe(200);
    await call('PATCH', `${members()}/${admin.userId}`, owner.headers(), { role: 'viewer' });
    expect((await call('GET', invitations(), admin.headers())).status).toBe(403);
    await call('DELETE', `${members()}/${admin.userId}`, owner.headers());
    expect((await call('GET', members(), admin.headers())).status).toBe(404);
    expect((await call('GET', '/profile', admin.headers({ profileId }))).status).toBe(404);
  });
});

describe('GET members', () => {
  test('200: lists all members in pages', async () => {
    const analyst = await member('analyst');
    const first = await call('GET', `${members()}?limit=1`, analyst.headers());
    expect(first.body.pagination).toEqual({ has_next: true, cursor: expect.any(String) });
    const second = await call('GET', `${members()}?limit=1&cursor=${first.body.pagination.cursor}`, analyst.headers());
    const rows = [...first.body.data, ...second.body.data];
    expect(rows.map((row: { user_id: string; role: string }) => [row.user_id, row.role]).sort()).toEqual(
      [
        [owner.userId, 'owner'],
        [analyst.userId, 'analyst'],
      ].sort(),
    );
    expect(first.body.meta).toEqual({ workspace_id: workspaceId });
  });
});

describe('PATCH member', () => {
  const setRole = (who: BuiltMember, role: Role, by: BuiltMember) =>
    call('PATCH', `${members()}/${who.userId}`, by.headers(), { role, current_password: testPassword });

  test('200: changes the role', async () => {
    const analyst = await member('analyst');
    const { status, body } = await setRole(analyst, 'admin', owner);
    expect([status, body.data.role]).toEqual([200, 'admin']);
  });

  test('409: the last owner cannot be demoted', async () => {
    const { status, code, reason } = await setRole(owner, 'viewer', owner);
    expect([status, code, reason]).toEqual([409, 'invalid_state', 'last_owner']);
    expect((await setRole(owner, 'owner', owner)).status).toBe(200);
  });

  test('403: only an owner can promote or demote owners', async () => {
    const [admin, analyst] = [await member('admin'), await member('analyst')];
    expect((await setRole(analyst, 'owner', admin)).reason).toBe('role');
    expect((await setRole(owner, 'viewer', admin)).reason).toBe('role');
    expect((await setRole(analyst, 'viewer', admin)).status).toBe(200);
  });

  test('400: promoting and demoting an owner requires the current password', async () => {
    const [admin, other] = [await member('admin'), await member('owner')];
    for (const [who, role] of [
      [admin, 'owner'],
      [other, 'viewer'],
    ] as const) {
      const change = async (body: object) =>
        (await call('PATCH', `${members()}/${who.userId}`, owner.headers(), { role, ...body })).code;
      expect(await change({})).toBe('current_password_required');
      expect(await change({ current_password: 'another otter lamp' })).toBe('current_password_invalid');
      expect((await setRole(who, role, owner)).status).toBe(200);
    }
  });

  test('404: a user of another workspace', async () => {
    const elsewhere = await buildMember(kit.app, (await buildProfile(kit.app)).workspaceId);
    expect((await setRole(elsewhere, 'viewer', owner)).status).toBe(404);
  });

  test('two owners who demote each other concurrently leave one', async () => {
    const other = await member('owner');
    const both = await Promise.all([setRole(other, 'viewer', owner), setRole(owner, 'viewer', other)]);
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
    const rows = await kit.app
      .forWorkspace(workspaceId)
      .transaction((tx) => tx.selectFrom('members').select('role').execute());
    expect(rows.map(({ role }) => role).sort()).toEqual(['owner', 'viewer']);
  });
});

describe('DELETE member', () => {
  const remove = (who: BuiltMember, by: BuiltMember) =>
    call('DELETE', `${members()}/${who.userId}`, by.headers(), { current_password: testPassword });

  test('200: admins remove members, and members can leave', async () => {
    const [admin, analyst, viewer] = [await member('admin'), await member('analyst'), await member('viewer')];
    expect((await remove(analyst, admin)).body.data).toEqual({ id: analyst.userId, deleted: true });
    expect((await remove(viewer, viewer)).status).toBe(200);
  });

  test('403: viewers cannot remove members, and admins cannot remove owners', async () => {
    const [admin, viewer] = [await member('admin'), await member('viewer')];
    expect((await remove(admin, viewer)).reason).toBe('role');
    expect((await remove(owner, admin)).reason).toBe('role');
  });

  test('400: removing an owner requires the current password', async () => {
    const other = await member('owner');
    const bare = await call('DELETE', `${members()}/${other.userId}`, owner.headers());
    expect([bare.status, bare.code]).toEqual([400, 'current_password_required']);
    expect((await remove(other, owner)).status).toBe(200);
  });

  test('409: the last owner cannot leave', async () => {
    expect((await remove(owner, owner)).reason).toBe('last_owner');
  });
});

describe('POST invitations', () => {
  test('201: returns the link once and stores only its hash', async () => {
    const { status, body, token } = await invite({ role: 'analyst', email: 'Ben@Example.com' });
    expect(status).toBe(201);
    expect(token).toMatch(/^trib_inv_[0-9A-Za-z]{38}$/);
    const { url, ...rest } = body.data;
    expect(url).toBe(`https://tributary.test/invitation#${token}`);
    expect(rest).toMatchObject({
      role: 'analyst',
      email: 'ben@example.com',
      status: 'pending',
      created_by: { kind: 'user', id: owner.userId, name: 'Person person.test', email: owner.email },
    });
    expect(Date.parse(rest.expires_at) - Date.parse(rest.created_at)).toBe(7 * 86_400_000);
    const listed = await call('GET', invitations(), owner.headers());
    expect(JSON.stringify(listed.body)).not.toContain(token);
    expect(listed.body.data[0]).toMatchObject({ id: rest.id, status: 'pending' });
  });

  test('402: limits members and pending invitations to the seats of the plan [err-063]', async () => {
    const { members: seats, next: bigger } = plans.free;
    const { workspaceId: other } = await buildProfile(kit.app);
    const admin = await buildMember(kit.app, other, 'admin');
    const ask = () => call('POST', `/workspaces/${other}/invitations`, admin.headers(), { role: 'viewer' });
    await setPlanByOperator(operatorOf(kit), other, 'free');
    for (let seat = 1; seat < seats; seat += 1) expect((await ask()).status).toBe(201);
    const full = await ask();
    expect([full.status, full.code, full.body.error.upgrade]).toEqual([402, 'plan_upgrade_required', { plan: bigger }]);
    await setPlanByOperator(operatorOf(kit), other, bigger);
    expect((await ask()).status).toBe(201);
    const entries = await auditEntries(kit, { workspaceId: other });
    expect(entries.filter(({ action }) => action === 'workspace.plan_changed')).toMatchObject([
      { actor_kind: 'operator', detail: { plan: 'free' } },
      { detail: { plan: bigger } },
    ]);
    await expect(setPlanByOperator(operatorOf(kit), uuid(), 'scale')).rejects.toThrow(/no such workspace/);
  });

  test('403: an admin cannot invite an owner', async () => {
    expect((await invite({ role: 'owner' }, await member('admin'))).reason).toBe('role');
    expect((await invite({ role: 'owner' })).code).toBe('current_password_required');
    expect((await invite({ role: 'owner', current_password: testPassword })).status).toBe(201);
  });
});

describe('DELETE invitation', () => {
  test('200, then 409: revokes an invitation once, after which the link fails', async () => {
    const { id, token } = await invite();
    expect((await call('DELETE', `${invitations()}/${id}`, owner.headers())).status).toBe(200);
    const again = await call('DELETE', `${invitations()}/${id}`, owner.headers());
    expect([again.status, again.code, again.reason]).toEqual([409, 'invalid_state', 'revoked']);
    const late = await accept(token, newcomer());
    expect([late.status, late.code, late.reason]).toEqual([409, 'invalid_state', 'revoked']);
  });

  test('404: an invitation of another workspace', async () => {
    const elsewhere = await buildMember(kit.app, (await buildProfile(kit.app)).workspaceId);
    const { id } = await invite();
    const foreign = await call('DELETE', `${invitations()}/${id}`, elsewhere.headers());
    expect([foreign.status, foreign.code]).toEqual([404, 'not_found']);
  });
});

describe('POST /invitations/accept', () => {
  test('201: creates an account, joins and signs in', async () => {
    const { token } = await invite({ role: 'analyst' });
    const answer = await accept(token, newcomer());
    expect([answer.status, answer.body.data]).toEqual([
      201,
      { user_id: expect.any(String), workspace_id: workspaceId, role: 'analyst' },
    ]);
    const cookie = String(answer.headers['set-cookie']).split(';', 1)[0] as string;
    const account = await call('GET', '/account', { cookie });
    expect(account.body.data.memberships).toMatchObject([{ workspace_id: workspaceId, role: 'analyst' }]);
  });

  test('201: a signed-in user joins with the existing account', async () => {
    const elsewhere = await buildMember(kit.app, (await buildProfile(kit.app)).workspaceId);
    const { token } = await invite({ role: 'viewer' });
    const answer = await accept(token, {}, elsewhere.headers());
    expect([answer.status, answer.body.data?.user_id]).toEqual([201, elsewhere.userId]);
    expect((await call('GET', members(), elsewhere.headers())).status).toBe(200);
  });

  test('409: [err-025] an invitation can be accepted once, even concurrently', async () => {
    const { token } = await invite();
    const both = await Promise.all([accept(token, newcomer()), accept(token, newcomer())]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
    const late = await accept(token, newcomer());
    expect([late.code, late.reason]).toEqual(['invalid_state', 'accepted']);
  });

  test('409: for an expired invitation, an existing member or an address with an account', async () => {
    const { token } = await invite();
    expect((await accept(token, {}, owner.headers())).reason).toBe('already_member');
    expect((await accept(token, { ...newcomer(), email: owner.email })).reason).toBe('account_exists');
    const today = kit.clock.now();
    kit.clock.advance(7 * 86_400_000);
    expect((await accept(token, newcomer())).reason).toBe('expired');
    kit.clock.set(today);
    expect((await accept(token, newcomer())).status).toBe(201);
  });

  test('410: [err-071] for an archived workspace', async () => {
    const { token } = await invite();
    await archive();
    const answer = await accept(token, newcomer());
    expect([answer.status, answer.code]).toEqual([410, 'workspace_archived']);
  });

  test('403: for another address or a cross-site request', async () => {
    const { token } = await invite({ role: 'viewer', email: 'ben@example.com' });
    expect((await accept(token, newcomer())).reason).toBe('other_address');
    const elsewhere = await buildMember(kit.app, (await buildProfile(kit.app)).workspaceId);
    expect((await accept(token, {}, { ...elsewhere.headers(), 'sec-fetch-site': 'cross-site' })).reason).toBe('csrf');
    expect((await accept(token, { ...newcomer(), email: 'Ben@Example.com' })).status).toBe(201);
  });

  test('404: for an invalid token', async () => {
    expect((await accept('trib_inv_nonsense', newcomer())).status).toBe(404);
  });

  test('422: for a missing name or an unacceptable password', async () => {
    const { token } = await invite();
    expect((await accept(token)).body.error).toMatchObject({ code: 'validation_error', field: 'name' });
    expect((await accept(token, { ...newcomer(), password: 'short' })).code).toBe('weak_password');
    expect((await accept(token, { ...newcomer(), password: 'password123' })).code).toBe('compromised_password');
  });
});

test('each change is written to the workspace’s audit log', async () => {
  const { token } = await invite();
  const joined = await accept(token, newcomer());
  await call('PATCH', `${members()}/${joined.body.data.user_id}`, owner.headers(), { role: 'viewer' });
  await call('DELETE', `${members()}/${joined.body.data.user_id}`, owner.headers());
  const rows = await kit.app
    .forWorkspace(workspaceId)
    .transaction((tx) => tx.selectFrom('audit_log').select('action').orderBy('sequence').execute());
  expect(rows.map(({ action }) => action)).toEqual([
    'invitation.created',
    'member.joined',
    'member.role_changed',
    'member.removed',
  ]);
});

const archive = () =>
  kit.app
    .forWorkspace(workspaceId)
    .transaction((tx) => tx.updateTable('workspaces').set({ archived_at: kit.clock.now() }).execute());

describe('a member without a profile', () => {
  const withoutPlace = (who: BuiltMember) => who.headers();
  const create = (who: BuiltMember, workspace_id: string) =>
    call('POST', '/profiles', withoutPlace(who), { workspace_id, name: 'First' });

  test('creates the first profile of the only workspace without naming it in a header', async () => {
    const { workspaceId: empty } = await buildProfile(kit.app);
    const firstOwner = await buildMember(kit.app, empty, 'owner');
    expect(Object.keys(withoutPlace(firstOwner))).not.toContain('x-profile-id');
    expect((await create(firstOwner, empty)).status).toBe(201);
    expect((await create(await buildMember(kit.app, empty, 'viewer'), empty)).code).toBe('insufficient_scope');
    // A foreign workspace returns the same status as an unknown one.
    expect([(await create(firstOwner, workspaceId)).status, (await create(firstOwner, uuid())).status]).toEqual([
      404, 404,
    ]);
  });

  test('must name the workspace in a header if there are several', async () => {
    const { workspaceId: other } = await buildProfile(kit.app);
    await kit.app
      .forWorkspace(other)
      .transaction((tx) =>
        tx
          .insertInto('members')
          .values({ workspace_id: other, user_id: owner.userId, role: 'owner', created_at: kit.clock.now() })
          .execute(),
      );
    expect((await create(owner, workspaceId)).status).toBe(403);
    const named = { ...withoutPlace(owner), 'x-workspace-id': workspaceId };
    expect((await call('POST', '/profiles', named, { workspace_id: workspaceId, name: 'Next' })).status).toBe(201);
  });
});
