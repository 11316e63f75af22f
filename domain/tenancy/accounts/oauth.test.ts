import { auditEntries, buildProfile } from '@tributary/testkit';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { base, callback, openOAuth, password } from './oauth.fixture.ts';

const { kit, newProfile, send, register, signedIn, authorize, decide, connect } = await openOAuth();
let workspaceId: string;
let profileId: string;
beforeEach(async () => {
  ({ id: profileId, workspaceId } = await newProfile());
});

describe('discovery', () => {
  test('returns the endpoints and the supported scopes', async () => {
    const server = await send('GET', '/.well-known/oauth-authorization-server');
    expect(server.json).toMatchObject({
      issuer: base,
      authorization_endpoint: `${base}/oauth2/authorize`,
      token_endpoint: `${base}/oauth2/token`,
      registration_endpoint: `${base}/oauth2/register`,
      revocation_endpoint: `${base}/oauth2/revoke`,
      scopes_supported: ['mcp:read', 'mcp:write'],
      code_challenge_methods_supported: ['S256'],
    });
    for (const path of ['', '/mcp']) {
      const resource = await send('GET', `/.well-known/oauth-protected-resource${path}`);
      expect(resource.json).toMatchObject({ resource: `${base}/mcp`, authorization_servers: [base] });
    }
  });

  test('no other endpoint of the library is served', async () => {
    for (const path of [
      '/sign-up/email',
      '/sign-in/email',
      '/get-session',
      '/oauth2/create-client',
      '/admin/oauth2/create-client',
      '/ok',
    ]) {
      expect([path, (await send('POST', path, { json: {} })).status]).toEqual([path, 404]);
    }
  });
});

describe('registration', () => {
  test('a client can request mcp:read and mcp:write, and no other scopes', async () => {
    const client = await register();
    expect([client.status, client.json.scope]).toEqual([201, 'mcp:read mcp:write']);
    for (const scope of ['customers:read', 'mcp:read openid', 'offline_access', 'workspaces:write']) {
      expect([scope, (await register({ scope })).status]).toEqual([scope, 400]);
    }
  });

  test('a client cannot skip the consent', async () => {
    const client = await register({ skip_consent: true, scope: 'mcp:read' });
    const cookie = (await signedIn()).cookie;
    if (client.status === 201) {
      const { location } = await authorize(client.json.client_id, cookie);
      expect(location).toMatch(/^\/oauth2\/consent\?/);
    } else expect(client.status).toBe(400);
  });

  test('a client cannot get a token without a member', async () => {
    const refused = await register({
      grant_types: ['client_credentials'],
      token_endpoint_auth_method: 'client_secret_post',
    });
    expect(refused.status).toBe(400);
  });
});

