import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorExample, type Route, routes, type Scope } from '@tributary/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { type ClientOptions, createClientOf } from './client.ts';
import { type Client, createClient, type RequestOf, type Routes, TributaryError } from './index.ts';
import { made } from './made-up.fixture.ts';
import { toOperations } from './operation.ts';

interface Received {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A server that sends the scripted responses in order and records the requests. */
let server: Server;
let baseUrl: string;
let received: Received[] = [];
let script: ((response: ServerResponse) => void)[] = [];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
    const next = script.shift();
    if (next) next(response);
    else response.writeHead(500).end('The script is over.');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  received = [];
  script = [];
});

const json =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    response
      .writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
      .end(JSON.stringify(body));
const refusal = (
  code:
    | 'rate_limit_exceeded'
    | 'service_unavailable'
    | 'link_tokens_disabled'
    | 'idempotency_key_in_flight'
    | 'insufficient_scope'
    | 'internal_error',
  headers = {},
) => {
  const example = errorExample(code, 'https://tributary.example');
  return json(Number(example.error.status), example, headers);
};
const hangUp = (response: ServerResponse) => void response.destroy();
const meta = { profile_id: '01890a5d-ac96-774b-bcce-b302099a8057' };
const thing = json(200, { data: { id: 'a' }, meta });

const quick = { firstWaitMs: 1 };
const client = (options: Partial<ClientOptions> = {}) =>
  createClientOf<typeof made>(toOperations(made), { baseUrl, apiKey: 'trib_live_x', retry: quick, ...options });
const caught = async (call: Promise<unknown>): Promise<TributaryError> => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof TributaryError)) throw new Error(`Not a TributaryError: ${error}`);
  return error;
};

describe('a call', () => {
  test('fills path and query and returns the response body', async () => {
    script = [thing];
    const answer = await client().readThing({ params: { thingId: 'a/b ?' }, query: { tone: 'loud', tag: ['x', 'y'] } });
    expect(answer).toEqual({ data: { id: 'a' }, meta });
    expect(received[0]?.line).toBe('GET /things/a%2Fb%20%3F?tone=loud&tag=x&tag=y');
    expect(received[0]?.headers).toMatchObject({ authorization: 'Bearer trib_live_x', accept: 'application/json' });
    expect(received[0]?.headers).not.toHaveProperty('content-type');
  });

  test("sends a body as JSON, with the caller's idempotency key", async () => {
    script = [json(201, { data: { id: 'a' }, meta })];
    await client({ baseUrl: `${baseUrl}/`, headers: { 'X-Profile-Id': 'p' } }).writeThing({
      body: { name: 'ü' },
      idempotencyKey: 'k-1',
    });
    expect(received[0]).toMatchObject({
      line: 'POST /things',
      body: '{"name":"ü"}',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'k-1', 'x-profile-id': 'p' },
    });
  });

  test('sends a form as a form, and no API key to operations that do not use one', async () => {
    script = [json(200, { access_token: 't' })];
    await client().getToken({ body: { grant_type: 'client_credentials', scope: 'a b' } });
    expect(received[0]?.body).toBe('grant_type=client_credentials&scope=a+b');
    expect(received[0]?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(received[0]?.headers).not.toHaveProperty('authorization');
  });

  test('sends x-profile-id in a session, and a JSON content type for changes without a body', async () => {
    script = [thing, thing, json(200, { data: { id: 'a' }, meta })];
    const inSession = createClientOf<typeof made>(toOperations(made), { baseUrl, session: { profileId: 'p-1' } });
    await inSession.putThing();
    await inSession.readThing({ params: { thingId: 'a' } });
    await createClientOf<typeof made>(toOperations(made), { baseUrl, session: {} }).putThing();
    expect(received.map(({ headers }) => [headers['content-type'], headers['x-profile-id']])).toEqual([
      ['application/json', 'p-1'],
      [undefined, 'p-1'],
      ['application/json', undefined],
    ]);
    expect(received[0]?.headers).not.toHaveProperty('authorization');
  });

  test('returns text as text, and an empty body as undefined', async () => {
    script = [
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<b>'),
      (response) => response.writeHead(200).end(),
    ];
    expect(await client().readSnippet()).toBe('<b>');
    expect(await client().readSnippet()).toBeUndefined();
  });

  test.each(['', '.', '..', undefined])(
    'rejects %j as a path parameter, because the request would reach another route',
    async (thingId) => {
      await expect(client().readThing({ params: { thingId: thingId as string } })).rejects.toThrow(
        'readThing needs params.thingId',
      );
      expect(received).toEqual([]);
    },
  );

  test('uses the given fetch', async () => {
    const urls: string[] = [];
    const fetch: typeof globalThis.fetch = async (url, init) => {
      urls.push(`${init?.method} ${url}`);
      return Response.json({ data: { id: 'a' }, meta });
    };
    await client({ fetch }).putThing();
    expect(urls).toEqual([`PUT ${baseUrl}/things`]);
  });
});

