import { mintSecret } from '@tributary/domain/tenancy/credentials/module.ts';
import { browserVisit } from '@tributary/testkit';
import { type Agent, request } from 'undici';
import { v7 as uuid } from 'uuid';

/** A request without a credential. */
export interface AnonymousRequest {
  readonly name: string;
  readonly server: 'api' | 'collector' | 'webhooks';
  readonly method: 'GET' | 'POST' | 'OPTIONS' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** The rate limit, for a request that may exceed the cost limit because of it. */
  readonly rateLimit?: '60 a minute' | '5 an hour' | 'a daily quota';
}

interface Fixtures {
  /** A public tracking key. */
  readonly trackingKey: string;
  readonly clientId: string;
  readonly redirectUri: string;
  /** Paths of built console files. */
  readonly assets: readonly string[];
}

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const compressed = { 'accept-encoding': 'br, gzip' };
/** Well-formed, so that it is looked up in PostgreSQL. */
const unknownKey = mintSecret('apiKey');
const kib = 1_024;

const get = (path: string, headers?: Record<string, string>, name = path) =>
  ({ name: `GET ${name}`, server: 'api', method: 'GET', path, ...(headers && { headers }) }) as const;
const post = (path: string, body: object | string, headers: Record<string, string> = json, name = path) =>
  ({
    name: `POST ${name}`,
    server: 'api',
    method: 'POST',
    path,
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }) as const;

/** A JSON body that is expensive to parse. */
const hardJson = (field: string, bytes: number): string => {
  const part = '{"a":[1,{"b":"\\u00e9"}]},';
  const many = part.repeat(Math.floor((bytes - 40) / part.length));
  return `{"${field}":[${many}1]}`;
};
const hardForm = (bytes: number) => 'a=%C3%A9&'.repeat(Math.floor(bytes / 9) - 1);

const texts = ['/healthz', '/readyz', '/api', '/api/v1/openapi.json', '/api/v1/changelog', '/docs', '/docs/'];
const docs = ['/docs/errors', '/docs/errors/not_found', '/docs/reference', '/docs/reference/scalar.js'];
const pages = ['/', '/sign-in', '/shared', '/invitation', '/reset-password', '/forgot-password', '/p/x/campaigns'];
const wellKnown = ['oauth-authorization-server', 'oauth-protected-resource', 'oauth-protected-resource/mcp'];

export function anonymousRequests({ trackingKey, clientId, redirectUri, assets }: Fixtures): AnonymousRequest[] {
  const authorize = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    scope: 'mcp:read',
    state: 'x',
  });
  const account = '/api/v1/account';
  return [
    ...[...texts, ...docs, ...pages, ...assets].map((path) => get(path)),
    ...['/api/v1/openapi.json', '/docs/reference/scalar.js', ...assets].map((path) =>
      get(path, compressed, `${path}, compressed`),
    ),
    get('/first-account'),
    post('/first-account', hardForm(30 * kib), form, '/first-account, 30 KiB'),
    ...wellKnown.map((name) => get(`/.well-known/${name}`)),
    get('/oauth2/authorize'),
    { ...get(`/oauth2/authorize?${authorize}`, undefined, '/oauth2/authorize of a client'), rateLimit: '60 a minute' },
    get(`/oauth2/consent?${authorize}`, undefined, '/oauth2/consent of a client'),
    post('/oauth2/consent', hardForm(30 * kib), { ...form, 'sec-fetch-site': 'none' }, '/oauth2/consent, 30 KiB'),
    post('/oauth2/token', 'grant_type=authorization_code&code=x', form),
    post('/oauth2/token', hardForm(8 * kib), form, '/oauth2/token, 8 KiB'),
    post('/oauth2/revoke', 'token=x', form),
    {
      ...post('/oauth2/register', { client_name: 'x', redirect_uris: ['https://a.example/cb'] }),
      rateLimit: '5 an hour',
    },
    post('/oauth2/register', hardJson('contacts', 8 * kib), json, '/oauth2/register, 8 KiB'),
    post('/oauth/token', 'grant_type=client_credentials&client_id=x&client_secret=y', form),
    post('/oauth/token', hardForm(8 * kib), form, '/oauth/token, 8 KiB'),
    get('/mcp'),
    post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    post('/mcp', hardJson('params', 60 * kib), { ...json, authorization: `Bearer ${unknownKey}` }, '/mcp, 60 KiB'),
    post('/hooks/store', { id: 1 }, { ...json, 'x-shopify-hmac-sha256': 'AAAA' }, '/hooks/store, unknown'),
    post('/hooks/nope', {}),
    get('/connect/unknown-capability-of-43-characters-0123456789'),
    get('/connect/callback/store?code=x&state=y'),
    get('/connect/bank-link'),
    // Password hashing is slow by design, and runs one at a time.
    { ...post(`${account}/sign-in`, { email: 'a@b.example', password: 'wrong password' }), rateLimit: '60 a minute' },
    post(`${account}/sign-in`, hardJson('email', 30 * kib), json, `${account}/sign-in, 30 KiB`),
    {
      ...post(`${account}/sign-in/second-step`, { challenge: 'x'.repeat(40), code: '123456' }),
      rateLimit: '60 a minute',
    },
    post(`${account}/sign-in/passkey/challenge`, {}),
    post(`${account}/sign-in/passkey`, { challenge: 'x'.repeat(40), credential: {} }),
    post(`${account}/password-resets`, { email: 'a@b.example' }),
    post(`${account}/password-resets/complete`, { token: mintSecret('passwordReset'), new_password: 'a long new one' }),
    post('/api/v1/invitations/read', { token: mintSecret('invitation') }),
    post('/api/v1/invitations/accept', {
      token: mintSecret('invitation'),
      name: 'Ana',
      email: 'a@b.example',
      password: 'a long new one',
    }),
    get('/api/v1/shared-view', { authorization: `Bearer ${mintSecret('sharedView')}` }, 'an unknown link'),
    get('/api/v1/profile'),
    get('/api/v1/profile', { authorization: `Bearer ${unknownKey}` }, 'an unknown key'),
    get('/api/v1/profile', { authorization: `Bearer ${'x'.repeat(4 * kib)}` }, 'a credential of 4 KiB'),
    get(
      '/api/v1/profile',
      { cookie: `__Host-session=${'x'.repeat(32)}.y`, 'x-profile-id': uuid() },
      'an unknown session cookie',
    ),
    post('/api/v1/events', hardJson('events', 60 * kib), json, '/api/v1/events, 60 KiB'),
    post(
      '/api/v1/events',
      hardJson('events', 60 * kib),
      { ...json, authorization: `Bearer ${unknownKey}` },
      '/api/v1/events with an unknown key',
    ),
    get('/nope'),
    get('/nope', { accept: 'text/html' }, 'an unknown page'),
    get(`/${'a/'.repeat(4 * kib)}`, undefined, 'a path of 8 KiB'),
    get('/%zz', undefined, 'a path with invalid escapes'),
    { name: 'DELETE on a GET route', server: 'api', method: 'DELETE', path: '/api/v1/profile' },
    ...visits(trackingKey),
    ...providerWebhooks(),
  ];
}

