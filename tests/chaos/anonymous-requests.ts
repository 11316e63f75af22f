import { mintSecret } from '@tributary/domain/credentials/room.ts';
import { browserVisit } from '@tributary/testkit';
import { type Agent, request } from 'undici';
import { v7 as uuid } from 'uuid';

/** A request that anybody may send, and who serves it. */
export interface AnonymousRequest {
  readonly name: string;
  readonly server: 'api' | 'collector';
  readonly method: 'GET' | 'POST' | 'OPTIONS' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** It may cost more, because one address may send only so few. */
  readonly few?: '60 a minute' | '5 an hour' | 'a quota a day';
}

interface Known {
  /** A public tracking key. */
  readonly trackingKey: string;
  readonly clientId: string;
  readonly redirectUri: string;
  /** Built files, as their pages name them. */
  readonly assets: readonly string[];
}

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const packed = { 'accept-encoding': 'br, gzip' };
/** Well formed, so that the ledger is asked whether it is live. */
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

/** The largest body that a stranger may send, as hard to parse as JSON may be. */
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

export function anonymousRequests({ trackingKey, clientId, redirectUri, assets }: Known): AnonymousRequest[] {
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
      get(path, packed, `${path}, compressed`),
    ),
    get('/first-account'),
    post('/first-account', hardForm(30 * kib), form, '/first-account, 30 KiB'),
    ...wellKnown.map((name) => get(`/.well-known/${name}`)),
    get('/oauth2/authorize'),
    { ...get(`/oauth2/authorize?${authorize}`, undefined, '/oauth2/authorize of a client'), few: '60 a minute' },
    get(`/oauth2/consent?${authorize}`, undefined, '/oauth2/consent of a client'),
    post('/oauth2/consent', hardForm(30 * kib), { ...form, 'sec-fetch-site': 'none' }, '/oauth2/consent, 30 KiB'),
    post('/oauth2/token', 'grant_type=authorization_code&code=x', form),
    post('/oauth2/token', hardForm(8 * kib), form, '/oauth2/token, 8 KiB'),
    post('/oauth2/revoke', 'token=x', form),
    { ...post('/oauth2/register', { client_name: 'x', redirect_uris: ['https://a.example/cb'] }), few: '5 an hour' },
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
    // Hashing a password takes long on purpose; attempts wait for each other besides.
    { ...post(`${account}/sign-in`, { email: 'a@b.example', password: 'wrong password' }), few: '60 a minute' },
    post(`${account}/sign-in`, hardJson('email', 30 * kib), json, `${account}/sign-in, 30 KiB`),
    { ...post(`${account}/sign-in/second-step`, { challenge: 'x'.repeat(40), code: '123456' }), few: '60 a minute' },
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
    get('/api/v1/shared-view', { authorization: `Bearer ${mintSecret('sharedView')}` }, 'a link that is none'),
    get('/api/v1/profile'),
    get('/api/v1/profile', { authorization: `Bearer ${unknownKey}` }, 'a key that is none'),
    get('/api/v1/profile', { authorization: `Bearer ${'x'.repeat(4 * kib)}` }, 'a credential of 4 KiB'),
    get(
      '/api/v1/profile',
      { cookie: `__Host-session=${'x'.repeat(32)}.y`, 'x-profile-id': uuid() },
      'a cookie that is none',
    ),
    post('/api/v1/events', hardJson('events', 60 * kib), json, '/api/v1/events, 60 KiB'),
    post(
      '/api/v1/events',
      hardJson('events', 60 * kib),
      { ...json, authorization: `Bearer ${unknownKey}` },
      '/api/v1/events with a key that is none',
    ),
    get('/nope'),
    get('/nope', { accept: 'text/html' }, 'an unknown page'),
    get(`/${'a/'.repeat(4 * kib)}`, undefined, 'an address of 8 KiB'),
    get('/%zz', undefined, 'an address that cannot be read'),
    { name: 'DELETE an address that takes GET', server: 'api', method: 'DELETE', path: '/api/v1/profile' },
    ...visits(trackingKey),
  ];
}

function visits(key: string): AnonymousRequest[] {
  const at = 'collector';
  const one = browserVisit(new Date());
  const body = (known: string, many: readonly object[]) =>
    JSON.stringify({ key: known, client_id: uuid(), visits: many });
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
    { name: 'collector: GET /t.js, compressed', server: at, method: 'GET', path: '/t.js', headers: packed },
    { name: 'collector: OPTIONS /v1/visits', server: at, method: 'OPTIONS', path: '/v1/visits' },
    send('none', '{}'),
    send('no JSON', 'x'.repeat(60 * kib)),
    send('60 KiB of small objects', hardJson('visits', 60 * kib)),
    send('of an unknown key', body('trk_0123456789abcdefghijkl', [one])),
    send('one', body(key, [one])),
    send(
      '15 with long addresses',
      body(
        key,
        Array.from({ length: 15 }, () => long),
      ),
    ),
    // Each is sealed by itself, and a profile keeps so many of a day.
    {
      ...send(
        '50 that are none',
        body(
          key,
          Array.from({ length: 50 }, () => ({ note: 'x'.repeat(1_000) })),
        ),
      ),
      few: 'a quota a day',
    },
  ];
}

/** Sends it so often, each time as somebody who was not seen before, and resolves to the statuses. */
export async function sendOften(
  { method, path, headers, body }: AnonymousRequest,
  port: number,
  times: number,
  agent: Agent,
): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {};
  let left = times;
  const one = async () => {
    while (left > 0) {
      left -= 1;
      const answer = await request(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: { ...headers, 'x-forwarded-for': nextAddress() },
        ...(body !== undefined && { body }),
        dispatcher: agent,
      }).catch(() => undefined);
      await answer?.body.dump({ limit: 64 << 20 }).catch(() => {});
      const status = answer ? String(answer.statusCode) : 'cut';
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 4 }, one));
  return statuses;
}

let addresses = 0;
function nextAddress(): string {
  addresses += 1;
  return `11.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;
}
