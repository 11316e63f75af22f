import { anyOf, data, route } from '@tributary/contract';
import { answer, refuse } from '@tributary/operations';
import {
  type BuiltKey,
  buildApiKey,
  buildProfile,
  openTestkit,
  serve,
  served,
  type Testkit,
  type TestServer,
} from '@tributary/testkit';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';

/** A small API of its own, so that these tests do not depend on the operations of the product. */
const echo = route({
  id: 'echo',
  method: 'GET',
  path: '/api/v1/echo/{id}',
  summary: 'Echo',
  chapter: 'Test',
  access: { credentials: ['api_key'], scopes: anyOf('campaigns:read', 'customers:read'), grain: 'profile' },
  params: z.object({ id: z.uuid() }),
  query: z.object({
    limit: z.string().regex(/^\d+$/, 'must be a whole number').default('10'),
    from: z.iso.date().optional(),
  }),
  refusedAs: { from: 'invalid_date_range' },
  answers: { 200: { schema: data(z.strictObject({ id: z.string(), limit: z.string() })) } },
});

const record = route({
  id: 'record',
  method: 'POST',
  path: '/api/v1/record',
  audit: 'not needed: a test',
  summary: 'Record',
  chapter: 'Test',
  access: { credentials: ['api_key'], scopes: anyOf('attribution:write'), grain: 'profile' },
  body: { schema: z.object({ name: z.string().min(1), nested: z.object({ value: z.number() }).optional() }) },
  idempotency: 'accepted',
  answers: { 201: { schema: data(z.strictObject({ event_id: z.uuid() })) } },
  refusals: ['unknown_ad'],
});

const retired = route({
  id: 'retired',
  method: 'POST',
  path: '/api/v1/retired',
  audit: 'not needed: a test',
  summary: 'Retired',
  chapter: 'Test',
  access: { credentials: ['api_key'], grain: 'profile' },
  deprecation: { since: '2026-09-05', sunset: '2026-12-04', successor: 'POST /api/v1/record' },
  answers: { 200: { schema: data(z.strictObject({})) } },
});

const broken = route({
  id: 'broken',
  method: 'GET',
  path: '/api/v1/broken',
  summary: 'Broken',
  chapter: 'Test',
  access: { credentials: ['api_key'], grain: 'profile' },
  query: z.object({ how: z.enum(['throws', 'lies', 'hangs', 'database']) }),
  answers: { 200: { schema: data(z.strictObject({ ok: z.literal(true) })) } },
});

let kit: Testkit;
let server: TestServer;
let profile: { id: string };
let key: BuiltKey;

beforeAll(async () => {
  kit = await openTestkit();
  profile = await buildProfile(kit.app);
  key = await buildApiKey(kit.app, profile.id);
  server = await serve(
    kit,
    [
      served(echo, async ({ params, query }) => answer(200, { data: { id: params.id, limit: query.limit } })),
      served(record, ({ body }, context) =>
        context.effect(async (tx) => {
          if (body.name === 'nobody') refuse('unknown_ad', 'There is no such ad.', { internal: 'looked in vain' });
          const id = uuid();
          // Any table works that shows how often the effect ran.
          await tx.insertInto('dirty_customers').values({ profile_id: profile.id, customer_id: id }).execute();
          context.mentions(profile.id);
          return answer(201, { data: { event_id: id } });
        }),
      ),
      served(retired, async () => answer(200, { data: {} })),
      served(broken, async ({ query }, { ledger, signal }) => {
        if (query.how === 'throws') throw new Error('secret detail jane@example.com');
        if (query.how === 'database') await ledger.transaction((tx) => tx.selectFrom('apps').selectAll().execute());
        if (query.how === 'hangs') await new Promise((resolve) => signal.addEventListener('abort', resolve));
        return answer(200, { data: { ok: query.how as never } });
      }),
    ],
    // Only one test waits for this timeout; the others may be slow on a busy machine.
    { maxBodyBytes: 10_000, requestTimeoutMs: 5_000 },
  );
});
afterAll(async () => {
  await server.close();
  await kit.close();
});

const get = (url: string, headers: Record<string, string> = { ...key.headers }) =>
  server.fastify.inject({ method: 'GET', url, headers });
const post = (body: unknown, headers: Record<string, string> = {}) =>
  server.fastify.inject({
    method: 'POST',
    url: '/api/v1/record',
    headers: { ...key.headers, 'content-type': 'application/json', ...headers },
    payload: typeof body === 'string' || body instanceof Buffer ? body : JSON.stringify(body),
  });
