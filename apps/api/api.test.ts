import { brotliDecompressSync } from 'node:zlib';
import { collectorRoutes, errors, type Route, routes, Scope } from '@tributary/contract';
import { buildApiKey, buildProfile, openApi, openTestWithClickHouse } from '@tributary/testkit';
import { describe, expect, test } from 'vitest';

const { kit, api } = await openTestWithClickHouse();

const anyId = '0198a000-0000-7000-8000-000000000000';
const declared: readonly Route[] = Object.values(routes);
const get = (url: string, headers: Record<string, string> = {}) => api.fastify.inject({ method: 'GET', url, headers });

describe("the service's own documents", () => {
  test('[ver-002] [ver-003] openapi.json describes every route', async () => {
    const response = await get('/api/v1/openapi.json');
    expect(response.statusCode).toBe(200);
    const operations = Object.entries(response.json().paths as Record<string, object>).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const described = [...declared, ...Object.values(collectorRoutes)];
    expect(operations.sort()).toEqual(described.map(({ method, path }) => `${method} ${path}`).sort());
  });

  describe.each(['/api/v1/openapi.json', '/api/v1/changelog'])('%s', (path) => {
    test('is generated and compressed once, and sent from the same buffer', async () => {
      const sent: unknown[] = [];
      const other = await openApi(kit);
      other.fastify.addHook('onSend', async (_request, _reply, payload) => {
        sent.push(payload);
      });
      const request = () => other.fastify.inject({ url: path, headers: { 'accept-encoding': 'gzip, br' } });
      const [first] = await Promise.all([request(), request()]);
      await request();
      await other.close();
      expect(sent[0]).toBeInstanceOf(Buffer);
      expect(sent.map((payload) => payload === sent[0])).toEqual([true, true, true]);
      expect(first?.headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'content-encoding': 'br',
        'cache-control': 'public, max-age=300',
        vary: expect.stringContaining('accept-encoding'),
      });
      expect(brotliDecompressSync(first?.rawPayload ?? '').toString()).toBe((await get(path)).body);
    });

    test('returns 304 for a matching If-None-Match, and counts the request', async () => {
      const { headers } = await get(path);
      const again = await get(path, { 'if-none-match': String(headers.etag) });
      expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', headers.etag]);
      expect(Number(again.headers['x-ratelimit-remaining'])).toBeLessThan(600);
      expect((await get(`${path}?x=1`)).json().error.code).toBe('invalid_parameter');
    });
  });

  test('[ver-001] [conv-008] all routes are under /api/v1, except the OAuth token endpoint', () => {
    expect(declared.map(({ path }) => path).filter((path) => !path.startsWith('/api/v1/'))).toEqual(['/oauth/token']);
  });

  test('[ver-004] [conv-009] the alternate host returns the same responses', async () => {
    const { id } = await buildProfile(kit.app);
    const { headers } = await buildApiKey(kit.app, id, { scopes: Scope.options });
    const dates = 'date_from=2026-06-01&date_to=2026-06-02';
    const readable = declared.filter(
      ({ method, access }) => method === 'GET' && access.credentials.includes('api_key'),
    );
    const urls = readable.flatMap(({ path }) => {
      const url = path.replace(/\{\w+\}/g, anyId);
      return [url, `${url}?${dates}`];
    });
    const statuses = new Set<number>();
    for (const url of ['/api/v1/changelog', ...urls]) {
      const hosts = ['tributary.test', 'api.tributary.test'];
      const [base, alternate] = await Promise.all(hosts.map((host) => get(url, { ...headers, host })));
      const body = (body = '') => body.replaceAll(/req_[\w-]+/g, '');
      expect([alternate?.statusCode, body(alternate?.body)], url).toEqual([base?.statusCode, body(base?.body)]);
      statuses.add(base?.statusCode ?? 0);
    }
    expect([...statuses].sort()).toEqual(expect.arrayContaining([200, 400, 404]));
  });

  test('[ver-015] [ver-016] [conv-017] the changelog is dated, newest first, and each change has a kind', async () => {
    const { data } = (await get('/api/v1/changelog')).json() as {
      data: { date: string; changes: { kind: string }[] }[];
    };
    const dates = data.map(({ date }) => date);
    expect(dates).toEqual(dates.toSorted().reverse());
    for (const date of dates) expect(date).toMatch(/^\d{4}-\d\d-\d\d$/);
    const kinds = new Set(data.flatMap(({ changes }) => changes.map(({ kind }) => kind)));
    expect(
      [...kinds].filter((kind) => !['Added', 'Changed', 'Fixed', 'Breaking', 'Deprecated'].includes(kind)),
    ).toEqual([]);
  });

  test('every docs_url has a page', async () => {
    for (const code of Object.keys(errors)) expect((await get(`/docs/errors/${code}`)).statusCode, code).toBe(200);
  });
});

