import type { CredentialKind, Route } from '@tributary/contract';
import fc from 'fast-check';
import { z } from 'zod';
import { bytesOf, type Draft, pairsOf, urlOf, writeCsv } from './draft.ts';
import { hostileEscapes } from './hostile.ts';
import { mutationsFor } from './mutations.ts';
import { valuesOf } from './values.ts';
import { type CredentialName, credentialsFor, idToken, known, trackingKeyToken } from './world.ts';

/** A request as it is sent. Ids and secrets are tokens of a world, so that the same seed makes the same request everywhere. */
export interface FuzzRequest {
  /** The route it was made for; none for an address that nobody declared. */
  readonly route: Route | undefined;
  readonly method: string;
  readonly url: string;
  /** Besides those of the credential. */
  readonly headers: Readonly<Record<string, string>>;
  readonly credential: CredentialName;
  readonly body: Buffer | undefined;
  /** The client's address. */
  readonly from: string;
}

/** What a route is asked, before it is written as HTTP. */
export interface RequestInput {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

type Fields = Record<string, unknown>;
const nothing: fc.Arbitrary<Fields> = fc.constant({});

function inputsOf({ params, query, body }: Route, kind: { isBare?: boolean } = {}): fc.Arbitrary<RequestInput> {
  const bodies = body ? valuesOf(body.schema, kind) : fc.constant(undefined);
  return fc.record({
    params: params ? (valuesOf(params, kind) as fc.Arbitrary<Fields>) : nothing,
    query: query ? (valuesOf(query, kind) as fc.Arbitrary<Fields>) : nothing,
    body: body?.optional ? fc.option(bodies, { nil: undefined }) : bodies,
  });
}

/** The shortest input of many that the route takes, the same for the same seed, with tokens for the ids that it names. */
export function validInput(route: Route, seed: number): RequestInput {
  const sample = (kind: { isBare?: boolean }) =>
    fc
      .sample(inputsOf(route, kind), { seed, numRuns: 200 })
      .map((input) => withKnown(route, withIds(route, input), asksForPassword(route) ? 'confirmed' : 'nobody'))
      .filter((input) => isTaken(route, input))
      .sort((a, b) => sizeOf(a) - sizeOf(b));
  const shortest = sample({ isBare: true })[0] ?? sample({})[0];
  if (!shortest) throw new Error(`no valid input can be made up for ${route.id}: give its schemas .meta({ examples })`);
  return shortest;
}

const sizeOf = (input: RequestInput) => JSON.stringify(input).length;

function isTaken(route: Route, { params, query, body }: RequestInput): boolean {
  const isForm = route.body?.contentType === 'application/x-www-form-urlencoded';
  return (
    (route.params?.safeParse(asReceived(params)).success ?? true) &&
    (route.query?.safeParse(asReceived(query)).success ?? true) &&
    (route.body?.schema.safeParse(isForm ? asReceived(body) : (body ?? {})).success ?? true)
  );
}

/** An address and a form carry text only. */
function asReceived(value: unknown): Record<string, string | string[]> {
  const received: Record<string, string | string[]> = {};
  for (const pair of pairsOf(value)) {
    const [name, text] = pair.map(decodeURIComponent) as [string, string];
    const earlier = received[name];
    received[name] = earlier === undefined ? text : [earlier, text].flat();
  }
  return received;
}

/** Puts the token of its kind into each field that `ids` names. */
function withIds(route: Route, input: RequestInput): RequestInput {
  // A browser shows nothing but the key that its page has.
  if (route.server === 'collector' && route.body)
    return { ...input, body: { ...(input.body as Fields), key: trackingKeyToken } };
  return Object.entries(route.ids ?? {}).reduce(
    (changed, [field, kind]) => withId(route, changed, field, idToken(kind)),
    input,
  );
}

/** Now and then somebody knows what to say: their own password, or an invitation of theirs. */
function withKnown(
  { body }: Route,
  input: RequestInput,
  who: keyof typeof known | 'confirmed' | 'nobody',
): RequestInput {
  if (who === 'nobody' || body === undefined || !(body.schema instanceof z.ZodObject)) return input;
  const { password } = known.member;
  const said: Fields =
    who === 'confirmed'
      ? { current_password: password }
      : { name: 'Guest', password, current_password: password, ...known[who] };
  const taken = Object.entries(said).filter(([field]) => field in (body.schema as z.ZodObject).shape);
  return { ...input, body: { ...(input.body as Fields), ...Object.fromEntries(taken) } };
}

/** Only these ask for passwords and invitations; elsewhere an address or a name is anybody's. */
const isOfAccounts = ({ access, body }: Route) => access.grain === 'account' && body !== undefined;
/** Members confirm with theirs what destroys data or widens access. */
const asksForPassword = ({ access, body }: Route) =>
  access.grain !== 'account' && body?.schema instanceof z.ZodObject && 'current_password' in body.schema.shape;

/** Puts an id into one field: `customer_id`, or `rows.customer_id` for that of all rows. */
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
    // Sent without a body too: with a cookie it is what tells our own pages from a form on another one.
    headers: { ...(route.method !== 'GET' && { 'content-type': type }), ...headers },
    credential,
    body: input.body,
    isForm: type === 'application/x-www-form-urlencoded',
    bytes: undefined,
  };
}

