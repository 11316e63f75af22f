import { Validator } from '@seriousme/openapi-schema-validator';
import { scopeGrains } from '@tributary/vocabulary';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { words } from './descriptions.ts';
import { errorExample } from './error-example.ts';
import { AnyErrorEnvelope, ErrorCode, errorEntry } from './errors.ts';
import { liveEventNames } from './events.ts';
import { asOAuthError } from './oauth-errors.ts';
import { operationsOf, resolveRef, schemasIn } from './openapi.fixture.ts';
import { type OpenapiDocument, type Operation, openapi } from './openapi.ts';
import { data, IsoTimestampInput, page, Uuid } from './primitives.ts';
import { type Route, refusalsOf, route } from './route.ts';
import { routes as apiRoutes, collectorRoutes } from './routes.ts';
import { CredentialKind, Scope } from './scopes.ts';

const baseUrl = 'https://tributary.example';
const routes = { ...apiRoutes, ...collectorRoutes };
const document = openapi({ baseUrl });

const operations = operationsOf(document);

const validate = (value: OpenapiDocument) =>
  new Validator().validate(structuredClone(value) as Record<string, unknown>);

/**
 * An example with every feature: path, query and header parameters, forms, several answers, named schemas, deprecation and
 * refusals.
 */
const Note = z
  .strictObject({ id: Uuid, text: z.string().nullable(), stars: z.int() })
  .meta({ id: 'Note', description: 'A note.' });
const madeUp = {
  listNotes: route({
    id: 'listNotes',
    method: 'GET',
    path: '/api/v1/books/{bookId}/notes',
    summary: 'The notes of a book',
    description: 'Newest first.',
    chapter: 'Notes',
    access: {
      credentials: ['api_key', 'session'],
      scopes: [['customers:read'], ['conversions:read', 'analytics:read']],
      grain: 'person',
    },
    params: z.strictObject({ bookId: Uuid.describe('The book.') }),
    query: z.strictObject({
      limit: z.coerce.number().int().min(1).max(100).default(10).describe('How many.'),
      date_from: z.iso.date(),
    }),
    answers: { 200: { schema: page(Note) } },
    refusals: ['customer_not_found', 'provider_error'],
  }),
  writeNote: route({
    id: 'writeNote',
    method: 'POST',
    path: '/api/v1/books/{bookId}/notes',
    audit: 'not needed: a test',
    summary: 'Write a note',
    chapter: 'Notes',
    access: { credentials: ['api_key'], scopes: [['attribution:write']], grain: 'profile' },
    params: z.strictObject({ bookId: Uuid }),
    body: {
      schema: z.strictObject({ note: Note, at: IsoTimestampInput, tone: z.string().default('mild') }),
      maxBytes: 2048,
    },
    idempotency: 'required',
    answers: {
      201: { schema: data(Note), description: 'Written.' },
      202: { schema: data(z.strictObject({ queued: z.literal(true) })), description: 'Will be written.' },
    },
    deprecation: { since: '2026-09-05', sunset: '2026-12-04', successor: 'POST /api/v1/notes' },
  }),
  readPage: route({
    id: 'readPage',
    method: 'GET',
    path: '/api/v1/page',
    summary: 'A page',
    chapter: 'Pages',
    access: { credentials: ['tracking_key', 'public'], grain: 'workspace' },
    answers: {
      200: { schema: z.string(), contentType: 'text/html; charset=utf-8', bare: true },
      302: { schema: z.string() },
    },
  }),
  getToken: route({
    id: 'getToken',
    method: 'POST',
    path: '/oauth/token',
    audit: 'not needed: a test',
    summary: 'A token',
    chapter: 'Access',
    access: { credentials: ['client_secret'], grain: 'workspace' },
    body: {
      schema: z.strictObject({ grant_type: z.literal('client_credentials') }),
      contentType: 'application/x-www-form-urlencoded',
      optional: true,
    },
    idempotency: 'natural',
    answers: { 200: { schema: z.strictObject({ access_token: z.string() }), bare: true } },
  }),
} satisfies Record<string, Route>;
const made = openapi({ baseUrl, apiUrl: 'https://api.tributary.example', routes: madeUp, events: [] });
const { listNotes, writeNote, readPage, getToken } = Object.fromEntries(
  operationsOf(made).map(({ operation }) => [operation.operationId, operation]),
) as Record<keyof typeof madeUp, Operation>;

