import type { IdKind, RateBucket, ScopeGrain, ShownDays, ShownPeople } from '@tributary/vocabulary';
import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import type { CredentialKind, Role, Scope } from './scopes.ts';

/**
 * The single declaration of a route. Validation, access, limits, errors, the OpenAPI document, the SDK's types and the reference
 * are all derived from it.
 */
export type Route = ReadingRoute | ChangingRoute;

interface ReadingRoute extends Declaration {
  readonly method: 'GET';
  readonly audit?: never;
}

/** A changing route declares its audit entry, or why it has none. */
interface ChangingRoute extends Declaration {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly audit: Audited | NotAudited;
}

interface Declaration {
  /** Identifies the operation everywhere: handler, SDK method, reference. */
  readonly id: string;
  /** Path parameters are written as `{name}`. */
  readonly path: `/${string}`;
  readonly summary: string;
  readonly description?: string;
  /** The process that serves it, if not the API. */
  readonly server?: 'collector';
  /** The chapter of the reference. */
  readonly chapter: string;
  readonly access: Access;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: Body;
  readonly answers: Readonly<Record<number, Answer>>;
  /** Additional refusals; `refusalsOf` adds those that follow from the rest of the declaration. */
  readonly refusals?: readonly ErrorCode[];
  /** Fields whose faults have their own code; otherwise a parameter is `invalid_parameter`, a body `validation_error`. */
  readonly refusedAs?: Readonly<Record<string, ErrorCode>>;
  /** The kind of each id parameter, with which the isolation test sends ids of another profile. */
  readonly ids?: Readonly<Record<string, IdKind>>;
  /** Shared links and assistant tools are derived from it. A route without it is in neither. */
  readonly reveals?: Reveals;
  /** How repeated requests are deduplicated. "natural": by their content, without a key. GETs need none. */
  readonly idempotency?: 'required' | 'accepted' | 'natural';
  readonly rate?: RateBucket;
  /** A static response: generated and compressed once per process. The route takes no parameters. */
  readonly isDocument?: true;
  /** Errors are returned in OAuth format, for OAuth clients. */
  readonly errors?: 'oauth';
  readonly deprecation?: Deprecation;
}

/** The audit log entry of a change. Actor, time and request are added from the call. */
export interface Audited {
  /** The action in the past tense. */
  readonly action: `${string}.${string}`;
  /** The subject: its kind, and the location of its id. `data` refers to the answer. */
  readonly of: `${string}:{${'params' | 'data' | 'caller'}.${string}}`;
  /** Identifies answers that changed nothing and leave no entry: by status, by `data.outcome`, or by a boolean field (`where`). */
  readonly unchanged?: number | { readonly outcome: readonly string[] } | { readonly where: string };
}

export type NotAudited = `not needed: ${string}`;

export interface Access {
  readonly credentials: readonly [CredentialKind, ...CredentialKind[]];
  /** Any one of the lists is sufficient; within a list all scopes are required. Absent: the credential alone is sufficient. */
  readonly scopes?: readonly (readonly Scope[])[];
  readonly grain: ScopeGrain;
  /** The allowed roles of a console session. */
  readonly roles?: readonly Role[];
  /** Writes require that the app that created the profile has enabled it, unless set. */
  readonly entitlement?: 'not needed';
  /** Refused on every healthcare-family profile, whatever the caller's scopes, and if the family is unknown. */
  readonly healthcare?: 'refused';
  /** The code for a credential kind that is not listed, if not `forbidden`. */
  readonly otherwise?: ErrorCode;
}

/** What a response can contain, for any parameters. Tests compare it with the schema. */
export interface Reveals {
  /** How the days of the response are chosen. A link shows only its own days. */
  readonly days: ShownDays;
  /** Whether it contains customers. Names pass the personal-data gate. */
  readonly people: ShownPeople;
  /** Whether it contains ad costs. */
  readonly costs: boolean;
}

export interface Body {
  readonly schema: z.ZodType;
  readonly contentType?: 'application/json' | 'application/x-www-form-urlencoded';
  /** The example of the reference, if a generated one would not be helpful. */
  readonly example?: object;
  /** An absent body counts as an empty object. */
  readonly optional?: true;
  readonly maxBytes?: number;
  /** The list whose items the handler validates one by one, so that an invalid item does not reject the others. */
  readonly items?: string;
  /** Name of the list in an all-or-nothing body. */
  readonly list?: string;
  /**
   * The items may also be sent as text/csv: the first line names the fields, empty cells are omitted, `line` is added to each
   * row.
   */
  readonly csv?: true;
}

