import type { IdKind, RateBucket, ScopeGrain, ShownDays, ShownPeople } from '@tributary/vocabulary';
import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import type { CredentialKind, Role, Scope } from './scopes.ts';

/**
 * A route, declared once. Validation, access, limits, errors, the OpenAPI description, the SDK's types and the reference page
 * are all made from this; nothing about a route is said a second time anywhere.
 */
export type Route = ReadingRoute | ChangingRoute;

interface ReadingRoute extends Declaration {
  readonly method: 'GET';
  readonly audit?: never;
}

/** A route that may change something says what is written into the audit log when it did, or why nothing is. */
interface ChangingRoute extends Declaration {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly audit: Audited | NotAudited;
}

interface Declaration {
  /** Names the operation everywhere: handler file, SDK method, reference. */
  readonly id: string;
  /** With `{name}` for each path parameter. */
  readonly path: `/${string}`;
  readonly summary: string;
  readonly description?: string;
  /** Which process serves it, where that is not the API. */
  readonly server?: 'collector';
  /** The chapter of the reference it stands in. */
  readonly chapter: string;
  readonly access: Access;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: Body;
  readonly answers: Readonly<Record<number, Answer>>;
  /** The refusals of its own; those that follow from the rest of the declaration are added by `refusalsOf`. */
  readonly refusals?: readonly ErrorCode[];
  /** Where a fault of one field has a code of its own; else a parameter is `invalid_parameter`, a body `validation_error`. */
  readonly refusedAs?: Readonly<Record<string, ErrorCode>>;
  /** What each id that a caller may name stands for, so that the probe can send another profile's. */
  readonly ids?: Readonly<Record<string, IdKind>>;
  /** Shared links and assistant tools are derived from it. A route without it is in neither. */
  readonly reveals?: Reveals;
  /** Whether a repeated request is one request. "natural": by what it says, without a key. GETs need none. */
  readonly idempotency?: 'required' | 'accepted' | 'natural';
  readonly rate?: RateBucket;
  /** A static response: generated and compressed once per process. The route takes no parameters. */
  readonly isDocument?: true;
  /** Errors are told as OAuth tells them, where its clients read them. */
  readonly errors?: 'oauth';
  readonly deprecation?: Deprecation;
}

/** The entry that a change leaves in the audit log. Who, when and in which request follow from the call. */
export interface Audited {
  /** What happened, in the past tense. */
  readonly action: `${string}.${string}`;
  /** What it happened to: a kind, and where its id stands. `data` is the answer's. */
  readonly of: `${string}:{${'params' | 'data' | 'caller'}.${string}}`;
  /** The answer that says that nothing was changed, by its status, by what `data.outcome` says, or `where` a field is true: it leaves no entry. */
  readonly unchanged?: number | { readonly outcome: readonly string[] } | { readonly where: string };
}

export type NotAudited = `not needed: ${string}`;

export interface Access {
  readonly credentials: readonly [CredentialKind, ...CredentialKind[]];
  /** Any of the lists is enough; of a list all are needed. Absent: the credential alone is. */
  readonly scopes?: readonly (readonly Scope[])[];
  readonly grain: ScopeGrain;
  /** For a console session: the roles that may. */
  readonly roles?: readonly Role[];
  /** A write waits until the app that made the profile has enabled it, unless this says otherwise. */
  readonly entitlement?: 'not needed';
  /** On a healthcare-family profile nobody may, whatever they hold; nor where it cannot be told whether it is one. */
  readonly healthcare?: 'refused';
  /** Why a credential kind that is not in the list is refused, when the code is not `forbidden`. */
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
  /** What the reference shows, where one made from the schema would say little. */
  readonly example?: object;
  /** An absent body counts as an empty object. */
  readonly optional?: true;
  readonly maxBytes?: number;
  /** The list whose items are judged one by one by the handler, so that a bad one costs the others nothing. */
  readonly items?: string;
  /** Name of the list in an all-or-nothing body. */
  readonly list?: string;
  /** The items may also come as text/csv: the first line names their fields, an empty cell is left out, `line` is added to each. */
  readonly csv?: true;
}

export interface Answer {
  readonly schema: z.ZodType;
  readonly description?: string;
  /** What is sent when it is not JSON in our envelope. */
  readonly contentType?: string;
  /** What the reference shows, where one made from the schema would say little. */
  readonly example?: unknown;
  /** Sent as it is: no `meta` is added. */
  readonly bare?: true;
  /** Bytes and no text: the handler answers with their base64, and says what they are in the header `content-type`. */
  readonly binary?: true;
}

export interface Deprecation {
  readonly since: string;
  /** From this day on the route answers `not_found`. */
  readonly sunset: string;
  readonly successor: string;
}

/** Keeps the declaration's own types while checking its shape. */
export function route<const R extends Route>(declaration: R): R {
  return declaration;
}

/** `anyOf('a', 'b')`: one of them is enough. */
export const anyOf = <const S extends Scope[]>(...scopes: S): readonly (readonly Scope[])[] =>
  scopes.map((scope) => [scope]);

type Parsed<S> = S extends z.ZodType ? z.output<S> : Record<string, never>;

/** What a handler receives, already checked. */
export interface Input<R extends Route> {
  readonly params: Parsed<R['params']>;
  readonly query: Parsed<R['query']>;
  readonly body: R['body'] extends Body ? z.output<R['body']['schema']> : undefined;
}

/** What a handler returns: one of the declared answers. The runtime adds who it was answered for. */
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
/** Of an object without fields, zod says that any text may be a key. */
type FurtherMeta<Key> = string extends Key ? never : Exclude<Key, Owner>;

/** Every code the route may answer with: its own, and those that follow from its declaration. */
export function refusalsOf(declared: Route): readonly ErrorCode[] {
  const codes = new Set<ErrorCode>(declared.refusals);
  const { access, body, idempotency } = declared;
  const isPublic = access.credentials.includes('public');
  if (!isPublic) codes.add('unauthorized').add('forbidden').add('insufficient_scope').add('not_found');
  if (access.otherwise) codes.add(access.otherwise);
  // A role that is too low, or a cookie that did not come from our own pages.
  if (access.roles || (access.credentials.includes('session') && declared.method !== 'GET')) codes.add('forbidden');
  // A query parameter that a route does not have is refused, except by the collector: pages append what they like to its address.
  if (!declared.server) codes.add('invalid_parameter');
  if (body) codes.add('validation_error');
  // A body may come where none is asked for, and may be broken all the same.
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

/** Writes to a profile need its attribution features enabled, unless the declaration says not; reads and deletions never do. */
export function needsEntitlement({ method, access }: Route): boolean {
  const isOfProfile = access.grain === 'profile' || access.grain === 'person';
  return method !== 'GET' && method !== 'DELETE' && isOfProfile && access.entitlement !== 'not needed';
}