describe('an error', () => {
  test('carries all fields of the error envelope', async () => {
    script = [refusal('insufficient_scope')];
    const error = await caught(client().putThing());
    expect(error).toMatchObject({
      name: 'TributaryError',
      code: 'insufficient_scope',
      status: 403,
      requestId: 'req_01890a5d-ac96-774b-bcce-b302099a8057',
      docsUrl: 'https://tributary.example/docs/errors/insufficient_scope',
      fields: { required_scopes: ['customers:read'] },
      retryAfter: undefined,
    });
    expect(error.message).toMatch(/does not hold a scope/);
    expect(error.is('insufficient_scope')).toBe(true);
    expect(error.is('not_found')).toBe(false);
    expect(received).toHaveLength(1);
  });

  test.each<[string, (response: ServerResponse) => void, object]>([
    [
      'response of a proxy',
      (response) => response.writeHead(400, { 'x-request-id': 'req_1' }).end('<html>'),
      { code: 'unreadable_answer', status: 400, requestId: 'req_1', cause: '<html>' },
    ],
    [
      'truncated success',
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).end('{"da'),
      { code: 'unreadable_answer', status: 200 },
    ],
    [
      'unknown code of a newer server',
      json(418, { error: { code: 'teapot', message: 'Short and stout.', spout: true } }),
      { code: 'teapot', status: 418, fields: { spout: true } },
    ],
    ['lost connection', hangUp, { code: 'no_answer', status: 0 }],
  ])('a %s is a TributaryError too', async (_name, answer, expected) => {
    script = [answer];
    expect(await caught(client({ retry: { attempts: 1 } }).putThing())).toMatchObject(expected);
  });

  test('is thrown when the server takes too long', async () => {
    script = [() => undefined];
    const error = await caught(client({ timeoutMs: 50, retry: { attempts: 1 } }).putThing());
    expect(error).toMatchObject({ code: 'no_answer', message: 'No answer within 50 ms.' });
  });
});