describe('the consent page', () => {
  test('asks for sign-in first, and then returns to the consent page', async () => {
    const email = (await signedIn()).email;
    const clientId = (await register()).json.client_id;
    const { location, query } = await authorize(clientId, undefined);
    const page = await send('GET', location);
    expect([page.status, page.body]).toEqual([200, expect.stringContaining('<h1>Sign in</h1>')]);
    const wrong = await send('POST', '/oauth2/sign-in', {
      form: { email, password: 'no', query },
      headers: { origin: base },
    });
    expect([wrong.status, wrong.body]).toEqual([401, expect.stringContaining('password is wrong')]);
    const right = await send('POST', '/oauth2/sign-in', {
      form: { email, password, query },
      headers: { origin: base },
    });
    expect([right.status, right.location]).toEqual([303, location]);
    expect(String(right.headers['set-cookie'])).toMatch(/^__Host-session=/);
  });

  test('logs successful and failed sign-ins, and the consent with its scopes', async () => {
    const { cookie, email, id } = await signedIn();
    const clientId = (await register()).json.client_id;
    const { query } = await authorize(clientId, cookie, { scope: 'mcp:read mcp:write' });
    for (const secret of ['no', password]) {
      await send('POST', '/oauth2/sign-in', { form: { email, password: secret, query }, headers: { origin: base } });
    }
    const theirs = (await auditEntries(kit, 'installation')).filter(({ target }) => target === `user:${id}`);
    expect(theirs.slice(-2)).toMatchObject([
      { actor_kind: 'public', action: 'signIn', result: 'refused' },
      { actor_kind: 'user', actor_id: id, action: 'account.signed_in', result: 'done' },
    ]);
    await decide(cookie, { query, profile_id: profileId, decision: 'deny' });
    expect(await auditEntries(kit, { workspaceId })).toEqual([]);
    await decide(cookie, { query, profile_id: profileId, decision: 'allow', write: 'yes' });
    const scopes = ['mcp:read', 'mcp:write'];
    expect(await auditEntries(kit, { workspaceId })).toMatchObject([
      { actor_kind: 'user', actor_id: id, action: 'assistant.allowed', detail: { profile_id: profileId, scopes } },
    ]);
  });

  test('logs the consent of the right assistant if there are several', async () => {
    const other = await buildProfile(kit.app, { workspaceId });
    const { cookie, id } = await signedIn();
    const clients: string[] = [];
    // Two assistants for one profile, and the second of them for another profile, too.
    for (const chosen of [profileId, profileId, other.id]) {
      const last = chosen === profileId ? undefined : clients.at(-1);
      const clientId = last ?? ((await register()).json.client_id as string);
      const { query } = await authorize(clientId, cookie, { prompt: 'consent' });
      await decide(cookie, { query, profile_id: chosen, decision: 'allow' });
      clients.push(clientId);
    }
    const { rows } = await kit.owner.unbound.query(sql<{ key: string; id: string }>`
      SELECT client_id || ' ' || reference_id AS key, id FROM oauth_consents WHERE user_id = ${id}`);
    const consents = new Map(rows.map((row) => [row.key, `assistant:${row.id}`]));
    expect(consents.size).toBe(3);
    const allowed = (await auditEntries(kit, { workspaceId })).filter(({ action }) => action === 'assistant.allowed');
    expect(allowed.map(({ target }) => target)).toEqual(
      [profileId, profileId, other.id].map((profile, at) => consents.get(`${clients[at]} ${profile}`)),
    );
  });

  test('shows the member’s profiles, escapes client metadata and runs no script', async () => {
    await buildProfile(kit.app);
    const { cookie } = await signedIn();
    const { location } = await authorize((await register()).json.client_id, cookie, { scope: 'mcp:read mcp:write' });
    const page = await send('GET', location, { headers: { cookie } });
    expect(page.body).toContain('Allow Claude &lt;b&gt;?');
    expect([...page.body.matchAll(/<option value="([^"]+)"/g)].map(([, id]) => id)).toEqual([profileId]);
    expect(page.body).toContain('name="write"');
    expect(page.body).not.toMatch(/<script|checked/);
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toMatch(
      /^default-src 'none'; style-src 'nonce-[\w-]+'; form-action 'self' http:\/\/127\.0\.0\.1:33418; /,
    );
    expect(policy).toContain("frame-ancestors 'none'");
  });

  test.each([
    ['the first 80 characters of a long name', { client_name: `${'x'.repeat(80)}y` }, 'x'.repeat(80)],
    ['a general name for a client without a name', { client_name: undefined }, 'An assistant'],
  ])('shows %s', async (_, metadata, shown) => {
    const { cookie } = await signedIn();
    const { location } = await authorize((await register(metadata)).json.client_id, cookie);
    expect((await send('GET', location, { headers: { cookie } })).body).toContain(`<h1>Allow ${shown}?</h1>`);
    expect((await send('GET', location)).body).toContain(`<strong>${shown}</strong> asks to read`);
  });

  test('shows an error without a pending request', async () => {
    const { location } = await authorize('nobody', (await signedIn()).cookie);
    const { pathname, search } = new URL(location, base);
    expect(pathname).toBe('/oauth2/consent');
    const page = await send('GET', `${pathname}${search}`);
    expect([page.status, page.body]).toEqual([400, expect.stringContaining('Start again')]);
    for (const query of ['', 'client_id=%00', 'client_id=a&redirect_uri=no']) {
      expect((await send('GET', `/oauth2/consent?${query}`)).status).toBe(400);
    }
    const form = { email: 'a', password: 'b', query: 'a\r\nset-cookie: x' };
    expect((await send('POST', '/oauth2/sign-in', { form, headers: { origin: base } })).status).toBe(401);
  });

  test('redirects with access_denied if the member denies', async () => {
    const { cookie } = await signedIn();
    const { query } = await authorize((await register()).json.client_id, cookie);
    const { status, location } = await decide(cookie, { query, decision: 'deny' });
    expect([status, new URL(location).searchParams.get('error')]).toEqual([303, 'access_denied']);
  });

  test('rejects decisions from other sites, for foreign profiles or for modified requests', async () => {
    const { cookie } = await signedIn();
    const foreign = await buildProfile(kit.app);
    const { query } = await authorize((await register()).json.client_id, cookie);
    const form = { query, profile_id: profileId, decision: 'allow' };
    for (const headers of [{ origin: 'https://evil.test' }, { 'sec-fetch-site': 'cross-site' }, {}]) {
      expect((await decide(cookie, form, headers as Record<string, string>)).status).toBe(400);
    }
    expect((await decide(cookie, { ...form, profile_id: foreign.id })).status).toBe(404);
    const changed = query.replace(encodeURIComponent(callback), encodeURIComponent('http://127.0.0.1:1/evil'));
    expect(changed).not.toBe(query);
    expect((await decide(cookie, { ...form, query: changed })).status).toBe(400);
  });

  test('asks for consent each time, even after an earlier consent', async () => {
    const { cookie, clientId } = await connect();
    expect((await authorize(clientId, cookie)).location).toMatch(/^\/oauth2\/consent\?/);
    const silent = await authorize(clientId, cookie, { prompt: 'none' });
    expect(new URL(silent.location).searchParams.get('error')).toBe('interaction_required');
  });
});