describe('the OpenAPI document', () => {
  test.each([
    ['every route there is', document],
    ['the made-up routes', made],
  ])('%s: is valid OpenAPI 3.1 according to an independent validator', async (_name, each) => {
    expect(await validate(each)).toEqual({ valid: true });
  });

  test('the validator rejects invalid documents', async () => {
    const { info: _info, ...headless } = document;
    expect(await validate(headless as OpenapiDocument)).toMatchObject({ valid: false });
    const [first] = operations;
    const broken = { ...document, paths: { '/x': { get: { ...first?.operation, responses: 'none' } } } };
    expect(await validate(broken as unknown as OpenapiDocument)).toMatchObject({ valid: false });
  });

  test.each([
    ['every route there is', document],
    ['the made-up routes', made],
  ])('%s: contains only valid JSON Schema', (_name, each) => {
    const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, validateFormats: false });
    ajv.addVocabulary(['components']);
    // The components have their own id, so that each is compiled once and not again for every reference.
    const named = (value: object) =>
      JSON.parse(JSON.stringify(value).replaceAll('"#/components/', '"all#/components/'));
    ajv.addSchema({ $id: 'all', components: named(each.components) });
    for (const schema of schemasIn(each)) expect(() => ajv.compile(named(schema))).not.toThrow();
  });

  test('contains every route exactly once', () => {
    expect(operations.map(({ operation }) => operation.operationId).sort()).toEqual(Object.keys(routes).sort());
    for (const { id, method, path } of Object.values<Route>(routes)) {
      expect(document.paths[path]?.[method.toLowerCase()]?.operationId).toBe(id);
    }
  });

  test.each(operations)('[ver-005] $at declares its credentials, scopes and idempotency', ({ operation }) => {
    const { access, idempotency } = (routes as Record<string, Route>)[operation.operationId] as Route;
    expect(z.array(z.array(Scope).min(1)).parse(operation['x-required-scopes'])).toEqual(access.scopes ?? []);
    expect(z.array(CredentialKind).min(1).parse(operation['x-credentials'])).toEqual(access.credentials);
    expect(['required', 'accepted', 'natural', 'not needed']).toContain(operation['x-idempotency']);
    expect(operation['x-idempotency']).toBe(idempotency ?? 'not needed');
    expect(scopeGrains).toContain(operation['x-scope-grain']);
    expect(operation['x-scope-grain']).toBe(access.grain);
  });

  test.each(operations)('$at lists each refusal code under its status', ({ operation }) => {
    const declared = (routes as Record<string, Route>)[operation.operationId] as Route;
    for (const code of refusalsOf(declared)) {
      const { status } = errorEntry(code);
      if (declared.errors === 'oauth')
        expect(Object.keys(operation.responses)).toContain(String(asOAuthError(code, status, undefined).status));
      else expect(codesOf(document, operation, status)).toContain(code);
    }
  });

  test('contains every live event as a webhook with a valid sample', () => {
    expect(Object.keys(document.webhooks)).toEqual(liveEventNames);
    expect(document.tags).toContainEqual({ name: 'Webhooks', description: expect.any(String) });
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    for (const name of liveEventNames) {
      const { content } = resolveRef(document, document.webhooks[name]?.post.requestBody ?? {});
      const { schema = {}, example = {} } = content?.['application/json'] ?? {};
      const accepts = ajv.compile({ ...schema, components: document.components });
      expect(example.type).toBe(name);
      expect(accepts(example)).toBe(true);
      expect(accepts({ ...example, type: 'message.received' })).toBe(false);
      expect(accepts({ ...example, data: {} })).toBe(false);
    }
  });

  test('is byte-identical on each build and has no external references', () => {
    expect(JSON.stringify(openapi({ baseUrl }))).toBe(JSON.stringify(document));
    expect(JSON.stringify(document)).not.toContain('$defs');
  });
});

