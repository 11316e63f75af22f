import { argumentsOf, type Route, routes } from '@tributary/contract';
import fc from 'fast-check';
import { v7 as uuid } from 'uuid';
import { tools } from '../../../apps/api/mcp/tools.ts';
import { isAt } from '../check.ts';
import { escaped, hostileTexts, hostileValues, writeJson } from '../hostile.ts';
import { type FuzzRequest, requestsTo } from '../requests.ts';
import { settled } from '../world.ts';
import { brokenBytes, documentsLike, formsLike } from './documents.ts';
import { type ParserTarget, parserTarget } from './target.ts';
import type { ParserResponse, ParserWorld } from './world.ts';

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };

/** HTTP inputs without a route schema: OAuth forms and messages, MCP messages, cursors and secrets. */
export const endpointTargets = (world: ParserWorld): ParserTarget[] => [
  assistantMessages(world),
  ...oauthForms(world),
  cursors(world),
  secrets(world),
];

const faultOnly = ({ fault }: ParserResponse): string | undefined => fault;

function assistantMessages({ send, assistant }: ParserWorld): ParserTarget {
  const message = (method: string, params: unknown) => ({ jsonrpc: '2.0', id: 1, method, params });
  const initialize = message('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'parsers', version: '1' },
  });
  const calls = tools.map(({ name, route }) => message('tools/call', { name, arguments: exampleArguments(route) }));
  const headers = { ...json, accept: 'application/json, text/event-stream', ...assistant };
  return parserTarget<Buffer>({
    name: 'MCP messages',
    inputs: documentsLike(
      initialize,
      message('tools/list', {}),
      message('prompts/get', { name: 'weekly_review', arguments: { language: 'es' } }),
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      ...calls,
    ),
    check: async (body) => faultOnly(await send({ method: 'POST', url: '/mcp?changes=allowed', headers, body })),
  });
}

/** A plausible value for each argument of a tool. */
function exampleArguments(route: Route): Record<string, unknown> {
  const exampleOf = (name: string): unknown => {
    if (name.endsWith('_from')) return '2026-06-01';
    if (name.endsWith('_to')) return '2026-06-10';
    if (/(^|_)id$/.test(name)) return uuid();
    if (name === 'limit') return 10;
    return name === 'dry_run' ? true : 'linear';
  };
  const names = Object.keys(argumentsOf(route).properties ?? {}).filter((name) => name !== 'cursor');
  return Object.fromEntries(names.map((name) => [name, exampleOf(name)]));
}

function oauthForms({ send, clientId, cookie, now }: ParserWorld): ParserTarget[] {
  const request = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: 'https://assistant.example/callback',
    scope: 'mcp:read mcp:write',
    state: 'state',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    resource: 'https://tributary.test/mcp',
    exp: String(now().getTime()),
    sig: 'signature',
  };
  const query = new URLSearchParams(request).toString();
  const post = (name: string, url: string, fields: Record<string, string>) =>
    parserTarget<Buffer>({
      name: `form of ${name}`,
      inputs: formsLike(fields),
      check: async (body) =>
        faultOnly(
          await send({
            method: 'POST',
            url,
            headers: { ...form, origin: 'https://tributary.test', 'sec-fetch-site': 'same-origin', cookie },
            body,
          }),
        ),
    });
  const get = (name: string, url: string, fields: Record<string, string>) =>
    parserTarget<Buffer>({
      name: `query of ${name}`,
      inputs: formsLike(fields),
      check: async (text) => {
        // Bytes that a client can send in a URL.
        const search = text
          .toString('latin1')
          .replace(/[^\x21-\x7e]/g, escaped)
          .slice(0, 8_000);
        return faultOnly(
          await send({ method: 'GET', url: `${url}?${search.replaceAll('#', '%23')}`, headers: { cookie } }),
        );
      },
    });
  const code = {
    grant_type: 'authorization_code',
    code: 'x'.repeat(32),
    redirect_uri: request.redirect_uri,
    client_id: clientId,
    client_secret: 'secret',
    code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    resource: request.resource,
  };
  const registration = {
    client_name: 'Parsers',
    redirect_uris: [request.redirect_uri],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    scope: 'mcp:read',
    contacts: ['a@assistant.example'],
    logo_uri: 'https://assistant.example/logo.png',
    jwks: { keys: [{ kty: 'RSA', n: 'x', e: 'AQAB' }] },
  };
  return [
    post('the authorization code grant', '/oauth2/token', code),
    post('the refresh token grant', '/oauth2/token', {
      grant_type: 'refresh_token',
      refresh_token: 'x'.repeat(40),
      client_id: clientId,
      scope: 'mcp:read',
    }),
    post('revocation', '/oauth2/revoke', {
      token: 'x'.repeat(40),
      token_type_hint: 'refresh_token',
      client_id: clientId,
    }),
    post('consent', '/oauth2/consent', { query, decision: 'allow', profile_id: uuid(), write: 'yes' }),
    post('sign-in', '/oauth2/sign-in', {
      query,
      email: 'a@b.example',
      password: 'wrong',
      challenge: '',
      code: '123456',
    }),
    post('the client credentials grant', '/oauth/token', {
      grant_type: 'client_credentials',
      client_id: uuid(),
      client_secret: 'secret',
      profile_id: uuid(),
      scope: 'campaigns:read',
    }),
    get('authorization', '/oauth2/authorize', request),
    get('the consent page', '/oauth2/consent', request),
    get('the provider callback', '/connect/callback/social_ads', {
      state: 'a.b',
      code: 'c',
      error: 'access_denied',
    }),
    get('the bank’s widget', '/connect/bank-link', { token: 'x', state: 'y' }),
    parserTarget<Buffer>({
      name: 'client registration',
      inputs: documentsLike(registration),
      check: async (body) => faultOnly(await send({ method: 'POST', url: '/oauth2/register', headers: json, body })),
    }),
  ];
}

