import type { CredentialKind, Route } from '@tributary/contract';
import fc from 'fast-check';
import { z } from 'zod';
import { bytesOf, type Draft, pairsOf, urlOf, writeCsv } from './draft.ts';
import { hostileEscapes } from './hostile.ts';
import { mutationsFor } from './mutations.ts';
import { valuesOf } from './values.ts';
import { type CredentialName, credentialsFor, idToken, placeholders, trackingKeyToken } from './world.ts';

/** A request as it is sent, with placeholders for ids and secrets, so that a seed makes the same request in every world. */
export interface FuzzRequest {
  /** The route it was made for; undefined for an undeclared address. */
  readonly route: Route | undefined;
  readonly method: string;
  readonly url: string;
  /** In addition to those of the credential. */
  readonly headers: Readonly<Record<string, string>>;
  readonly credential: CredentialName;
  readonly body: Buffer | undefined;
  /** The client's address. */
  readonly from: string;
}

/** The input of a route, before it is written as HTTP. */
export interface RequestInput {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

type Fields = Record<string, unknown>;
const noFields: fc.Arbitrary<Fields> = fc.constant({});

function inputsOf({ params, query, body }: Route, kind: { isBare?: boolean } = {}): fc.Arbitrary<RequestInput> {
  const bodies = body ? valuesOf(body.schema, kind) : fc.constant(undefined);
  return fc.record({
    params: params ? (valuesOf(params, kind) as fc.Arbitrary<Fields>) : noFields,
    query: query ? (valuesOf(query, kind) as fc.Arbitrary<Fields>) : noFields,
    body: body?.optional ? fc.option(bodies, { nil: undefined }) : bodies,
  });
}

/** The shortest of many generated valid inputs, the same for the same seed, with placeholders for ids. */
export function validInput(route: Route, seed: number): RequestInput {
  const sample = (kind: { isBare?: boolean }) =>
    fc
      .sample(inputsOf(route, kind), { seed, numRuns: 200 })
      .map((input) => withSecrets(route, withIds(route, input), needsPassword(route) ? 'confirmed' : 'none'))
      .filter((input) => isValid(route, input))
      .sort((a, b) => sizeOf(a) - sizeOf(b));
  const shortest = sample({ isBare: true })[0] ?? sample({})[0];
  if (!shortest)
    throw new Error(`no valid input can be generated for ${route.id}: give its schemas .meta({ examples })`);
  return shortest;
}

const sizeOf = (input: RequestInput) => JSON.stringify(input).length;

function isValid(route: Route, { params, query, body }: RequestInput): boolean {
  const isForm = route.body?.contentType === 'application/x-www-form-urlencoded';
  return (
    (route.params?.safeParse(asReceived(params)).success ?? true) &&
    (route.query?.safeParse(asReceived(query)).success ?? true) &&
    (route.body?.schema.safeParse(isForm ? asReceived(body) : (body ?? {})).success ?? true)
  );
}

/** Converts values to strings, as they arrive in an address or a form. */
function asReceived(value: unknown): Record<string, string | string[]> {
  const received: Record<string, string | string[]> = {};
  for (const pair of pairsOf(value)) {
    const [name, text] = pair.map(decodeURIComponent) as [string, string];
    const earlier = received[name];
    received[name] = earlier === undefined ? text : [earlier, text].flat();
  }
  return received;
}

/** Puts the placeholder of its kind into each field that `ids` names. */
function withIds(route: Route, input: RequestInput): RequestInput {
  // A browser sends no credential except the tracking key of its page.
  if (route.server === 'collector' && route.body)
    return { ...input, body: { ...(input.body as Fields), key: trackingKeyToken } };
  return Object.entries(route.ids ?? {}).reduce(
    (changed, [field, kind]) => withId(route, changed, field, idToken(kind)),
    input,
  );
}

/** Some requests contain valid secrets: the member's password or an invitation. */
function withSecrets(
  { body }: Route,
  input: RequestInput,
  who: keyof typeof placeholders | 'confirmed' | 'none',
): RequestInput {
  if (who === 'none' || body === undefined || !(body.schema instanceof z.ZodObject)) return input;
  const { password } = placeholders.member;
  const secrets: Fields =
    who === 'confirmed'
      ? { current_password: password }
      : { name: 'Guest', password, current_password: password, ...placeholders[who] };
  const accepted = Object.entries(secrets).filter(([field]) => field in (body.schema as z.ZodObject).shape);
  return { ...input, body: { ...(input.body as Fields), ...Object.fromEntries(accepted) } };
}

/** Only these routes accept passwords and invitations. */
const isOfAccounts = ({ access, body }: Route) => access.grain === 'account' && body !== undefined;
/** Routes that ask members for their password, because they destroy data or widen access. */
const needsPassword = ({ access, body }: Route) =>
  access.grain !== 'account' && body?.schema instanceof z.ZodObject && 'current_password' in body.schema.shape;

/** Puts an id into one field: `customer_id`, or `rows.customer_id` for all rows. */
export function withId(route: Route, input: RequestInput, field: string, id: string): RequestInput {
  const path = field.split('.');
  const part = partWith(route, path[0] ?? field);
  return { ...input, [part]: planted(input[part] ?? {}, path, id) };
}

function partWith({ id, params, query, body }: Route, name: string): keyof RequestInput {
  if (params && name in params.shape) return 'params';
  if (query && name in query.shape) return 'query';
  if (body) return 'body';
  throw new Error(`${id} names the id "${name}" and takes no such field`);
}

function planted(value: unknown, [name, ...rest]: readonly string[], token: string): unknown {
  if (name === undefined) return Array.isArray(value) ? [token] : token;
  if (Array.isArray(value)) return value.map((one) => planted(one, [name, ...rest], token));
  if (value === null || typeof value !== 'object') return value;
  return { ...value, [name]: planted((value as Fields)[name], rest, token) };
}

export function draftOf(
  route: Route,
  input: RequestInput,
  credential: CredentialName,
  headers: Record<string, string>,
): Draft {
  const type = route.body?.contentType ?? 'application/json';
  return {
    method: route.method,
    path: route.path,
    params: Object.fromEntries(pairsOf(input.params)),
    query: pairsOf(input.query),
    // Sent without a body, too: with a cookie, the content type distinguishes our own pages from forms of other sites.
    headers: { ...(route.method !== 'GET' && { 'content-type': type }), ...headers },
    credential,
    body: input.body,
    isForm: type === 'application/x-www-form-urlencoded',
    bytes: undefined,
  };
}

/** The same request with its rows as CSV, if the route accepts CSV. */
function asCsv(route: Route, draft: Draft): Draft {
  const rows = (draft.body as Fields)[route.body?.items ?? ''];
  const bytes = Buffer.from(writeCsv(Array.isArray(rows) ? rows : []));
  return { ...draft, headers: { ...draft.headers, 'content-type': 'text/csv' }, bytes };
}

export const written = (draft: Draft) => ({
  method: draft.method,
  url: urlOf(draft),
  headers: draft.headers,
  credential: draft.credential,
  body: bytesOf(draft),
});

/** Mostly accepted credentials, so that requests get past authentication. */
function credentialNames(kinds: readonly CredentialKind[]): fc.Arbitrary<CredentialName> {
  const { good: named, bad } = credentialsFor(kinds);
  // Public routes are also called without a credential.
  const good: CredentialName[] = kinds.includes('public') ? [...named, 'none'] : named;
  if (good.length === 0) return fc.constantFrom(...bad);
  return fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...good) },
    { weight: 1, arbitrary: fc.constantFrom(...bad) },
  );
}