function codesOf(from: OpenapiDocument, operation: Operation, status: number): string[] {
  const response = resolveRef(from, operation.responses[status] ?? {});
  const text = JSON.stringify(response.content?.['application/json'] ?? {});
  return /"enum":\[([^\]]*)\]/.exec(text)?.[1]?.replaceAll('"', '').split(',') ?? [];
}

describe('the operation of a declaration', () => {
  test('has its parameters', () => {
    expect(listNotes.parameters).toEqual([
      {
        name: 'bookId',
        in: 'path',
        required: true,
        description: 'The book.',
        schema: { type: 'string', format: 'uuid' },
        example: '01890a5d-ac96-774b-bcce-b302099a8057',
      },
      {
        name: 'limit',
        in: 'query',
        required: false,
        description: 'How many.',
        schema: { type: 'integer', minimum: 1, maximum: 100, default: 10 },
      },
      {
        name: 'date_from',
        in: 'query',
        required: true,
        description: words['?date_from'],
        schema: { type: 'string', format: 'date' },
        example: '2026-11-02',
      },
    ]);
    expect(writeNote.parameters?.at(-1)).toMatchObject({ name: 'Idempotency-Key', in: 'header', required: true });
    expect(readPage.parameters).toBeUndefined();
  });

  test('has its body in input format', () => {
    expect(writeNote.requestBody).toMatchObject({
      required: true,
      description: 'At most 2,048 bytes.',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            properties: {
              note: { $ref: '#/components/schemas/Note' },
              at: { type: 'string', format: 'date-time', description: words.at },
              tone: { type: 'string', default: 'mild' },
            },
            required: ['note', 'at'],
            additionalProperties: false,
          },
        },
      },
    });
    expect(getToken.requestBody).toMatchObject({ required: false });
    expect(getToken.requestBody).toHaveProperty(['content', 'application/x-www-form-urlencoded', 'schema']);
    const spend = operations.find(({ operation }) => operation.operationId === 'importSpend')?.operation;
    expect(spend?.requestBody).toMatchObject({
      content: { 'application/json': {}, 'text/csv': { schema: { type: 'string' } } },
    });
  });

  test('has each of its answers', () => {
    expect(writeNote.responses).toMatchObject({
      201: { description: 'Written.' },
      202: { description: 'Will be written.' },
    });
    expect(listNotes.responses[200]).toHaveProperty(
      ['content', 'application/json', 'schema', 'properties', 'data', 'items'],
      { $ref: '#/components/schemas/Note' },
    );
    expect(readPage.responses[200]).toMatchObject({ content: { 'text/html': { schema: { type: 'string' } } } });
    expect(readPage.responses[302]).not.toHaveProperty('content');
  });

  test('references a named schema that is defined once', () => {
    expect(Object.keys(made.components.schemas ?? {})).toEqual(['Note', 'Error']);
    expect(made.components.schemas?.Note).toMatchObject({
      type: 'object',
      description: 'A note.',
      properties: {
        id: { type: 'string', format: 'uuid' },
        text: { type: ['string', 'null'] },
        stars: { type: 'integer' },
      },
    });
    expect(JSON.stringify(made)).not.toContain(String(Number.MAX_SAFE_INTEGER));
  });

  test('groups refusals by status, under every status of a code', () => {
    expect(codesOf(made, listNotes, 404)).toEqual(['customer_not_found', 'not_found']);
    for (const status of [502, 503, 422]) expect(codesOf(made, listNotes, status)).toContain('provider_error');
    expect(resolveRef(made, listNotes.responses[429] ?? {}).headers).toHaveProperty('Retry-After');
    expect(resolveRef(made, listNotes.responses[404] ?? {}).description).toContain(
      `(${baseUrl}/docs/errors/customer_not_found)`,
    );
  });

  test('has its credentials and scopes', () => {
    expect(listNotes.security).toEqual([{ api_key: [] }, { session: [] }]);
    expect(listNotes['x-required-scopes']).toEqual([['customers:read'], ['conversions:read', 'analytics:read']]);
    expect(listNotes.description).toContain('`customers:read`, or `conversions:read` and `analytics:read`');
    expect(readPage.security).toEqual([{ tracking_key: [] }, {}]);
    expect(made.components.securitySchemes).toMatchObject({
      api_key: { type: 'http', scheme: 'bearer' },
      session: { type: 'apiKey', in: 'cookie' },
      client_secret: { type: 'http', scheme: 'basic' },
    });
    expect(made.components.securitySchemes).not.toHaveProperty('mcp');
    expect(document.paths['/api/v1/openapi.json']?.get?.security).toEqual([]);
  });

  test('has its deprecation', () => {
    expect(writeNote.deprecated).toBe(true);
    expect(writeNote.description).toContain('gone from 2026-12-04 on. Use `POST /api/v1/notes`');
    expect(writeNote.responses[201]).toHaveProperty(['headers', 'Sunset']);
    expect(listNotes).not.toHaveProperty('deprecated');
  });

  test('has its chapter as tag, on both servers', () => {
    expect(made.tags).toEqual([{ name: 'Notes' }, { name: 'Pages' }, { name: 'Access' }]);
    expect(made.servers.map(({ url }) => url)).toEqual([baseUrl, 'https://api.tributary.example']);
    expect(openapi({ baseUrl, apiUrl: baseUrl }).servers).toHaveLength(1);
  });
});

