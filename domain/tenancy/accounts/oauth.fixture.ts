import { createHash, randomBytes } from 'node:crypto';
import { buildProfile, openTest, operatorOf } from '@tributary/testkit';
import { createUser } from './operator.ts';
import { createPasswords } from './passwords.ts';

export const base = 'https://tributary.test';
export const callback = 'http://127.0.0.1:33418/callback';
export const password = 'vague otter lamp';

interface RequestOptions {
  readonly json?: unknown;
  readonly form?: Record<string, string>;
  readonly headers?: Record<string, string>;
}

/** An API, and an OAuth client that goes through registration, consent and token exchange. */
export async function openOAuth() {
  const { kit, api } = await openTest();
  kit.clock.set(new Date());
  let workspaceId = '';
  let profileId = '';
  let callers = 0;
  const next = () => {
    callers += 1;
    return callers;
  };

  async function send(
    method: 'GET' | 'POST' | 'DELETE',
    url: string,
    { json, form, headers = {} }: RequestOptions = {},
  ) {
    const type = json ? 'application/json' : 'application/x-www-form-urlencoded';
    const response = await api.fastify.inject({
      method,
      url,
      headers: { ...(method === 'POST' && { 'content-type': type }), ...headers },
      ...((json || form) && { payload: json ? JSON.stringify(json) : new URLSearchParams(form).toString() }),
      remoteAddress: `2001:db8:${next().toString(16)}::2`,
    });
    const { statusCode: status, body, headers: responseHeaders } = response;
    const isJson = String(responseHeaders['content-type']).startsWith('application/json');
    return {
      status,
      body,
      json: isJson && body ? response.json() : undefined,
      headers: responseHeaders,
      location: String(responseHeaders.location ?? ''),
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

  /** Signs in a member with a password. Members built for other tests have no signed cookie. */
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

  /** Registers a client, gives consent and exchanges the code for a token. */
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

  /** Creates the profile that members sign in to and that `connect` selects. */
  async function newProfile() {
    const profile = await buildProfile(kit.app);
    ({ id: profileId, workspaceId } = profile);
    return profile;
  }

  const profileOf = (headers: Record<string, string>) => send('GET', '/api/v1/profile', { headers });

  return { kit, api, newProfile, next, send, register, signedIn, authorize, decide, exchange, connect, profileOf };
}
