import { anyOf, data, type Route, route, routes } from '@tributary/contract';
import { answer, refuse } from '@tributary/operations';
import { openTestkit, serve, served, type Testkit, type TestServer } from '@tributary/testkit';
import { v7 as uuid } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { faultOf, isAt } from './check.ts';
import { Fuzzer } from './fuzz.ts';
import { validInput } from './requests.ts';
import { openCollectorTarget, targetOf } from './targets.ts';
import { buildWorld } from './world.ts';

/** Routes with many kinds of fields, so that this test of the generator does not depend on the product's routes. */
const access = { credentials: ['api_key'], scopes: anyOf('attribution:write'), grain: 'profile' } as const;
const common = { summary: 'Test', chapter: 'Test', access } as const;

const list = route({
  ...common,
  id: 'list',
  method: 'GET',
  path: '/api/v1/things/{id}',
  params: z.object({ id: z.uuid() }),
  query: z.object({
    limit: z.coerce.number().int().min(1).max(200).default(50),
    from: z.iso.date(),
    kinds: z.enum(['a', 'b']).optional(),
    search: z.string().trim().max(100).optional(),
  }),
  ids: { id: 'profile' },
  refusedAs: { from: 'invalid_date_range' },
  answers: { 200: { schema: data(z.strictObject({ limit: z.number(), search: z.string().nullable() })) } },
});

const record = route({
  ...common,
  id: 'record',
  method: 'POST',
  path: '/api/v1/things',
  audit: 'not needed: a test',
  body: {
    schema: z.strictObject({
      name: z.string().min(1).max(50),
      amount: z.number().nonnegative(),
      at: z.iso.datetime({ offset: true }),
      tags: z.array(z.string()).max(5).default([]),
      more: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
      target: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('email'), email: z.email() }),
        z.strictObject({ kind: z.literal('none') }),
      ]),
    }),
  },
  idempotency: 'accepted',
  refusals: ['unknown_ad'],
  answers: { 201: { schema: data(z.strictObject({ id: z.uuid(), name: z.string() })) } },
});

const good = [
  served(list, async ({ params, query }, { caller }) => {
    if (params.id !== caller.profileId) refuse('not_found', 'There is no such thing.');
    return answer(200, { data: { limit: query.limit, search: query.search ?? null } });
  }),
  served(record, ({ body }, context) =>
    context.effect(async () => {
      if (body.tags.includes('')) refuse('unknown_ad', 'There is no such ad.');
      return answer(201, { data: { id: uuid(), name: body.name } });
    }),
  ),
];

let kit: Testkit;
const servers: TestServer[] = [];
beforeAll(async () => {
  kit = await openTestkit();
});
afterAll(async () => {
  for (const server of servers) await server.close();
  await kit.close();
});

async function fuzz(routes: Parameters<typeof serve>[1], requests: number): Promise<Fuzzer> {
  const server = await serve(kit, routes);
  servers.push(server);
  const target = { ...(await targetOf(server)), routes: routes.map((one) => one.route) };
  const fuzzer = new Fuzzer(target, () => buildWorld(kit));
  await fuzzer.batch(7, requests);
  return fuzzer;
}

test('finds no fault in correct routes, and many requests succeed', async () => {
  const { failures, byStatus, counts } = await fuzz(good, 3_000);
  expect(failures).toEqual([]);
  expect(counts).toEqual({ requests: 3_000, off_schema: 0, server_error: 0 });
  expect((byStatus[200] ?? 0) + (byStatus[201] ?? 0)).toBeGreaterThan(600);
  for (const status of [400, 401, 403, 404, 413, 422]) expect(byStatus[status], `${status}`).toBeGreaterThan(0);
});

test('finds no fault in the collector, and every route of it succeeds', async () => {
  const collector = await openCollectorTarget(kit);
  const fuzzer = new Fuzzer(collector, () => buildWorld(kit));
  await fuzzer.batch(7, 300);
  await collector.close();
  expect(fuzzer.failures).toEqual([]);
  expect(fuzzer.unreached()).toEqual([]);
  for (const status of [200, 204, 400, 401, 404]) expect(fuzzer.byStatus[status], `${status}`).toBeGreaterThan(0);
});