describe('an invalid declaration fails with its operation id', () => {
  const { readPage: plain } = madeUp;
  type Change = Omit<Partial<Route>, 'method' | 'audit'>;
  const describeOne = (change: Change) => () => openapi({ baseUrl, routes: { it: { ...plain, ...change } } });

  test.each<[string, Change, RegExp]>([
    ['a path parameter without a schema', { path: '/api/v1/{id}' }, /^readPage .*\{id\}/],
    ['a parameter that is not in the path', { params: z.strictObject({ id: Uuid }) }, /^readPage .*params/],
    [
      'a body that accepts unknown fields',
      { body: { schema: z.strictObject({ notes: z.array(z.object({ text: z.string() })) }) } },
      /^readPage .*body\.notes accepts unknown fields/,
    ],
    ['an answer that JSON cannot hold', { answers: { 200: { schema: z.date() } } }, /^readPage .*Date/],
    [
      'a name with two meanings',
      {
        query: z.strictObject({ a: z.string().default('x') }).meta({ id: 'Two' }),
        answers: { 200: { schema: z.strictObject({ b: z.string() }).meta({ id: 'Two' }) } },
      },
      /"Two"/,
    ],
  ])('%s', (_name, change, message) => {
    expect(describeOne(change)).toThrow(message);
  });

  test('two routes with the same method and path', () => {
    expect(() => openapi({ baseUrl, routes: { plain, again: plain } })).toThrow('GET /api/v1/page is declared twice.');
  });
});

describe('the error envelope', () => {
  const ajv = new Ajv2020({ validateFormats: false });
  const accepts = ajv.compile(document.components.schemas?.Error ?? {});

  test.each(ErrorCode.options)('the example of %s is a valid response', (code) => {
    const example = errorExample(code, baseUrl);
    expect(AnyErrorEnvelope.safeParse(example).error).toBeUndefined();
    expect(accepts(example)).toBe(true);
  });

  test('rejects invalid error envelopes', () => {
    expect(accepts({ error: { code: 'not_found' } })).toBe(false);
    expect(accepts({ error: { ...errorExample('not_found', baseUrl).error, code: 'teapot' } })).toBe(false);
    expect(accepts({ ...errorExample('not_found', baseUrl), data: [] })).toBe(false);
  });
});

test('[inge-037] no answer of any route contains subject_ref', () => {
  const answers = Object.values(routes).flatMap((one: Route) =>
    Object.values(one.answers).map(({ schema }) => JSON.stringify(z.toJSONSchema(schema, { unrepresentable: 'any' }))),
  );
  expect(answers.length).toBeGreaterThan(20);
  for (const answer of answers) expect(answer).not.toContain('subject_ref');
});