describe('every route requires a credential', () => {
  const isOpen = ({ access }: Route) =>
    access.credentials.some((kind) => kind === 'public' || kind === 'client_secret');

  test.each(declared.filter((route) => !isOpen(route)).map((route) => [route.id, route] as const))(
    '[auth-001] %s',
    async (_, { method, path }) => {
      const url = path.replace(/\{\w+\}/g, anyId);
      const response = await api.fastify.inject({
        method,
        url,
        remoteAddress: `203.0.113.${Math.floor(Math.random() * 250)}`,
      });
      expect([response.statusCode, response.json().error.code]).toEqual([401, 'unauthorized']);
    },
  );

  test('the routes without a credential are exactly those used before one exists', () => {
    expect(
      declared
        .filter(isOpen)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(
      [
        'acceptInvitation',
        'beginPasskeySignIn',
        'completePasswordReset',
        'completeSignIn',
        'createToken',
        'readChangelog',
        'readInvitation',
        'readOpenapi',
        'requestPasswordReset',
        'signIn',
        'signInWithPasskey',
      ].filter((id) => id in routes),
    );
  });
});

describe('date_from and date_to must be valid dates in order', () => {
  const routesWithDates = declared.filter(({ query }) => query && 'date_from' in query.shape);
  /** Other parameters that some of these routes require. */
  const otherParams = { goal: 'payment_received', entity_ids: anyId, field: 'spend', from: '2026-05-01T00:00:00Z' };

  test('are parameters of reports and lists', () => expect(routesWithDates.length).toBeGreaterThan(8));

  test.each(routesWithDates.map((route) => [route.id, route] as const))(
    '[err-019] [err-020] [err-021] %s',
    async (_, { method, path, access, query: schema }) => {
      const { id } = await buildProfile(kit.app);
      const { headers } = await buildApiKey(kit.app, id, { scopes: access.scopes?.flat() ?? [] });
      const required = Object.entries(otherParams).filter(([name]) => schema && name in schema.shape);
      const request = async (days: Record<string, string>) => {
        const query = new URLSearchParams([...required, ...Object.entries(days)]);
        const url = `${path.replace('{model}', 'data_driven').replace(/\{\w+\}/g, anyId)}?${query}`;
        const { statusCode, json } = await api.fastify.inject({ method, url, headers: { ...headers } });
        return [statusCode, json().error?.code];
      };
      const [early, late] = ['2026-05-01', '2026-05-02'];
      for (const days of [
        {},
        { date_from: early },
        { date_to: late },
        { date_from: '', date_to: late },
        { date_from: '01.05.2026', date_to: late },
        { date_from: '2026-5-1', date_to: late },
        { date_from: `${early}T00:00:00Z`, date_to: late },
        { date_from: '2026-02-29', date_to: late },
        { date_from: early, date_to: '2026-06-31' },
        { date_from: late, date_to: early },
      ])
        expect(await request(days), JSON.stringify(days)).toEqual([400, 'invalid_date_range']);
      // The campaign or ad of routes with an id does not exist (404), and no model was fitted (409).
      for (const date_to of [early, late])
        expect((await request({ date_from: early, date_to }))[0]).toBeOneOf([200, 404, 409]);
    },
  );
});

test.each([
  ['standard', 300],
  ['elevated', 1_200],
  ['internal', 6_000],
] as const)('[lim-029] an app of the %s tier has %d requests a minute', async (rateTier, limit) => {
  const token = await (await api.registerApp({ rateTier })).token();
  const response = await api.fastify.inject({
    method: 'POST',
    url: '/api/v1/workspaces',
    headers: { ...token, 'content-type': 'application/json' },
    payload: '{"name": "x"}',
  });
  expect([response.statusCode, response.headers['x-ratelimit-limit']]).toEqual([201, String(limit)]);
});

test('timestamps are UTC with milliseconds [conv-018]', async () => {
  const profile = await buildProfile(kit.app);
  const key = await buildApiKey(kit.app, profile.id);
  const { data } = (await get('/api/v1/profile', { ...key.headers })).json();
  expect(data.created_at).toBe('2026-01-01T00:00:00.000Z');
});