describe('reports a planted fault once, with a small request:', () => {
  const planted = { ...record, id: 'planted', path: '/api/v1/planted' } as const;

  test.each([
    [
      'throws on a name of more than 40 characters',
      /internal_error/,
      ({ name }: { name: string }) => {
        if (name.length > 40) throw new Error('too long for a column');
        return answer(201, { data: { id: uuid(), name } });
      },
    ],
    [
      'returns a response that violates the schema for amounts below one',
      /internal_error/,
      ({ name, amount }: { name: string; amount: number }) =>
        answer(201, { data: { id: amount < 1 ? 'none' : uuid(), name } }),
    ],
    [
      'returns an error code that the route does not declare',
      /invalid_state, which planted does not declare/,
      ({ name }: { name: string }) =>
        name.startsWith('a') ? refuse('invalid_state', 'Not now.') : answer(201, { data: { id: uuid(), name } }),
    ],
  ] as const)('%s', async (_, what, handle) => {
    const { failures } = await fuzz([served(planted, async ({ body }) => handle(body))], 1_000);
    const found = failures.filter((failure) => what.test(failure.what));
    expect(found).toHaveLength(1);
    expect(found[0]?.request.length).toBeLessThan(330);
    // Shrinking has removed all mutations that are not needed for the fault.
    expect(found[0]?.request).toContain(
      'POST /api/v1/planted as api_key {"content-type":"application/json","idempotency-key"',
    );
  });
});

describe('faultOf', () => {
  const id = `req_${uuid()}`;
  const headers = { 'x-request-id': id, 'content-type': 'application/json; charset=utf-8' };
  const body = { data: { limit: 1, search: null }, meta: { profile_id: uuid() } };
  const error = { code: 'not_found', message: 'x', status: 404, request_id: id, docs_url: 'https://tributary.test/x' };
  const judge = (status: number, sent: unknown, more: object = {}, at: readonly Route[] = [list]) =>
    faultOf('GET', { status, headers: { ...headers, ...more }, body: JSON.stringify(sent) }, at[0])?.what;

  test('accepts a response that the route declares', () => {
    expect(judge(200, body)).toBeUndefined();
    expect(judge(404, { error })).toBeUndefined();
  });

  test.each([
    ['an extra field', judge(200, { ...body, secret: 1 }), /Unrecognized key/],
    ['a missing field', judge(200, { meta: body.meta }), /data/],
    ['an undeclared status', judge(202, body), /neither declared nor an error/],
    [
      'an error code of other routes',
      judge(409, { error: { ...error, code: 'invalid_state', status: 409 } }),
      /does not declare/,
    ],
    ['an unknown error code', judge(404, { error: { ...error, code: 'gone' } }), /neither declared/],
    ['a status that does not fit the error code', judge(400, { error }), /says status 404/],
    ['an extra field in the error', judge(404, { error: { ...error, stack: 'at' } }), /Unrecognized key/],
    ['no request id', judge(200, body, { 'x-request-id': undefined }), /no x-request-id/],
    ['another request id', judge(404, { error }, { 'x-request-id': `req_${uuid()}` }), /two request ids/],
    ['a body that is not JSON', judge(200, body, { 'content-type': 'text/html' }), /sent as text\/html/],
    ['a success without a route', judge(200, body, {}, []), /neither declared/],
    ['an internal error', judge(500, { error: { ...error, code: 'internal_error' } }), /500 internal_error/],
    [
      'an unavailable service',
      judge(503, { error: { ...error, code: 'service_unavailable' } }),
      /503 service_unavailable/,
    ],
  ])('reports %s', (_, what, expected) => {
    expect(what).toMatch(expected);
  });

  test.each([
    ['/api/v1/things/x?a=/', true],
    ['/api/v1/things/%20', true],
    ['/api/v1/things/', false],
    ['/api/v1/things/x/', false],
    ['/api/v1/things/%zz', false],
    ['/api/v1/things/%2E%2e', false],
    ['/api/v1/THINGS/x', false],
  ])('isAt matches %s: %s', (url, expected) => {
    expect(isAt(list, { method: 'GET', url })).toBe(expected);
  });
});

test.each(Object.values<Route>(routes).map((one) => [one.id, one] as const))(
  'a valid request for %s can be generated',
  (_, declared) => {
    expect(() => validInput(declared, 1)).not.toThrow();
  },
);
