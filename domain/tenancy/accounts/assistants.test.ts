import type { McpScope } from '@tributary/contract';
import { type BuiltMember, buildAssistant, buildMember, buildProfile, openTest } from '@tributary/testkit';
import { v7 as uuid } from 'uuid';
import { beforeEach, describe, expect, test } from 'vitest';

const { kit, api } = await openTest();
let workspaceId: string;
let profileId: string;
let owner: BuiltMember;
beforeEach(async () => {
  ({ id: profileId, workspaceId } = await buildProfile(kit.app));
  owner = await buildMember(kit.app, workspaceId, 'owner');
});

type Headers = Record<string, string>;
const send = async (method: 'GET' | 'POST' | 'DELETE', url: string, headers: Headers, body?: object) => {
  const response = await api.fastify.inject({
    method,
    url: `/api/v1${url}`,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { payload: JSON.stringify(body) }),
  });
  return { status: response.statusCode, json: response.json() };
};
const createWorkspace = (headers: Headers) => send('POST', '/workspaces', headers, { name: 'New' });

describe('an assistant’s token stops working with the next request', () => {
  const assistant = (scopes: readonly McpScope[] = ['mcp:read']) => buildAssistant(kit.app, owner, profileId, scopes);
  const expectRejected = async (bearer: Headers) => {
    const { status, json } = await send('GET', '/profile', bearer);
    expect([status, json.error.code]).toEqual([401, 'unauthorized']);
  };
  const expectAccepted = async (bearer: Headers) => expect((await send('GET', '/profile', bearer)).status).toBe(200);

  test('when the member signs out', async () => {
    const { headers } = await assistant();
    await expectAccepted(headers);
    await send('POST', '/account/sign-out', owner.headers(), {});
    await expectRejected(headers);
  });

  test('when the member disconnects the assistant, which no other member can', async () => {
    const { headers } = await assistant();
    const listed = await send('GET', '/account/assistants', owner.headers());
    expect(listed.json.data).toMatchObject([{ name: 'Test assistant', profile_id: profileId, scopes: ['mcp:read'] }]);
    const other = await buildMember(kit.app, workspaceId);
    const url = `/account/assistants/${listed.json.data[0].id}`;
    expect((await send('DELETE', url, other.headers())).status).toBe(404);
    expect((await send('DELETE', `/account/assistants/${uuid()}`, owner.headers())).status).toBe(404);
    await expectAccepted(headers);
    expect((await send('DELETE', url, owner.headers())).json.data.deleted).toBe(true);
    await expectRejected(headers);
  });

  test('when the member is removed', async () => {
    const member = await buildMember(kit.app, workspaceId, 'analyst');
    const { headers } = await buildAssistant(kit.app, member, profileId);
    await expectAccepted(headers);
    await send('DELETE', `/workspaces/${workspaceId}/members/${member.userId}`, owner.headers());
    await expectRejected(headers);
  });

  test('when the profile is archived', async () => {
    const { headers } = await assistant();
    await kit.app
      .forWorkspace(workspaceId)
      .transaction((tx) =>
        tx.updateTable('profiles').set({ archived_at: kit.clock.now() }).where('id', '=', profileId).execute(),
      );
    await expectRejected(headers);
  });

  test('or loses scopes that a later consent removed', async () => {
    const { headers, clientId } = await assistant(['mcp:read', 'mcp:write']);
    expect((await createWorkspace(headers)).status).toBe(201);
    await kit.app.unbound.transaction((tx) =>
      tx
        .updateTable('oauth_consents')
        .set({ scopes: JSON.stringify(['mcp:read']) })
        .where('client_id', '=', clientId)
        .execute(),
    );
    expect((await createWorkspace(headers)).status).toBe(403);
    await expectAccepted(headers);
  });
});