const recorded = () =>
  kit.app.forProfile(profile.id).transaction((tx) => tx.selectFrom('dirty_customers').select('customer_id').execute());

describe('a success', () => {
  test('[conv-011] [conv-012] [conv-013] is JSON with data, and meta contains the profile of the credential', async () => {
    const id = uuid();
    const response = await get(`/api/v1/echo/${id}`);
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(response.json()).toEqual({ data: { id, limit: '10' }, meta: { profile_id: profile.id } });
    expect(response.headers['x-request-id']).toMatch(/^req_[0-9a-f-]{36}$/);
  });
});

describe('an error', () => {
  test('[err-001] [err-002] [err-003] carries code, message, status, request_id and docs_url', async () => {
    const response = await get('/api/v1/echo/not-a-uuid');
    const { error } = response.json();
    expect(error).toMatchObject({
      code: 'invalid_parameter',
      status: 400,
      docs_url: 'https://tributary.test/docs/errors/invalid_parameter',
    });
    expect(error.request_id).toBe(response.headers['x-request-id']);
    expect(error.message).toContain('"id"');
  });

  test('[err-010] [err-014] [err-079] is 401 without a credential and 404 for an unknown path', async () => {
    expect((await get(`/api/v1/echo/${uuid()}`, {})).json().error.code).toBe('unauthorized');
    expect((await get('/api/v1/nothing')).json().error).toMatchObject({ code: 'not_found', status: 404 });
  });

  test('[err-014] an unsupported method returns 404 with Allow listing the supported ones', async () => {
    const request = { method: 'DELETE', headers: key.headers } as const;
    const wrong = await server.fastify.inject({ ...request, url: '/api/v1/record?x=1' });
    expect([wrong.statusCode, wrong.headers.allow, wrong.json().error.code]).toEqual([404, 'POST', 'not_found']);
    const echo = await server.fastify.inject({ ...request, url: `/api/v1/echo/${uuid()}` });
    expect([echo.statusCode, echo.headers.allow]).toEqual([404, 'GET, HEAD']);
  });

  test('HEAD returns the headers of GET without the body', async () => {
    const url = `/api/v1/echo/${uuid()}`;
    const whole = await get(url);
    const head = await server.fastify.inject({ method: 'HEAD', url, headers: key.headers });
    expect([head.statusCode, head.body, head.headers['content-type']]).toEqual([
      200,
      '',
      whole.headers['content-type'],
    ]);
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(whole.body)));
    expect((await server.fastify.inject({ method: 'HEAD', url })).statusCode).toBe(401);
  });

  test.each(['Bearer nonsense', `Bearer trib_live_${'a'.repeat(38)}`, 'Basic abc', ''])(
    '"%s" is rejected as a credential with 401',
    async (authorization) => {
      expect((await get(`/api/v1/echo/${uuid()}`, { authorization })).statusCode).toBe(401);
    },
  );

  test('[err-004] [err-012] a missing scope is 403 and listed in required_scopes', async () => {
    const reader = await buildApiKey(kit.app, profile.id, { scopes: ['goals:write'] });
    const response = await get(`/api/v1/echo/${uuid()}`, { ...reader.headers });
    expect(response.statusCode).toBe(403);
    expect(response.json().error).toMatchObject({ code: 'insufficient_scope', required_scopes: ['campaigns:read'] });
  });

  test('[err-015] an invalid or repeated query parameter is 400 and named in field', async () => {
    for (const query of ['limit=many', 'limit=1&limit=2']) {
      const response = await get(`/api/v1/echo/${uuid()}?${query}`);
      expect(response.statusCode, query).toBe(400);
      expect(response.json().error, query).toMatchObject({ code: 'invalid_parameter', field: 'limit' });
    }
  });

  test.each([
    ['limti=5', 'limti', 'Did you mean "limit"?'],
    ['limit=5&colour=red', 'colour', 'It takes limit, from.'],
    ['jane%40example.com=1', '…', 'It takes limit, from.'],
    ['limit[]=5', 'limit[]', 'Did you mean "limit"?'],
  ])('[err-015] an unknown query parameter is 400 and suggests the nearest one: %s', async (query, field, advice) => {
    const response = await get(`/api/v1/echo/${uuid()}?${query}`);
    expect(response.statusCode).toBe(400);
    expect(response.json().error).toMatchObject({ code: 'invalid_parameter', field });
    expect(response.json().error.message).toBe(`This route has no query parameter "${field}". ${advice}`);
  });

  test('a route without query parameters accepts none', async () => {
    const response = await server.fastify.inject({
      method: 'POST',
      url: '/api/v1/record?dry_run=true',
      headers: { ...key.headers, 'content-type': 'application/json' },
      payload: '{"name":"x"}',
    });
    expect(response.json().error).toMatchObject({ code: 'invalid_parameter', field: 'dry_run' });
    expect(response.json().error.message).toContain('It takes none.');
  });

  test('a field with its own error code is refused with that code', async () => {
    expect((await get(`/api/v1/echo/${uuid()}?from=2026-02-30`)).json().error).toMatchObject({
      code: 'invalid_date_range',
      status: 400,
    });
  });

  test('an internal error is 500 without its cause, which is logged without personal data', async () => {
    const response = await get('/api/v1/broken?how=database');
    expect(response.json().error).toMatchObject({ code: 'internal_error', status: 500 });
    expect(response.body).not.toMatch(/apps|permission|denied/);
    const line = server.logLines.find(
      (text) => text.includes('"failure"') && text.includes(response.json().error.request_id),
    );
    expect(line).toContain('42501');
    expect((await get('/api/v1/broken?how=throws')).body).not.toContain('jane');
  });

  test('[err-046] a response that violates its schema is never sent', async () => {
    expect((await get('/api/v1/broken?how=lies')).json().error).toMatchObject({ code: 'internal_error', status: 500 });
  });

  test('a handler that exceeds the time limit gets 503 and Retry-After', async () => {
    const response = await get('/api/v1/broken?how=hangs');
    expect(response.json().error).toMatchObject({ code: 'service_unavailable', status: 503 });
    expect(response.headers['retry-after']).toBe('5');
  });
});

