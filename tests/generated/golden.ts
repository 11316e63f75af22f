import { randomInt } from 'node:crypto';
import type { Route } from '@tributary/contract';
import type { Testkit, TestServer } from '@tributary/testkit';
import { uuidPattern } from '@tributary/vocabulary';
import { v7 as uuid } from 'uuid';
import { draftOf, type RequestInput, validInput, withId, written } from './requests.ts';
import { buildWorld, type CredentialName, credentialsFor, settled, type World } from './world.ts';

/** An id that does not exist. */
const absent = '0195d3a0-0000-7000-8000-000000000000';

const unknownField = 'unknown_field';

/** Headers with these values are not recorded, because most responses have them. */
const usual: Readonly<Record<string, string>> = {
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'no-store',
};
/** Generated from the contract or the changelog, which are reviewed themselves. */
const documents = ['readOpenapi', 'readChangelog'];

const recordedHeaders = [
  ...Object.keys(usual),
  'deprecation',
  'sunset',
  'link',
  'location',
  'retry-after',
  'www-authenticate',
  'content-disposition',
];

interface Case {
  readonly name: string;
  readonly credential: CredentialName;
  readonly input: RequestInput;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A valid request of an operation, and variants that must be rejected. */
function casesOf(route: Route): { readonly valid: Case | undefined; readonly refused: readonly Case[] } {
  const { good, bad } = credentialsFor(route.access.credentials);
  const input = validInput(route, 1);
  const best = good.includes('api_key') ? 'api_key' : (good[0] ?? ('none' as const));
  const asBest = (name: string, changed: RequestInput): Case => ({ name, credential: best, input: changed });
  const isOpen = route.access.credentials.includes('public');
  const refused: Case[] = isOpen
    ? []
    : bad
        .filter((name) => ['none', 'unknown', 'expired', 'limited', 'session', 'app', 'mcp', 'api_key'].includes(name))
        .map((credential) => ({ name: `as ${credential}`, credential, input }));
  if (route.query)
    refused.push(asBest('unknown query parameter', { ...input, query: { ...input.query, [unknownField]: 'x' } }));
  if (route.body && input.body !== null && typeof input.body === 'object') {
    refused.push(asBest('unknown field', { ...input, body: { ...input.body, [unknownField]: 1 } }));
    refused.push(asBest('empty body', { ...input, body: {} }));
    refused.push(asBest('list as body', { ...input, body: [] }));
  }
  for (const name of Object.keys(route.ids ?? {}))
    refused.push(asBest(`absent ${name}`, withId(route, input, name, absent)));
  if (route.idempotency === 'required')
    refused.push({ ...asBest('no Idempotency-Key', input), headers: { 'idempotency-key': '' } });
  return { valid: { name: 'valid', credential: best, input }, refused };
}

/** Records the responses of a chapter's operations. Each valid request that changes something gets its own world. */
export async function recordChapter(
  kit: Testkit,
  server: Pick<TestServer, 'fastify'>,
  operations: readonly Route[],
): Promise<string> {
  const world = await buildWorld(kit);
  const lines: string[] = [];
  for (const route of operations) {
    lines.push(`## ${route.id}: ${route.method} ${route.path}`);
    const { valid, refused } = casesOf(route);
    for (const one of refused) lines.push(await record(server, world, route, one));
    if (valid) lines.push(await record(server, route.method === 'GET' ? world : await buildWorld(kit), route, valid));
    lines.push('');
  }
  return lines.join('\n');
}

async function record(server: Pick<TestServer, 'fastify'>, world: World, route: Route, one: Case): Promise<string> {
  const headers: Record<string, string> = route.idempotency ? { 'idempotency-key': uuid() } : {};
  const sent = { ...headers, ...one.headers };
  if (sent['idempotency-key'] === '') delete sent['idempotency-key'];
  const request = settled(written(draftOf(route, one.input, one.credential, sent)), world);
  const response = await server.fastify.inject({
    method: request.method as 'GET',
    url: request.url,
    headers: { ...request.headers },
    // Rate limits without a credential count by address.
    remoteAddress: `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`,
    ...(request.body && { payload: request.body }),
  });
  const shown = recordedHeaders.flatMap((name) => {
    const value = response.headers[name];
    return value === undefined || value === usual[name] ? [] : [`${name}: ${mask(String(value))}`];
  });
  const isDocument = documents.includes(route.id) && response.statusCode === 200;
  return [`${one.name}: ${response.statusCode}`, ...shown, isDocument ? 'document' : bodyOf(response.body)].join(' | ');
}

function bodyOf(text: string): string {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return text === '' ? 'empty' : 'text';
  }
  const { error } = body as { error?: { code?: string; message?: string } };
  if (!error?.code) return JSON.stringify(shapeOf(body));
  const { code, message = '', ...rest } = error;
  const fields = Object.keys(rest).filter((name) => !['status', 'request_id', 'docs_url'].includes(name));
  return `${code} ${JSON.stringify(mask(message))}${fields.length > 0 ? ` +${fields.sort().join(' +')}` : ''}`;
}

const uuids = new RegExp(uuidPattern, 'gi');
const times = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
const marks = /mark-[0-9a-f]{12}/g;
const mask = (text: string) => text.replace(uuids, '<uuid>').replace(times, '<time>').replace(marks, '<mark>');

/** The body with each value replaced by its kind; a list has one row of each shape. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) {
    const shapes = new Map(value.map((one) => [JSON.stringify(shapeOf(one)), shapeOf(one)]));
    return [...shapes.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, shape]) => shape);
  }
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [mask(name), shapeOf(field)]));
  if (typeof value !== 'string') return value === null ? null : typeof value;
  if (new RegExp(`^${uuidPattern}$`, 'i').test(value)) return 'uuid';
  if (/^\d{4}-\d\d-\d\dT/.test(value)) return 'time';
  return /^\d{4}-\d\d-\d\d$/.test(value) ? 'date' : 'text';
}