// Rate limits and the delays for guesses count by address, so requests are spread over many addresses.
// A few addresses are shared, so that requests also run into the limits.
const addresses = fc.oneof(
  {
    weight: 60,
    arbitrary: fc.noBias(fc.nat(0xffffff)).map((n) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`),
  },
  { weight: 1, arbitrary: fc.constantFrom('192.0.2.1', '2001:db8::1') },
);

/** Clean requests are valid. */
interface RequestOptions {
  readonly isClean?: boolean;
}

function requestsFor(route: Route, { isClean = false }: RequestOptions): fc.Arbitrary<FuzzRequest> {
  const needsKey = route.idempotency === 'required';
  const has = { params: Boolean(route.params), query: Boolean(route.query), body: Boolean(route.body) };
  return fc
    .record({
      input: fc.oneof(inputsOf(route), inputsOf(route, { isBare: true })),
      /** Some requests keep their random ids. */
      keepsIds: fc.nat(5).map((n) => n === 5),
      who: isOfAccounts(route)
        ? fc.constantFrom('none', 'member', 'guest')
        : needsPassword(route)
          ? fc.constantFrom('none', 'confirmed')
          : fc.constant('none' as const),
      credential: credentialNames(route.access.credentials),
      key: needsKey || route.idempotency === 'accepted' ? fc.uuid() : fc.constant(undefined),
      isCsv: route.body?.csv ? fc.boolean() : fc.constant(false),
      mutations: fc.array(mutationsFor(has), { maxLength: isClean ? 0 : 3 }),
      from: addresses,
    })
    .map(({ input: made, keepsIds, who, credential, key, isCsv, mutations, from }) => {
      const input = withSecrets(route, made, who);
      const headers: Record<string, string> = key ? { 'idempotency-key': key } : {};
      const json = draftOf(route, keepsIds ? input : withIds(route, input), credential, headers);
      const draft = isCsv ? asCsv(route, json) : json;
      return { route, from, ...written(mutations.reduce((changed, mutate) => mutate(changed), draft)) };
    });
}

/** Requests to undeclared addresses. */
const undeclaredRequests: fc.Arbitrary<FuzzRequest> = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
    path: fc.array(hostileEscapes, { minLength: 1, maxLength: 3 }).map((parts) => `/api/v1/nowhere/${parts.join('/')}`),
    credential: credentialNames([]),
    from: addresses,
  })
  .map((request) => ({ ...request, route: undefined, url: request.path, headers: {}, body: undefined }));

/** Requests to all routes, with more of them to routes with more input. */
export function requestsTo(routes: readonly Route[], options: RequestOptions = {}): fc.Arbitrary<FuzzRequest> {
  return fc.oneof(...routes.map((route) => ({ weight: weightOf(route), arbitrary: requestsFor(route, options) })), {
    weight: options.isClean ? 0 : routes.length,
    arbitrary: undeclaredRequests,
  });
}

function weightOf({ method, rate, params, query, body }: Route): number {
  // Requests that delete or sign out destroy the world that the others use, so they are rare.
  if (method === 'DELETE' || (method !== 'GET' && !params && !body)) return 1;
  const weight = 4 + (params ? 8 : 0) + (query ? 12 : 0) + (body ? 16 : 0);
  // Routes that check secrets are slow by design.
  return rate === 'token' ? weight / 4 : weight;
}
