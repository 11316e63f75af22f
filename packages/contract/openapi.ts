import { limits, type ScopeGrain } from '@tributary/vocabulary';
import { type LiveEventName, liveEventNames } from './events.ts';
import { chapters, introduction } from './openapi/chapters.ts';
import { describedFields, parameterWord, shapeWord } from './openapi/describe.ts';
import { ErrorResponses, errorSchema } from './openapi/errors.ts';
import { Examples, giveExamples, type Shown } from './openapi/examples.ts';
import { type JsonSchema, Schemas } from './openapi/schemas.ts';
import { type SecurityRequirement, securityOf, securitySchemes } from './openapi/security.ts';
import { requireStrictBody } from './openapi/strict-body.ts';
import { type Webhook, webhooksChapter, webhooksOf } from './openapi/webhooks.ts';
import type { Answer, Body, Route } from './route.ts';
import { routes as apiRoutes, collectorRoutes } from './routes.ts';
import type { CredentialKind, Scope } from './scopes.ts';

export interface OpenapiOptions {
  /** The canonical URL of the pages and of the first server. */
  readonly baseUrl: string;
  /** A second URL that forwards to the same handlers. */
  readonly apiUrl?: string | undefined;
  /** The URL that browsers send visits to. */
  readonly collectorUrl?: string | undefined;
  readonly routes?: Readonly<Record<string, Route>>;
  readonly events?: readonly LiveEventName[];
}

export interface OpenapiDocument {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly [key: string]: unknown };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  /** Webhooks by event name. */
  readonly webhooks: Readonly<Record<string, { readonly post: Webhook }>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly [key: string]: unknown;
}

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly [string];
  readonly servers?: readonly { readonly url: string; readonly description: string }[];
  readonly deprecated?: true;
  readonly security: readonly SecurityRequirement[];
  readonly parameters?: readonly object[];
  readonly requestBody?: object;
  readonly responses: Readonly<Record<string, object>>;
  /** Any one of the lists is sufficient; within a list all scopes are required. Empty: the credential alone is sufficient. */
  readonly 'x-required-scopes': readonly (readonly Scope[])[];
  readonly 'x-credentials': readonly CredentialKind[];
  readonly 'x-idempotency': 'required' | 'accepted' | 'natural' | 'not needed';
  readonly 'x-scope-grain': ScopeGrain;
}

/** Builds the OpenAPI document from the declarations. The same declarations produce the same bytes. */
export function openapi({
  baseUrl,
  apiUrl,
  collectorUrl = baseUrl,
  routes = { ...apiRoutes, ...collectorRoutes },
  events = liveEventNames,
}: OpenapiOptions): OpenapiDocument {
  const schemas = new Schemas();
  const errorResponses = new ErrorResponses(baseUrl, schemas);
  const declared = Object.values(routes);
  const paths: Record<string, Record<string, Operation>> = {};
  for (const route of declared) {
    const method = route.method.toLowerCase();
    if (paths[route.path]?.[method]) throw new Error(`${route.method} ${route.path} is declared twice.`);
    const servers = route.server && [{ url: collectorUrl, description: 'The collector.' }];
    const operation = operationOf(route, schemas, errorResponses);
    paths[route.path] = { ...paths[route.path], [method]: { ...operation, ...(servers && { servers }) } };
  }
  const webhooks = webhooksOf(events, schemas);
  const used = [...declared.map(({ chapter }) => chapter), ...events.map(() => webhooksChapter)];
  const error = errorSchema(schemas);
  const shapes = describedShapes(schemas);
  const examples = new Examples(shapes);
  for (const route of declared) giveExamples(paths[route.path]?.[route.method.toLowerCase()] as Shown, route, examples);
  const credentials = new Set(declared.flatMap(({ access }) => access.credentials));
  return {
    openapi: '3.1.1',
    info: { title: 'Tributary', version: 'v1', summary, description: introduction },
    servers: [
      { url: baseUrl, description: 'The canonical address.' },
      ...(apiUrl && apiUrl !== baseUrl ? [{ url: apiUrl, description: 'The same handlers, by another name.' }] : []),
    ],
    tags: [...new Set(used)].map((name) => ({ name, ...(chapters[name] && { description: chapters[name] }) })),
    paths,
    webhooks,
    components: {
      schemas: { ...shapes, Error: error },
      ...errorResponses.components(),
      headers,
      securitySchemes: securitySchemes(credentials),
    },
  };
}

const summary = 'Marketing attribution and customer journeys.';

function describedShapes(schemas: Schemas): Record<string, JsonSchema> {
  const shapes = schemas.components();
  for (const [id, shape] of Object.entries(shapes)) {
    shape.description ??= shapeWord(id) ?? '';
    describedFields(shape, id);
  }
  return shapes;
}

const headers = {
  RequestId: {
    description: 'Names this request in our logs. Quote it when you ask for help.',
    schema: { type: 'string' },
  },
  RateLimitLimit: { description: 'Requests allowed in a minute.', schema: { type: 'integer' } },
  RateLimitRemaining: { description: 'Requests left right now.', schema: { type: 'integer' } },
  RateLimitReset: {
    description:
      'When the allowance is whole again, in Unix seconds; of a 429, when the next request is accepted, as Retry-After.',
    schema: { type: 'integer' },
  },
  RetryAfter: { description: 'Seconds to wait before sending it again.', schema: { type: 'integer' } },
  Deprecation: {
    description: 'Since when this route is deprecated, as @ and Unix seconds.',
    schema: { type: 'string' },
  },
  Sunset: { description: 'When this route ends, as an HTTP date.', schema: { type: 'string' } },
  Successor: { description: 'The route to use in its place, as rel="successor-version".', schema: { type: 'string' } },
} as const;