/** Parts of positions in cursors. */
const cursorParts = fc.oneof(
  fc.constantFrom<unknown>(uuid(), '2026-06-10T12:00:00.000Z', '2026-06-10', '0', '-999999999999999999', 'act_1', null),
  hostileValues,
);
const cursorTexts: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.array(cursorParts, { maxLength: 5 }).map((position) => encoded(writeJson(position))) },
  { weight: 2, arbitrary: hostileTexts.map((text) => encoded(`outcomes:${text}`)) },
  { weight: 1, arbitrary: fc.bigInt({ min: -1n, max: 10n ** 20n }).map((sequence) => encoded(`outcomes:${sequence}`)) },
  { weight: 2, arbitrary: brokenBytes.map((change) => change(Buffer.from(`["${uuid()}"]`)).toString('base64url')) },
  { weight: 1, arbitrary: fc.constant(uuid()) },
  { weight: 1, arbitrary: hostileTexts },
);
const encoded = (text: string): string => Buffer.from(text).toString('base64url');

/** Well-formed cursors with wrong positions, on every route that accepts one. */
function cursors({ send, headers, routeWorld }: ParserWorld): ParserTarget {
  const paged = Object.values(routes).filter((route) => 'query' in route && 'cursor' in (route.query?.shape ?? {}));
  return parserTarget<{ request: FuzzRequest; cursor: string }>({
    name: 'cursors',
    inputs: fc.record({
      request: requestsTo(paged, { isClean: true }).filter(
        (made) => made.route !== undefined && isAt(made.route, made),
      ),
      cursor: cursorTexts,
    }),
    async check({ request, cursor }) {
      const { url } = settled(request, routeWorld);
      const target = new URL(url, 'http://api');
      target.searchParams.set('cursor', cursor.slice(0, 8_000));
      return faultOnly(await send({ method: 'GET', url: `${target.pathname}${target.search}`, headers }));
    },
  });
}

/** Secrets of every type: truncated, modified, or joined from two. */
function secrets({ send, routeWorld }: ParserWorld): ParserTarget {
  const pairs = Object.values(routeWorld.credentials).flatMap((headers) => Object.entries(headers));
  return parserTarget<{
    pair: [string, string];
    other: [string, string];
    change: (bytes: Buffer) => Buffer;
    isJoined: boolean;
  }>({
    name: 'secrets',
    inputs: fc.record({
      pair: fc.constantFrom(...(pairs as [string, string][])),
      other: fc.constantFrom(...(pairs as [string, string][])),
      change: brokenBytes,
      isJoined: fc.boolean(),
    }),
    async check({ pair: [name, value], other, change, isJoined }) {
      const text = isJoined ? `${value}${other[1]}` : change(Buffer.from(value)).toString('latin1');
      const sent = { [name]: text.replace(/[^\t\x20-\x7e\x80-\xff]/g, '?').slice(0, 8_000) };
      const { status, fault } = await send({ method: 'GET', url: '/api/v1/profile', headers: sent });
      // The spelling of the scheme does not matter.
      const secret = value.replace(/^\w+ /, '');
      return fault ?? (status === 200 && !text.includes(secret) ? `${text} is accepted` : undefined);
    },
  });
}