export interface Answer {
  readonly schema: z.ZodType;
  readonly description?: string;
  /** The content type, if not JSON in our envelope. */
  readonly contentType?: string;
  /** The example of the reference, if a generated one would not be helpful. */
  readonly example?: unknown;
  /** Sent without the envelope: no `meta` is added. */
  readonly bare?: true;
  /** Binary: the handler returns base64 and sets the header `content-type`. */
  readonly binary?: true;
}

export interface Deprecation {
  readonly since: string;
  /** From this day on the route returns `not_found`. */
  readonly sunset: string;
  readonly successor: string;
}

/** Checks a declaration and keeps its literal types. */
export function route<const R extends Route>(declaration: R): R {
  return declaration;
}

/** `anyOf('a', 'b')`: one of the scopes is sufficient. */
export const anyOf = <const S extends Scope[]>(...scopes: S): readonly (readonly Scope[])[] =>
  scopes.map((scope) => [scope]);

type Parsed<S> = S extends z.ZodType ? z.output<S> : Record<string, never>;

/** The validated input of a handler. */
export interface Input<R extends Route> {
  readonly params: Parsed<R['params']>;
  readonly query: Parsed<R['query']>;
  readonly body: R['body'] extends Body ? z.output<R['body']['schema']> : undefined;
}

/** The result of a handler: one of the declared answers. The runtime adds the profile or workspace to meta. */
export type AnswerOf<R extends Route> = {
  [Status in keyof R['answers'] & number]: { readonly status: Status; readonly body: AnswerBody<R['answers'][Status]> };
}[keyof R['answers'] & number];

type AnswerBody<A> = A extends { schema: infer S extends z.ZodType }
  ? A extends { bare: true }
    ? z.input<S>
    : WithoutOwner<z.input<S>>
  : never;

type Owner = 'profile_id' | 'workspace_id';
type WithoutOwner<B> = B extends { meta: infer M }
  ? Omit<B, 'meta'> & (FurtherMeta<keyof M> extends never ? { meta?: undefined } : { meta: Omit<M, Owner> })
  : B;
/** For an object without fields, zod types its keys as any string. */
type FurtherMeta<Key> = string extends Key ? never : Exclude<Key, Owner>;

/** Every code that the route may return: its own, and those that follow from its declaration. */
export function refusalsOf(declared: Route): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>(declared.refusals);
  const { access, body, idempotency } = declared;
  const isPublic = access.credentials.includes('public');
  if (!isPublic) codes.add('unauthorized').add('forbidden').add('insufficient_scope').add('not_found');
  if (access.otherwise) codes.add(access.otherwise);
  // The role is too low, or a cookie was not sent by our own pages.
  if (access.roles || (access.credentials.includes('session') && declared.method !== 'GET')) codes.add('forbidden');
  // Unknown query parameters are refused, except by the collector, because sites append arbitrary parameters to its URLs.
  if (!declared.server) codes.add('invalid_parameter');
  if (body) codes.add('validation_error');
  // Any request may contain a malformed body, even if none is expected.
  if (declared.method !== 'GET') codes.add('invalid_request').add('payload_too_large');
  for (const code of Object.values(declared.refusedAs ?? {})) codes.add(code);
  if (needsEntitlement(declared)) codes.add('entitlement_required');
  if (idempotency === 'required' || idempotency === 'accepted') {
    codes.add('idempotency_key_conflict').add('idempotency_key_in_flight');
  }
  if (declared.deprecation) codes.add('not_found');
  codes.add('rate_limit_exceeded').add('internal_error').add('service_unavailable');
  return [...codes];
}

/** Writes to a profile require its attribution features, unless the declaration says otherwise; reads and deletions never do. */
export function needsEntitlement({ method, access }: Route): boolean {
  const isOfProfile = access.grain === 'profile' || access.grain === 'person';
  return method !== 'GET' && method !== 'DELETE' && isOfProfile && access.entitlement !== 'not needed';
}
