import { createHash, randomBytes } from 'node:crypto';
import { auditEntries, buildProfile, openTest, operatorOf } from '@tributary/testkit';
import { dayMs, limits } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { createUser } from './operator.ts';
import { createPasswords } from './passwords.ts';

const { kit, api } = await openTest();
kit.clock.set(new Date());
let workspaceId: string;
let profileId: string;
beforeEach(async () => {
  ({ id: profileId, workspaceId } = await buildProfile(kit.app));
});

const base = 'https://tributary.test';
const callback = 'http://127.0.0.1:33418/callback';
const password = 'vague otter lamp';
let callers = 0;
const next = () => {
  callers += 1;
  return callers;
};

interface Sent {
  readonly json?: unknown;
  readonly form?: Record<string, string>;
  readonly headers?: Record<string, string>;
}

async function send(method: 'GET' | 'POST' | 'DELETE', url: string, { json, form, headers = {} }: Sent = {}) {
  const type = json ? 'application/json' : 'application/x-www-form-urlencoded';
  const response = await api.fastify.inject({
    method,
    url,
    headers: { ...(method === 'POST' && { 'content-type': type }), ...headers },
    ...((json || form) && { payload: json ? JSON.stringify(json) : new URLSearchParams(form).toString() }),
    remoteAddress: `2001:db8:${next().toString(16)}::2`,
  });
  const { statusCode: status, body, headers: got } = response;
  const isJson = String(got['content-type']).startsWith('application/json');
  return {
    status,
    body,
    json: isJson && body ? response.json() : undefined,
    headers: got,
    location: String(got.location ?? ''),
  };
}

const register = (more: object = {}) =>
  send('POST', '/oauth2/register', {
    json: {
      client_name: 'Claude <b>',
      redirect_uris: [callback],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      ...more,
    },
  });

/** Somebody who signs in with a password, as they do in life; the built member of other tests has no signed cookie. */
async function signedIn(role: 'owner' | 'viewer' = 'owner') {
  const email = `p${next()}@example.com`;
  const passwords = createPasswords(10);
  const user = await createUser({ operator: operatorOf(kit), passwords }, { email, name: 'Ana', password });
  await kit.app
    .forWorkspace(workspaceId)
    .transaction((tx) =>
      tx
        .insertInto('members')
        .values({ workspace_id: workspaceId, user_id: user.id, role, created_at: kit.clock.now() })
        .execute(),
    );
  const answer = await send('POST', '/api/v1/account/sign-in', { json: { email, password } });
  return { ...user, cookie: String(answer.headers['set-cookie']).split(';', 1)[0] as string };
}

async function authorize(clientId: string, cookie: string | undefined, more: Record<string, string> = {}) {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: callback,
    response_type: 'code',
    state: 'the-state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: `${base}/mcp`,
    ...more,
  });
  const answer = await send('GET', `/oauth2/authorize?${query}`, { headers: cookie ? { cookie } : {} });
  return { ...answer, verifier, query: answer.location.split('?')[1] ?? '' };
}

const decide = (cookie: string, form: Record<string, string>, headers: Record<string, string> = { origin: base }) =>
  send('POST', '/oauth2/consent', { form, headers: { cookie, ...headers } });

const exchange = (clientId: string, code: string, verifier: string) =>
  send('POST', '/oauth2/token', {
    form: {
      grant_type: 'authorization_code',
      client_id: clientId,
      code,
      code_verifier: verifier,
      redirect_uri: callback,
    },
  });

/** The whole way, from a client nobody knows to a token. */
async function connect(options: { scope?: string; write?: boolean; cookie?: string; profileId?: string } = {}) {
  const cookie = options.cookie ?? (await signedIn()).cookie;
  const clientId = (await register()).json.client_id as string;
  const { query, verifier } = await authorize(clientId, cookie, options.scope ? { scope: options.scope } : {});
  const form = {
    query,
    profile_id: options.profileId ?? profileId,
    decision: 'allow',
    ...(options.write && { write: 'yes' }),
  };
  const { location } = await decide(cookie, form);
  const code = new URL(location).searchParams.get('code') ?? '';
  const token = await exchange(clientId, code, verifier);
  return {
    cookie,
    clientId,
    code,
    verifier,
    location,
    token,
    bearer: { authorization: `Bearer ${token.json?.access_token}` },
  };
}

const profileOf = (headers: Record<string, string>) => send('GET', '/api/v1/profile', { headers });
const createWorkspace = (headers: Record<string, string>) =>
  send('POST', '/api/v1/workspaces', { json: { name: 'New' }, headers });