describe('retrying', () => {
  test.each<[string, (response: ServerResponse) => void]>([
    ['a lost connection', hangUp],
    ['service_unavailable', refusal('service_unavailable')],
    ['internal_error', refusal('internal_error')],
    ['rate_limit_exceeded with Retry-After', refusal('rate_limit_exceeded', { 'retry-after': '0' })],
    ["a proxy's 502", (response) => response.writeHead(502).end('Bad Gateway')],
  ])('retries after %s until the call succeeds', async (_name, fault) => {
    script = [fault, fault, thing];
    expect(await client().readThing({ params: { thingId: 'a' } })).toEqual({ data: { id: 'a' }, meta });
    expect(received).toHaveLength(3);
  });

  test('stops after the maximum of attempts and throws the last error', async () => {
    script = Array.from({ length: 9 }, () => refusal('service_unavailable'));
    expect((await caught(client().putThing())).code).toBe('service_unavailable');
    expect(received).toHaveLength(3);
    received = [];
    await caught(client({ retry: { attempts: 5, ...quick } }).putThing());
    expect(received).toHaveLength(5);
  });

  test('retries a write under a generated key, which is new for each call', async () => {
    script = [hangUp, thing, thing];
    await client().writeThing({ body: { name: 'a' } });
    await client().writeThing({ body: { name: 'a' } });
    const [first, again, second] = received.map(({ headers }) => headers['idempotency-key']);
    expect(first).toMatch(/^[0-9a-f]{32}$/);
    expect([again === first, second === first]).toEqual([true, false]);
    script = [thing];
    await client().putThing();
    expect(received[3]?.headers).not.toHaveProperty('idempotency-key');
  });

  test('never retries a write without a key, because the first attempt may have succeeded', async () => {
    for (const fault of [
      hangUp,
      refusal('service_unavailable'),
      refusal('rate_limit_exceeded', { 'retry-after': '0' }),
    ]) {
      script = [fault, thing];
      await caught(client({ makesKeys: false }).writeThing({ body: { name: 'a' } }));
    }
    expect(received).toHaveLength(3);
  });

  test('retries a write with the same key', async () => {
    script = [hangUp, refusal('idempotency_key_in_flight', { 'retry-after': '0' }), thing];
    await client().changeAd({ idempotencyKey: 'k-2' });
    expect(received.map(({ headers }) => headers['idempotency-key'])).toEqual(['k-2', 'k-2', 'k-2']);
  });

  test.each<[string, (response: ServerResponse) => void]>([
    ['an error that the catalogue marks as permanent, whatever its status', refusal('link_tokens_disabled')],
    ['a mistake of the caller', refusal('insufficient_scope')],
    ['a 429 without Retry-After', refusal('rate_limit_exceeded')],
    ['a Retry-After above the longest wait', refusal('rate_limit_exceeded', { 'retry-after': '3600' })],
  ])('never retries after %s', async (_name, fault) => {
    script = [fault, thing];
    await caught(client().putThing());
    expect(received).toHaveLength(1);
  });

  test('waits for Retry-After, in seconds or as a date', async () => {
    for (const retryAfter of [() => '1', () => new Date(Date.now() + 1_500).toUTCString()]) {
      const startedAt = performance.now();
      script = [refusal('rate_limit_exceeded', { 'retry-after': retryAfter() }), thing];
      await client().putThing();
      expect(performance.now() - startedAt).toBeGreaterThan(400);
    }
    script = [refusal('rate_limit_exceeded', { 'retry-after': '3600' })];
    expect((await caught(client().putThing())).retryAfter).toBe(3_600);
  });

  test('stops when the caller aborts, with the reason of the caller', async () => {
    const waiting = new AbortController();
    script = [refusal('rate_limit_exceeded', { 'retry-after': '20' }), thing];
    const call = client().putThing({ signal: waiting.signal });
    setTimeout(() => waiting.abort(new Error('enough')), 100);
    await expect(call).rejects.toThrow('enough');
    script = [() => undefined];
    const stuck = client().putThing({ signal: AbortSignal.timeout(50) });
    await expect(stuck).rejects.toThrow(/timeout/);
    await expect(client().putThing({ signal: AbortSignal.abort(new Error('never mind')) })).rejects.toThrow(
      'never mind',
    );
    expect(received).toHaveLength(2);
  });
});

describe('each', () => {
  const rows = (ids: string, cursor: string | null, hasNext: boolean) =>
    json(200, { data: [...ids].map((id) => ({ id })), pagination: { has_next: hasNext, cursor }, meta });
  const collect = async (all: AsyncIterable<{ id: string }>) => {
    let ids = '';
    for await (const { id } of all) ids += id;
    return ids;
  };

  test('follows an opaque cursor to the last page, and keeps the rest of the query', async () => {
    script = [rows('ab', 'c1', true), rows('', 'c2', true), rows('c', 'c3', false)];
    expect(await collect(client().listThings.each({ query: { limit: 2 } }))).toBe('abc');
    expect(received.map(({ line }) => line)).toEqual([
      'GET /things?limit=2',
      'GET /things?limit=2&cursor=c1',
      'GET /things?limit=2&cursor=c2',
    ]);
  });

  test('pages() yields whole responses', async () => {
    script = [rows('ab', 'c1', true), rows('c', null, false)];
    const pages: unknown[] = [];
    for await (const { data, pagination } of client().listThings.pages()) pages.push([data.length, pagination.cursor]);
    expect(pages).toEqual([
      [2, 'c1'],
      [1, null],
    ]);
  });

  test('splits a cursor that consists of two parameters', async () => {
    script = [rows('a', '2026-01-31T09:30:00.000Z|u1', true), rows('b', null, false)];
    expect(await collect(client().listPeople.each({ query: { date_from: '2026-01-01' } }))).toBe('ab');
    expect(received[1]?.line).toBe(
      'GET /people?date_from=2026-01-01&cursor_time=2026-01-31T09%3A30%3A00.000Z&cursor_id=u1',
    );
  });

  test('fetches a page only when its rows are consumed', async () => {
    script = [rows('ab', 'c1', true)];
    for await (const { id } of client().listThings.each()) if (id === 'b') break;
    expect(received).toHaveLength(1);
  });

  test.each([null, 'c1'])('throws instead of looping when the next cursor is %j', async (cursor) => {
    script = [rows('a', 'c1', true), rows('b', cursor, true)];
    await expect(collect(client().listThings.each())).rejects.toThrow('did not say where');
  });

  test('exists only for paged operations', () => {
    expect(client().readThing).not.toHaveProperty('each');
  });
});