function providerWebhooks(): AnonymousRequest[] {
  const send = (name: string, path: string, body: string) =>
    ({
      name: `provider-webhooks: ${name}`,
      server: 'webhooks',
      method: 'POST',
      path,
      headers: { ...json, 'x-shopify-hmac-sha256': 'AAAA', 'x-shopify-shop-domain': 'unknown.myshopify.com' },
      body,
    }) as const;
  return [
    ...['/healthz', '/readyz', '/nope'].map(
      (path) => ({ name: `provider-webhooks: GET ${path}`, server: 'webhooks', method: 'GET', path }) as const,
    ),
    send('an unknown provider', '/hooks/nope', '{}'),
    send('an unknown account', '/hooks/store', '{}'),
    send('an unknown account, 200 KiB', '/hooks/store', hardJson('items', 200 * kib)),
    send('no signature, 200 KiB', '/hooks/payments_a', hardJson('items', 200 * kib)),
  ];
}

function visits(key: string): AnonymousRequest[] {
  const at = 'collector';
  const visit = browserVisit(new Date());
  const body = (trackingKey: string, many: readonly object[]) =>
    JSON.stringify({ key: trackingKey, client_id: uuid(), visits: many });
  const send = (name: string, text: string) =>
    ({
      name: `visits: ${name}`,
      server: at,
      method: 'POST',
      path: '/v1/visits',
      headers: {
        'content-type': 'text/plain',
        origin: 'https://shop.example',
        'user-agent': 'Mozilla/5.0 Firefox/140.0',
      },
      body: text,
    }) as const;
  const long = () => browserVisit(new Date(), { url: `https://shop.example/?${'%25&'.repeat(1_018)}` });
  return [
    ...['/t.js', '/healthz', '/readyz', '/nope'].map(
      (path) => ({ name: `collector: GET ${path}`, server: at, method: 'GET', path }) as const,
    ),
    { name: 'collector: GET /t.js, compressed', server: at, method: 'GET', path: '/t.js', headers: compressed },
    { name: 'collector: OPTIONS /v1/visits', server: at, method: 'OPTIONS', path: '/v1/visits' },
    send('none', '{}'),
    send('invalid JSON', 'x'.repeat(60 * kib)),
    send('60 KiB of small objects', hardJson('visits', 60 * kib)),
    send('with an unknown tracking key', body('trk_0123456789abcdefghijkl', [visit])),
    send('one', body(key, [visit])),
    send(
      '15 with long URLs',
      body(
        key,
        Array.from({ length: 15 }, () => long),
      ),
    ),
    // Each invalid visit is encrypted separately, and a profile stores a limited number per day.
    {
      ...send(
        '50 invalid visits',
        body(
          key,
          Array.from({ length: 50 }, () => ({ note: 'x'.repeat(1_000) })),
        ),
      ),
      rateLimit: 'a daily quota',
    },
  ];
}

/** Sends a request repeatedly, each time from a new address. Resolves to the number of responses by status. */
export async function sendRepeatedly(
  { method, path, headers, body }: AnonymousRequest,
  port: number,
  times: number,
  agent: Agent,
): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  let remaining = times;
  const sendRemaining = async () => {
    while (remaining > 0) {
      remaining -= 1;
      const response = await request(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { ...headers, 'x-forwarded-for': nextAddress() },
        ...(body !== undefined && { body }),
        dispatcher: agent,
      }).catch(() => undefined);
      await response?.body.dump({ limit: 64 << 20 }).catch(() => {});
      const status = response ? String(response.statusCode) : 'cut';
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 4 }, sendRemaining));
  return statuses;
}

let addresses = 0;
function nextAddress(): string {
  addresses += 1;
  return `11.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;
}