describe('a body', () => {
  test.each([
    ['broken JSON', '{"name": ', 'application/json'],
    ['an array', '[]', 'application/json'],
    ['a string', '"x"', 'application/json'],
    ['null', 'null', 'application/json'],
    ['nothing', '', 'application/json'],
    ['another content type', '{"name": "x"}', 'text/plain'],
    ['65 levels', `{"name": ${'['.repeat(64)}${']'.repeat(64)}}`, 'application/json'],
    ['a NUL character', '{"name": "a\\u0000b"}', 'application/json'],
    ['half a surrogate pair', '{"name": "a\\ud800b"}', 'application/json'],
    ['bytes that are no UTF-8', Buffer.from('{"name": "a\xffb"}', 'latin1'), 'application/json'],
  ])('[conv-010] [err-016] %s is 400 invalid_request', async (_, body, contentType) => {
    const response = await post(body, { 'content-type': contentType });
    expect(response.json().error).toMatchObject({ code: 'invalid_request', status: 400 });
  });

  test.each([
    [{}, 'name', 'is required'],
    [{ name: '' }, 'name', ''],
    [{ name: 'x', nested: { value: 'y' } }, 'nested.value', ''],
  ])('[err-017] %j is 422 and names the field %s', async (body, field, words) => {
    const { error } = (await post(body)).json();
    expect(error).toMatchObject({ code: 'validation_error', status: 422, field });
    expect(error.message).toContain(field);
    expect(error.message).toContain(words);
  });

  test('brackets inside a string do not count as nesting', async () => {
    expect((await post({ name: `"${'[{'.repeat(100)}` })).statusCode).toBe(201);
  });

  test('a body over the limit is 413', async () => {
    expect((await post({ name: 'x'.repeat(20_000) })).json().error).toMatchObject({
      code: 'payload_too_large',
      status: 413,
    });
  });
});

