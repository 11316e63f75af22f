import { buildProfile } from '@tributary/testkit';
import { dayMs, limits } from '@tributary/vocabulary';
import { beforeEach, describe, expect, test } from 'vitest';
import { openOAuth } from './oauth.fixture.ts';

const { kit, api, newProfile, send, register, signedIn, authorize, decide, exchange, connect, profileOf } =
  await openOAuth();
let workspaceId: string;
let profileId: string;
beforeEach(async () => {
  ({ id: profileId, workspaceId } = await newProfile());
});

const createWorkspace = (headers: Record<string, string>) =>
  send('POST', '/api/v1/workspaces', { json: { name: 'New' }, headers });

describe('a token', () => {
  test('[auth-003] is bound to the selected profile and has mcp:read by default', async () => {
    const second = await buildProfile(kit.app, { workspaceId });
    const { token, bearer, location } = await connect({ profileId: second.id });
    expect(new URL(location).searchParams.get('state')).toBe('the-state');
    expect(token.json).toMatchObject({ token_type: 'Bearer', scope: 'mcp:read' });
    expect(token.json.access_token).toMatch(/^trib_mcp_[0-9A-Za-z]{38}$/);
    expect(token.json.refresh_token).toBeUndefined();
    // Sessions last longer than 7 days in this test.
    expect(token.json.expires_in).toBe((limits.assistants.tokenDays * dayMs) / 1_000);
    const { status, json } = await profileOf(bearer);
    expect([status, json.data.id, json.meta.profile_id]).toEqual([200, second.id, second.id]);
  });

  test('[auth-018] [auth-015] mcp:read cannot create a workspace; mcp:write can if the member’s role allows it', async () => {
    const { cookie } = await signedIn();
    const readOnly = await connect({ cookie, scope: 'mcp:read mcp:write' });
    expect(readOnly.token.json.scope).toBe('mcp:read');
    const refused = await createWorkspace(readOnly.bearer);
    expect([refused.status, refused.json.error.code, refused.json.error.required_scopes]).toEqual([
      403,
      'insufficient_scope',
      ['workspaces:write'],
    ]);
    const readWrite = await connect({ cookie, scope: 'mcp:read mcp:write', write: true });
    expect(readWrite.token.json.scope).toBe('mcp:read mcp:write');
    expect((await createWorkspace(readWrite.bearer)).status).toBe(201);
    const viewer = await connect({
      cookie: (await signedIn('viewer')).cookie,
      scope: 'mcp:read mcp:write',
      write: true,
    });
    expect((await createWorkspace(viewer.bearer)).status).toBe(403);
  });

  test('a client that requests only mcp:write also gets mcp:read', async () => {
    const { cookie } = await signedIn();
    const readWrite = await connect({ cookie, scope: 'mcp:write', write: true });
    expect(readWrite.token.json.scope).toBe('mcp:read mcp:write');
    expect((await profileOf(readWrite.bearer)).status).toBe(200);
    const readOnly = await connect({ cookie, scope: 'mcp:write' });
    expect(readOnly.token.json.scope).toBe('mcp:read');
    const narrow = await register({ scope: 'mcp:write' });
    expect([narrow.status, narrow.json.scope]).toEqual([201, 'mcp:read mcp:write']);
  });

  test('a consent option that was not on the page grants nothing', async () => {
    const { token } = await connect({ scope: 'mcp:read', write: true });
    expect(token.json.scope).toBe('mcp:read');
  });

  test('a code works once, only for its client and with its verifier; reuse revokes the token', async () => {
    const { clientId, code, verifier, bearer } = await connect();
    expect((await exchange(clientId, code, verifier)).status).toBe(400);
    // A reused code was stolen, so the token is revoked.
    expect((await profileOf(bearer)).status).toBe(401);
    const { cookie } = await signedIn();
    const other = (await register()).json.client_id;
    const { query } = await authorize(other, cookie);
    const { location } = await decide(cookie, { query, profile_id: profileId, decision: 'allow' });
    const stolen = new URL(location).searchParams.get('code') ?? '';
    expect((await exchange(other, stolen, 'x'.repeat(43))).status).toBeGreaterThanOrEqual(400);
  });

  test.each(['/oauth2/token', '/oauth2/revoke'])(
    '%s returns 401 invalid_client for an unregistered client',
    async (url) => {
      const form = { client_id: 'x'.repeat(32), grant_type: 'authorization_code', code: 'x', token: 'x' };
      const basic = `Basic ${Buffer.from('unregistered:x').toString('base64')}`;
      for (const headers of [{}, { authorization: basic }] as Record<string, string>[]) {
        const { status, json } = await send('POST', url, { form, headers });
        expect([status, json.error]).toEqual([401, 'invalid_client']);
      }
      expect((await send('POST', url, { form: { ...form, code: 'x'.repeat(9_000) } })).status).toBe(413);
    },
  );

  test('returns 401 once the client has revoked the token', async () => {
    const { bearer, clientId, token } = await connect();
    expect((await profileOf(bearer)).status).toBe(200);
    await send('POST', '/oauth2/revoke', { form: { client_id: clientId, token: token.json.access_token } });
    expect((await profileOf(bearer)).status).toBe(401);
  });

  test('is stored in no table and no log line', async () => {
    const { token, code } = await connect();
    const rows = await kit.app.unbound.transaction(async (tx) => [
      await tx.selectFrom('oauth_access_tokens').selectAll().execute(),
      await tx.selectFrom('verifications').selectAll().execute(),
    ]);
    for (const secret of [token.json.access_token, code]) expect(JSON.stringify(rows)).not.toContain(secret);
    for (const secret of [token.json.access_token, code]) expect(api.logLines.join()).not.toContain(secret);
  });
});
