import {
  auditEntries,
  buildAssistant,
  buildMember,
  buildProfile,
  openApi,
  openTestkit,
  operatorOf,
  type TestApi,
  type Testkit,
} from '@tributary/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { addMember, createUser, type OperatorTools, resetPassword } from './operator.ts';
import { createPasswords } from './passwords.ts';

let kit: Testkit;
let api: TestApi;
let tools: OperatorTools;
let profile: { id: string; workspaceId: string };
let user: { id: string; email: string };
const password = 'vague otter lamp';
let userCount = 0;
beforeAll(async () => {
  kit = await openTestkit();
  kit.clock.set(new Date());
  api = await openApi(kit);
  tools = { operator: operatorOf(kit), passwords: createPasswords(10) };
});
afterAll(async () => {
  await api.close();
  await kit.close();
});
beforeEach(async () => {
  userCount += 1;
  profile = await buildProfile(kit.app);
  user = await createUser(tools, { email: `p${userCount}@example.com`, name: 'Ana', password });
});

type Method = 'POST' | 'PUT' | 'DELETE';
const send = (method: Method, url: string, payload: object | undefined, headers: object = {}, address = '192.0.2.1') =>
  api.fastify.inject({
    method,
    url: `/api/v1${url}`,
    headers: { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json', ...headers },
    ...(payload && { payload }),
    remoteAddress: address,
  });
const signIn = (email: string, secret: string, address?: string) =>
  send('POST', '/account/sign-in', { email, password: secret }, {}, address);
const session = async () => {
  const { headers } = await signIn(user.email, password);
  return { cookie: String(headers['set-cookie']).split(';', 1)[0] };
};
/** The entries of the installation log about the user, after the creation. */
const entries = async () => {
  const all = await auditEntries(kit, 'installation');
  const userEntries = all.filter(({ target }) => target === `user:${user.id}`).slice(1);
  return userEntries.map(({ actor_kind, actor_id, action, result }) => [actor_kind, actor_id, action, result]);
};

describe('the installation audit log contains', () => {
  test('sign-ins and sign-outs', async () => {
    const cookie = await session();
    expect((await send('POST', '/account/sign-out', {}, cookie)).statusCode).toBe(200);
    expect(await entries()).toEqual([
      ['user', user.id, 'account.signed_in', 'done'],
      ['user', user.id, 'account.signed_out', 'done'],
    ]);
  });

  test('wrong passwords, once a minute per account and address', async () => {
    for (let guess = 0; guess < 3; guess += 1) await signIn(user.email, `wrong ${guess}`);
    await signIn(user.email, 'wrong again', '192.0.2.2');
    const refused = ['public', 'public', 'signIn', 'refused'];
    expect(await entries()).toEqual([refused, refused]);
  });

  test('attempts with an unknown address, without the address', async () => {
    const unknown = async () =>
      (await auditEntries(kit, 'installation')).filter(({ target }) => target === 'user:unknown');
    const before = (await unknown()).length;
    for (let guess = 0; guess < 3; guess += 1) await signIn(`nobody${guess}@example.com`, password, '192.0.2.3');
    const after = await unknown();
    expect(after.length - before).toBe(1);
    expect(JSON.stringify(after)).not.toMatch(/nobody\d|192\.0/);
  });

  test('password changes, successful and refused', async () => {
    const cookie = await session();
    const change = (current_password: string) =>
      send('PUT', '/account/password', { current_password, new_password: 'another otter lamp' }, cookie);
    expect((await change('wrong')).statusCode).toBe(400);
    expect((await change(password)).statusCode).toBe(200);
    expect((await entries()).slice(1)).toEqual([
      ['user', user.id, 'updatePassword', 'refused'],
      ['user', user.id, 'account.password_changed', 'done'],
    ]);
  });

  test('password resets by the operator', async () => {
    await resetPassword(tools, user.email);
    expect(await entries()).toEqual([['operator', 'cli', 'account.password_reset', 'done']]);
  });
});

describe('the workspace audit log contains', () => {
  const inWorkspace = () => auditEntries(kit, { workspaceId: profile.workspaceId });

  test('members added by the operator with their role, and the last owner cannot be demoted', async () => {
    const add = (role: 'owner' | 'viewer') => addMember(tools, { ...profile, email: user.email, role });
    await add('viewer');
    await add('owner');
    await expect(add('viewer')).rejects.toThrow(/at least one owner/);
    const member = { actor_kind: 'operator', action: 'member.added', target: `user:${user.id}` };
    expect(await inWorkspace()).toMatchObject([
      { ...member, detail: { from: null, to: 'viewer' } },
      { ...member, detail: { from: 'viewer', to: 'owner' } },
    ]);
  });

  test('revoked assistants', async () => {
    const owner = await buildMember(kit.app, profile.workspaceId);
    await buildAssistant(kit.app, owner, profile.id);
    const list = await api.fastify.inject({
      method: 'GET',
      url: '/api/v1/account/assistants',
      headers: owner.headers(),
    });
    const [{ id }] = list.json().data;
    expect((await send('DELETE', `/account/assistants/${id}`, undefined, owner.headers())).statusCode).toBe(200);
    expect(await inWorkspace()).toMatchObject([
      { actor_kind: 'user', actor_id: owner.userId, action: 'assistant.revoked', target: `assistant:${id}` },
    ]);
  });
});