/** The same request with its rows as a table, where the route takes one. */
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

/** Mostly one that opens the route, so that what comes after the door is met too. */
function credentialNames(kinds: readonly CredentialKind[]): fc.Arbitrary<CredentialName> {
  const { good: named, bad } = credentialsFor(kinds);
  // What is open to everybody is asked by somebody who shows nothing, too.
  const good: CredentialName[] = kinds.includes('public') ? [...named, 'none'] : named;
  if (good.length === 0) return fc.constantFrom(...bad);
  return fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...good) },
    { weight: 1, arbitrary: fc.constantFrom(...bad) },
  );
}

// Limits are counted by address, and guessing is slow by design: spread over many, requests get further than that. One
// address is shared, so that running into the limit is met as well.
const addresses = fc.oneof(
  {
    weight: 60,
    arbitrary: fc.noBias(fc.nat(0xffffff)).map((n) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`),
  },
  { weight: 1, arbitrary: fc.constantFrom('192.0.2.1', '2001:db8::1') },
);

/** Clean requests are as the route wants them. */
interface Wishes {
  readonly isClean?: boolean;
}

function requestsFor(route: Route, { isClean = false }: Wishes): fc.Arbitrary<FuzzRequest> {
  const needsKey = route.idempotency === 'required';
  const has = { params: Boolean(route.params), query: Boolean(route.query), body: Boolean(route.body) };
  return fc
    .record({
      input: fc.oneof(inputsOf(route), inputsOf(route, { isBare: true })),
      /** Now and then the ids stay as random as they came. */
      keepsIds: fc.nat(5).map((n) => n === 5),
      who: isOfAccounts(route)
        ? fc.constantFrom('nobody', 'member', 'guest')
        : asksForPassword(route)
          ? fc.constantFrom('nobody', 'confirmed')
          : fc.constant('nobody' as const),
      credential: credentialNames(route.access.credentials),
      key: needsKey || route.idempotency === 'accepted' ? fc.uuid() : fc.constant(undefined),
      isCsv: route.body?.csv ? fc.boolean() : fc.constant(false),
      mutations: fc.array(mutationsFor(has), { maxLength: isClean ? 0 : 3 }),
      from: addresses,
    })
    .map(({ input: made, keepsIds, who, credential, key, isCsv, mutations, from }) => {
      const input = withKnown(route, made, who);
      const headers: Record<string, string> = key ? { 'idempotency-key': key } : {};
      const json = draftOf(route, keepsIds ? input : withIds(route, input), credential, headers);
      const draft = isCsv ? asCsv(route, json) : json;
      return { route, from, ...written(mutations.reduce((changed, mutate) => mutate(changed), draft)) };
    });
}

/** Addresses that nobody declared. */
const requestsToNowhere: fc.Arbitrary<FuzzRequest> = fc
  .record({
    method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
    path: fc.array(hostileEscapes, { minLength: 1, maxLength: 3 }).map((parts) => `/api/v1/nowhere/${parts.join('/')}`),
    credential: credentialNames([]),
    from: addresses,
  })
  .map((request) => ({ ...request, route: undefined, url: request.path, headers: {}, body: undefined }));

/** Requests to all of the routes, most to those that give most to try. */
export function requestsTo(routes: readonly Route[], wishes: Wishes = {}): fc.Arbitrary<FuzzRequest> {
  return fc.oneof(...routes.map((route) => ({ weight: weightOf(route), arbitrary: requestsFor(route, wishes) })), {
    weight: wishes.isClean ? 0 : routes.length,
    arbitrary: requestsToNowhere,
  });
}

function weightOf({ method, rate, params, query, body }: Route): number {
  // What deletes or signs out ends the world that all others need.
  if (method === 'DELETE' || (method !== 'GET' && !params && !body)) return 1;
  const weight = 4 + (params ? 8 : 0) + (query ? 12 : 0) + (body ? 16 : 0);
  // Guessing at secrets is slow by design.
  return rate === 'token' ? weight / 4 : weight;
}