const header = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` });

function operationOf(route: Route, schemas: Schemas, errorResponses: ErrorResponses): Operation {
  const { access, body, deprecation } = route;
  try {
    const parameters = parametersOf(route, schemas);
    return {
      operationId: route.id,
      summary: route.summary,
      description: describe(route),
      tags: [route.chapter],
      ...(deprecation && { deprecated: true }),
      security: securityOf(access.credentials),
      ...(parameters.length > 0 && { parameters }),
      ...(body && { requestBody: requestBodyOf(route, body, schemas) }),
      responses: { ...answersOf(route, schemas), ...errorResponses.of(route) },
      'x-required-scopes': access.scopes ?? [],
      'x-credentials': access.credentials,
      'x-idempotency': route.idempotency ?? 'not needed',
      'x-scope-grain': access.grain,
    };
  } catch (error) {
    throw new Error(`${route.id} cannot be described: ${(error as Error).message}`, { cause: error });
  }
}

function parametersOf(route: Route, schemas: Schemas): object[] {
  const inPath = route.params ? schemas.fieldsOf(route.params, 'input') : [];
  const inQuery = route.query ? schemas.fieldsOf(route.query, 'input') : [];
  const placeholders = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  if (
    placeholders.sort().join() !==
    inPath
      .map(({ name }) => name)
      .sort()
      .join()
  ) {
    throw new Error(`the path ${route.path} and its params do not name the same parameters.`);
  }
  const { idempotency } = route;
  return [
    ...inPath.map(({ name, schema }) => parameter(name, 'path', described(route, name, schema), true)),
    ...inQuery.map(({ name, schema, required }) => parameter(name, 'query', described(route, name, schema), required)),
    ...(idempotency === 'required' || idempotency === 'accepted'
      ? [parameter('Idempotency-Key', 'header', idempotencyKey, idempotency === 'required')]
      : []),
  ];
}

function described({ id }: Route, name: string, schema: JsonSchema): JsonSchema {
  const description = schema.description ?? parameterWord(id, name);
  return { ...schema, ...(description && { description }) };
}

const idempotencyKey: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 255,
  description: `New for each new request. The same key again gets the first answer again, for ${limits.idempotency.replayHours} hours. Of an answer that named somebody who was erased since, the status comes again with \`{"data": null, "meta": {"is_erased": true}}\`.`,
};

function parameter(name: string, place: 'path' | 'query' | 'header', schema: JsonSchema, required: boolean): object {
  const { description: text, ...rest } = schema;
  return { name, in: place, required, ...(text && { description: text }), schema: rest };
}

function requestBodyOf(route: Route, body: Body, schemas: Schemas): object {
  const { contentType = 'application/json', optional, maxBytes, csv } = body;
  const schema = schemas.of(body.schema, 'input');
  requireStrictBody(route, schemas.resolved(schema));
  return {
    required: !optional,
    ...(maxBytes && { description: `At most ${maxBytes.toLocaleString('en')} bytes.` }),
    content: {
      [contentType]: { schema: describedFields(schema, route.id) },
      ...(csv && {
        'text/csv': { schema: { type: 'string', description: 'A line of field names, then a line a row.' } },
      }),
    },
  };
}

function answersOf(route: Route, schemas: Schemas): Record<string, object> {
  return Object.fromEntries(
    Object.entries(route.answers).map(([status, answer]) => [status, answerOf(Number(status), answer, route, schemas)]),
  );
}

const usual: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted', 204: 'Done' };

function answerOf(status: number, answer: Answer, { id, deprecation }: Route, schemas: Schemas): object {
  // A redirect has no body.
  const hasBody = status !== 204 && status < 300;
  const contentType = answer.contentType?.split(';', 1)[0] ?? 'application/json';
  return {
    description: answer.description ?? usual[status] ?? 'Elsewhere',
    headers: {
      'X-Request-Id': header('RequestId'),
      'X-RateLimit-Limit': header('RateLimitLimit'),
      'X-RateLimit-Remaining': header('RateLimitRemaining'),
      'X-RateLimit-Reset': header('RateLimitReset'),
      ...(deprecation && {
        Deprecation: header('Deprecation'),
        Sunset: header('Sunset'),
        Link: header('Successor'),
      }),
    },
    ...(hasBody && {
      content: { [contentType]: { schema: describedFields(schemas.of(answer.schema, 'output'), id) } },
    }),
  };
}

const idempotencyNotes = {
  required: 'An `Idempotency-Key` is required.',
  accepted: 'An `Idempotency-Key` makes it safe to send again.',
  natural: 'Sending it again changes nothing more.',
} as const;

/** Adds access, idempotency and deprecation to the description, because readers of the reference do not see extensions. */
function describe({ description: text, access, idempotency, deprecation }: Route): string {
  const code = (word: string) => `\`${word}\``;
  const alternatives = access.scopes?.map((all) => all.map(code).join(' and ')).join(', or ');
  return [
    deprecation &&
      `**Deprecated** since ${deprecation.since}; gone from ${deprecation.sunset} on. Use ${code(deprecation.successor)} in its place.`,
    text,
    access.credentials.includes('public')
      ? 'Needs no credential.'
      : `Takes ${access.credentials.map(code).join(', ')}${alternatives ? ` with the scope ${alternatives}` : ''}.`,
    access.healthcare === 'refused' && 'Refused on a healthcare-family profile, whatever the credential.',
    idempotency && idempotencyNotes[idempotency],
  ]
    .filter(Boolean)
    .join('\n\n');
}