describe('Idempotency-Key', () => {
  test('[err-069] [lim-025] a repeated request gets the same bytes and runs once, for 24 hours', async () => {
    const before = (await recorded()).length;
    const key = { 'idempotency-key': uuid() };
    const first = await post({ name: 'once' }, key);
    const second = await post({ name: 'once' }, key);
    expect(first.statusCode).toBe(201);
    expect([second.statusCode, second.body]).toEqual([201, first.body]);
    expect(second.headers['idempotent-replayed']).toBe('true');
    expect((await recorded()).length).toBe(before + 1);
    kit.clock.advance(24 * 3_600_000 - 1);
    expect((await post({ name: 'once' }, key)).body).toBe(first.body);
    kit.clock.advance(1);
    expect((await post({ name: 'once' }, key)).body).not.toBe(first.body);
  });

  test('the same key with another body is 409 idempotency_key_conflict', async () => {
    const key = { 'idempotency-key': uuid() };
    await post({ name: 'one' }, key);
    expect((await post({ name: 'two' }, key)).json().error).toMatchObject({
      code: 'idempotency_key_conflict',
      status: 409,
    });
  });

  test('concurrent requests with one key run once', async () => {
    const before = (await recorded()).length;
    const key = { 'idempotency-key': uuid() };
    const answers = await Promise.all(Array.from({ length: 10 }, () => post({ name: 'at once' }, key)));
    expect((await recorded()).length).toBe(before + 1);
    const codes = new Set(
      answers.filter(({ statusCode }) => statusCode !== 201).map((response) => response.json().error.code),
    );
    // On a busy machine a request may time out while it waits; it has changed nothing then.
    const expected = ['idempotency_key_in_flight', 'service_unavailable'];
    expect([...codes].filter((code) => !expected.includes(code))).toEqual([]);
    const bodies = new Set(answers.filter(({ statusCode }) => statusCode === 201).map(({ body }) => body));
    expect(bodies.size).toBe(1);
  });

  test('does not store a refusal: the corrected request may reuse the key', async () => {
    const key = { 'idempotency-key': uuid() };
    expect((await post({ name: 'nobody' }, key)).statusCode).toBe(422);
    expect((await post({ name: 'nobody' }, key)).statusCode).toBe(422);
  });

  test('stores the response encrypted, with the customers it mentions', async () => {
    const idempotencyKey = uuid();
    const first = await post({ name: 'sealed' }, { 'idempotency-key': idempotencyKey });
    const rows = await kit.app
      .forProfile(profile.id)
      .transaction((tx) => tx.selectFrom('idempotent_answers').selectAll().execute());
    const people = await kit.app
      .forProfile(profile.id)
      .transaction((tx) => tx.selectFrom('idempotent_answer_people').selectAll().execute());
    const dump = JSON.stringify(rows.map((row) => row.body.toString('latin1')));
    expect(dump).not.toContain(first.json().data.event_id);
    expect(people.map((row) => row.customer_id)).toContain(profile.id);
  });

  test('an invalid key is 400', async () => {
    const response = await post({ name: 'x' }, { 'idempotency-key': 'with space' });
    expect(response.json().error).toMatchObject({ code: 'invalid_parameter', field: 'Idempotency-Key' });
  });
});

describe('a deprecated route', () => {
  const call = () => server.fastify.inject({ method: 'POST', url: '/api/v1/retired', headers: key.headers });

  test('has Deprecation, Sunset and Link headers, and returns 404 from its sunset on', async () => {
    kit.clock.set('2026-12-03T23:59:59.999Z');
    const response = await call();
    expect(response.statusCode).toBe(200);
    expect(response.headers.deprecation).toBe(`@${Date.parse('2026-09-05T00:00:00Z') / 1_000}`);
    expect(response.headers.sunset).toBe('Fri, 04 Dec 2026 00:00:00 GMT');
    expect(response.headers.link).toBe('<https://tributary.test/api/v1/record>; rel="successor-version"');
    kit.clock.set('2026-12-04T00:00:00.000Z');
    const gone = (await call()).json().error;
    expect(gone).toMatchObject({ code: 'not_found', status: 404 });
    expect(gone.message).toContain('POST /api/v1/record');
  });
});

describe('a write', () => {
  test('[err-023] requires the entitlement for writes but not for reads', async () => {
    const waiting = await buildProfile(kit.app);
    await kit.app
      .forProfile(waiting.id)
      .transaction((tx) => tx.updateTable('profiles').set({ is_attribution_enabled: false }).execute());
    const waitingKey = await buildApiKey(kit.app, waiting.id);
    expect((await post({ name: 'x' }, { ...waitingKey.headers })).json().error).toMatchObject({
      code: 'entitlement_required',
      status: 409,
    });
    expect((await get(`/api/v1/echo/${uuid()}`, { ...waitingKey.headers })).statusCode).toBe(200);
  });
});

test('logs contain no addresses, headers or bodies', async () => {
  await get(`/api/v1/echo/${uuid()}?limit=jane%40example.com`);
  await post({ name: 'jane@example.com' });
  expect(server.logLines.join('\n')).not.toMatch(/jane|example\.com|trib_live|127\.0\.0\.1/);
});

test('/healthz reports the process and /readyz its dependencies', async () => {
  expect((await get('/healthz')).json()).toEqual({ status: 'ok' });
  expect((await get('/readyz')).json()).toEqual({ status: 'ready', engines: { postgres: 'up', redis: 'up' } });
});