describe('discovery', () => {
  test('says where to register, ask and exchange, and what may be asked for', async () => {
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

  test('nothing else of the library is served', async () => {
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
  test('a client may ask for mcp:read and mcp:write, and for nothing else', async () => {
    const client = await register();
    expect([client.status, client.json.scope]).toEqual([201, 'mcp:read mcp:write']);
    for (const scope of ['customers:read', 'mcp:read openid', 'offline_access', 'workspaces:write']) {
      expect([scope, (await register({ scope })).status]).toEqual([scope, 400]);
    }
  });

  test('a client cannot spare itself the consent', async () => {
    const client = await register({ skip_consent: true, scope: 'mcp:read' });
    const cookie = (await signedIn()).cookie;
    if (client.status === 201) {
      const { location } = await authorize(client.json.client_id, cookie);
      expect(location).toMatch(/^\/oauth2\/consent\?/);
    } else expect(client.status).toBe(400);
  });

  test('no client without a person', async () => {
    const refused = await register({
      grant_types: ['client_credentials'],
      token_endpoint_auth_method: 'client_secret_post',
    });
    expect(refused.status).toBe(400);
  });
});

describe('the consent page', () => {
  test('asks who is not signed in to sign in, and comes back', async () => {
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

  test('leaves in the logs who signed in on it, who failed to, and which assistant was allowed what', async () => {
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

  test('names in the log the consent of the assistant that was allowed, also beside others', async () => {
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

  test('shows the person’s own profiles, escapes what the client says of itself, and runs no script', async () => {
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

  test('says so when there is nothing to decide', async () => {
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

  test('leads back with a refusal when the person denies', async () => {
    const { cookie } = await signedIn();
    const { query } = await authorize((await register()).json.client_id, cookie);
    const { status, location } = await decide(cookie, { query, decision: 'deny' });
    expect([status, new URL(location).searchParams.get('error')]).toEqual([303, 'access_denied']);
  });

  test('takes no decision from another site, for a foreign profile, or on a changed request', async () => {
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

  test('asks anew each time: an earlier consent gives no code by itself', async () => {
    const { cookie, clientId } = await connect();
    expect((await authorize(clientId, cookie)).location).toMatch(/^\/oauth2\/consent\?/);
    const silent = await authorize(clientId, cookie, { prompt: 'none' });
    expect(new URL(silent.location).searchParams.get('error')).toBe('interaction_required');
  });
});

describe('a token', () => {
  test('[auth-003] speaks for the profile that was chosen, and reads by default', async () => {
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

  test('[auth-018] [auth-015] mcp:read creates no workspace; mcp:write does, for whoever may', async () => {
    const { cookie } = await signedIn();
    const reading = await connect({ cookie, scope: 'mcp:read mcp:write' });
    expect(reading.token.json.scope).toBe('mcp:read');
    const refused = await createWorkspace(reading.bearer);
    expect([refused.status, refused.json.error.code, refused.json.error.required_scopes]).toEqual([
      403,
      'insufficient_scope',
      ['workspaces:write'],
    ]);
    const writing = await connect({ cookie, scope: 'mcp:read mcp:write', write: true });
    expect(writing.token.json.scope).toBe('mcp:read mcp:write');
    expect((await createWorkspace(writing.bearer)).status).toBe(201);
    const viewer = await connect({
      cookie: (await signedIn('viewer')).cookie,
      scope: 'mcp:read mcp:write',
      write: true,
    });
    expect((await createWorkspace(viewer.bearer)).status).toBe(403);
  });

  test('a client that requests mcp:write alone gets reading with it', async () => {
    const { cookie } = await signedIn();
    const writing = await connect({ cookie, scope: 'mcp:write', write: true });
    expect(writing.token.json.scope).toBe('mcp:read mcp:write');
    expect((await profileOf(writing.bearer)).status).toBe(200);
    const reading = await connect({ cookie, scope: 'mcp:write' });
    expect(reading.token.json.scope).toBe('mcp:read');
    const narrow = await register({ scope: 'mcp:write' });
    expect([narrow.status, narrow.json.scope]).toEqual([201, 'mcp:read mcp:write']);
  });

  test('a box that was not on the page grants nothing', async () => {
    const { token } = await connect({ scope: 'mcp:read', write: true });
    expect(token.json.scope).toBe('mcp:read');
  });

  test('a code works once, for its own client and with its own verifier', async () => {
    const { clientId, code, verifier, bearer } = await connect();
    expect((await exchange(clientId, code, verifier)).status).toBe(400);
    // A code that comes twice was stolen by somebody: what it gave is taken back.
    expect((await profileOf(bearer)).status).toBe(401);
    const { cookie } = await signedIn();
    const other = (await register()).json.client_id;
    const { query } = await authorize(other, cookie);
    const { location } = await decide(cookie, { query, profile_id: profileId, decision: 'allow' });
    const stolen = new URL(location).searchParams.get('code') ?? '';
    expect((await exchange(other, stolen, 'x'.repeat(43))).status).toBeGreaterThanOrEqual(400);
  });

  test.each(['/oauth2/token', '/oauth2/revoke'])('%s returns 401 invalid_client for an unregistered client', async (url) => {
    const form = { client_id: 'x'.repeat(32), grant_type: 'authorization_code', code: 'x', token: 'x' };
    const basic = `Basic ${Buffer.from('unregistered:x').toString('base64')}`;
    for (const headers of [{}, { authorization: basic }] as Record<string, string>[]) {
      const { status, json } = await send('POST', url, { form, headers });
      expect([status, json.error]).toEqual([401, 'invalid_client']);
    }
    expect((await send('POST', url, { form: { ...form, code: 'x'.repeat(9_000) } })).status).toBe(413);
  });

  test('is dead from the next request on when the client gives it back', async () => {
    const { bearer, clientId, token } = await connect();
    expect((await profileOf(bearer)).status).toBe(200);
    await send('POST', '/oauth2/revoke', { form: { client_id: clientId, token: token.json.access_token } });
    expect((await profileOf(bearer)).status).toBe(401);
  });

  test('is not in any table', async () => {
    const { token, code } = await connect();
    const rows = await kit.app.unbound.transaction(async (tx) => [
      await tx.selectFrom('oauth_access_tokens').selectAll().execute(),
      await tx.selectFrom('verifications').selectAll().execute(),
    ]);
    for (const secret of [token.json.access_token, code]) expect(JSON.stringify(rows)).not.toContain(secret);
    for (const secret of [token.json.access_token, code]) expect(api.logLines.join()).not.toContain(secret);
  });
});
