import { z } from 'zod';
import { errorExample } from '../error-example.ts';
import { ErrorCode, errorEntry } from '../errors.ts';
import { links } from '../links.ts';
import { asOAuthError, OAuthErrorBody } from '../oauth-errors.ts';
import { RequestId } from '../primitives.ts';
import { type Route, refusalsOf } from '../route.ts';
import { describedFields } from './describe.ts';
import { type JsonSchema, referencePrefix, type Schemas } from './schemas.ts';

interface Reference {
  readonly $ref: string;
}

interface ErrorResponse {
  readonly description: string;
  readonly headers: Readonly<Record<string, Reference>>;
  readonly content: { readonly 'application/json': { schema: JsonSchema; examples?: Record<string, Reference> } };
}

/**
 * The error responses. Many routes share the same codes under the same status, so each such group is one component, named after
 * its content (`403.forbidden.insufficient_scope`).
 */
export class ErrorResponses {
  readonly #baseUrl: string;
  readonly #schemas: Schemas;
  readonly #responses = new Map<string, ErrorResponse>();
  readonly #codes = new Set<ErrorCode>();

  constructor(baseUrl: string, schemas: Schemas) {
    this.#baseUrl = baseUrl;
    this.#schemas = schemas;
  }

  /** The responses of a route by status, each with its codes. */
  of(route: Route): Record<string, Reference | ErrorResponse> {
    return route.errors === 'oauth' ? this.#asOAuth(route) : this.#asOurs(route);
  }

  /** RFC 6749, 5.2. */
  #asOAuth(route: Route): Record<string, ErrorResponse> {
    const statuses = refusalsOf(route).map((code) => asOAuthError(code, errorEntry(code).status, undefined).status);
    const schema = this.#schemas.of(OAuthErrorBody, 'output');
    return Object.fromEntries(
      [...new Set(statuses)].sort().map((status) => [
        status,
        {
          description: 'As RFC 6749 tells it.',
          headers: { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } },
          content: { 'application/json': { schema } },
        },
      ]),
    );
  }

  #asOurs(route: Route): Record<string, Reference> {
    const byStatus = new Map<number, ErrorCode[]>();
    for (const code of [...refusalsOf(route)].sort()) {
      const { status, alternateStatuses = [] } = errorEntry(code);
      this.#codes.add(code);
      for (const each of [status, ...alternateStatuses]) byStatus.set(each, [...(byStatus.get(each) ?? []), code]);
    }
    return Object.fromEntries([...byStatus].map(([status, codes]) => [status, this.#response(status, codes)]));
  }

  components(): { responses: Record<string, ErrorResponse>; examples: Record<string, object> } {
    return {
      responses: Object.fromEntries([...this.#responses].sort(([a], [b]) => (a < b ? -1 : 1))),
      examples: Object.fromEntries(
        [...this.#codes]
          .sort()
          .map((code) => [code, { summary: errorEntry(code).title, value: errorExample(code, this.#baseUrl) }]),
      ),
    };
  }

  #response(status: number, codes: readonly ErrorCode[]): Reference {
    const name = [status, ...codes].join('.');
    if (!this.#responses.has(name)) this.#responses.set(name, this.#describe(status, codes));
    return { $ref: `#/components/responses/${name}` };
  }

  #describe(status: number, codes: readonly ErrorCode[]): ErrorResponse {
    const header = (name: string): Reference => ({ $ref: `#/components/headers/${name}` });
    const lines = codes.map(
      (code) => `- [\`${code}\`](${links.errorDocs(this.#baseUrl, code)}): ${errorEntry(code).title}`,
    );
    return {
      description: lines.join('\n'),
      headers: {
        'X-Request-Id': header('RequestId'),
        ...(status === 429 && { 'Retry-After': header('RetryAfter'), 'X-RateLimit-Reset': header('RateLimitReset') }),
      },
      content: {
        'application/json': {
          schema: {
            allOf: [
              { $ref: `${referencePrefix}Error` },
              {
                properties: {
                  error: { properties: { code: { enum: [...codes] }, status: { const: status } } },
                },
              },
            ],
          },
          examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
        },
      },
    };
  }
}

/**
 * The error envelope with every field that some code may have. The page of each code lists its own fields; a union of all codes
 * here would bloat every generated client.
 */
export function errorSchema(schemas: Schemas): JsonSchema {
  const own: Record<string, JsonSchema> = {};
  for (const code of ErrorCode.options) {
    for (const [name, field] of Object.entries(errorEntry(code).fields ?? {}))
      own[name] ??= schemas.of(field, 'output');
  }
  const common = schemas.of(
    z.strictObject({
      code: ErrorCode.describe('What happened. Branch on this: a code is never renamed.'),
      message: z.string().describe('What happened, for a person to read. Its words may change.'),
      status: z.int().describe('The HTTP status again.'),
      request_id: RequestId.describe('Names this request in our logs; also in the header X-Request-Id.'),
      docs_url: z.url().describe('The page about this code.'),
    }),
    'output',
  );
  const error = { ...common, description: 'What went wrong.', properties: { ...common.properties, ...own } };
  const whole: JsonSchema = {
    type: 'object',
    description: 'Every error looks like this.',
    properties: { error },
    required: ['error'],
    additionalProperties: false,
  };
  return describedFields(whole, 'Error');
}