test('the client of the real API has a method for each route, and each() where responses are paged', () => {
  const real = createClient({ baseUrl, apiKey: 'x' });
  expect(Object.keys(real)).toEqual(Object.keys(routes));
  expect(Object.values(real).every((method) => typeof method === 'function')).toBe(true);
  for (const [id, { answers }] of Object.entries<Route>(routes)) {
    const schema = answers[200]?.schema;
    const isPaged = schema instanceof z.ZodObject && 'pagination' in schema.shape;
    const method = real[id as keyof Client];
    expect(['each' in method, 'pages' in method, id]).toEqual([isPaged, isPaged, id]);
  }
});

test('the types describe parameters and results', () => {
  const typed = client();
  expect([typeof typed.readThing, typeof typed.listThings.each]).toEqual(['function', 'function']);
  expectTypeOf(typed.readThing).returns.resolves.toEqualTypeOf<
    { data: { id: string }; meta: { profile_id: string } } | { data: { queued: true }; meta: { profile_id: string } }
  >();
  expectTypeOf(typed.readSnippet).returns.resolves.toEqualTypeOf<string>();
  expectTypeOf(typed.readSnippet).parameters.toEqualTypeOf<[request?: RequestOf<typeof made.readSnippet>]>();
  expectTypeOf<RequestOf<typeof made.readThing>['params']>().toEqualTypeOf<{ thingId: string }>();
  expectTypeOf<RequestOf<typeof made.writeThing>['body']>().toEqualTypeOf<{
    name: string;
    tone?: string | undefined;
  }>();
  expectTypeOf<RequestOf<typeof made.changeAd>>().toExtend<{ idempotencyKey: string }>();
  expectTypeOf<RequestOf<typeof made.readThing>>().not.toHaveProperty('idempotencyKey');
  expectTypeOf<{ limit: 5 }>().toExtend<NonNullable<RequestOf<typeof made.listThings>['query']>>();
  expectTypeOf(typed.listThings.each()).toEqualTypeOf<AsyncGenerator<{ id: string }, void, undefined>>();

  // @ts-expect-error: the path parameter is required.
  const _noParams = () => typed.readThing();
  // @ts-expect-error: an ad change requires an idempotency key.
  const _noKey = () => typed.changeAd();
  // @ts-expect-error: the field is not declared.
  const _unknownField = () => typed.writeThing({ body: { name: 'a', colour: 'red' } });
  // @ts-expect-error: the operation is not paged.
  const _noPages = () => typed.readThing.each;

  const error = new TributaryError({ code: 'no_answer', message: '', status: 0 }) as TributaryError;
  if (error.is('insufficient_scope')) expectTypeOf(error.fields.required_scopes).toEqualTypeOf<Scope[] | undefined>();

  const real = createClient({ baseUrl, apiKey: 'x' });
  type Events = RequestOf<Routes['createEvent']>['body'];
  expectTypeOf<{
    events: { event_name: string; properties: { value: string; currency: string } }[];
  }>().toExtend<Events>();
  expectTypeOf<{ events: { event_name: number }[] }>().not.toExtend<Events>();
  expectTypeOf(real.readProfile)
    .returns.resolves.toHaveProperty('data')
    .toHaveProperty('privacy_mode')
    .toEqualTypeOf<'standard' | 'platform_safe' | 'hipaa'>();
});
