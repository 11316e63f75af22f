import { tools } from '@tributary/api/mcp/tools.ts';
import { McpScope, type Route, routes } from '@tributary/contract';
import { buildAssistant, buildMember, buildProfile, openTestWithClickHouse, type TestServer } from '@tributary/testkit';
import { personScopes } from '@tributary/vocabulary';
import { beforeAll, describe, expect, test } from 'vitest';
import { isAt } from '../generated/check.ts';
import { Probe } from '../generated/probe.ts';
import { provenElsewhere } from '../generated/proven-elsewhere.ts';

/** The probe of foreign ids once more, through the MCP server: what it writes as a request of HTTP is sent as a call of the tool. */
const { kit, api } = await openTestWithClickHouse();
let probe: Probe;
beforeAll(async () => {
  const fastify = { inject: callTool } as unknown as TestServer['fastify'];
  probe = await Probe.open(kit, { fastify });
});

interface Injected {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly remoteAddress: string;
  readonly payload?: Buffer;
}

async function callTool({ method, url, headers, remoteAddress, payload }: Injected) {
  const tool = tools.find(({ route }) => isAt(route, { method, url }));
  if (!tool) throw new Error(`${method} ${url} is no tool.`);
  const { 'idempotency-key': key, authorization, cookie } = headers;
  const params = {
    name: tool.name,
    arguments: { ...argumentsIn(tool.route, url, payload), ...(key && tool.isChange && { idempotency_key: key }) },
  };
  const answer = await api.fastify.inject({
    method: 'POST',
    url: '/mcp?changes=allowed',
    headers: {
      ...(authorization && { authorization }),
      ...(cookie && { cookie }),
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    },
    remoteAddress,
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
  });
  return { statusCode: answer.statusCode, headers: {}, body: textOf(answer.body) };
}

function argumentsIn(route: Route, url: string, payload: Buffer | undefined): Record<string, unknown> {
  const { pathname, searchParams } = new URL(url, 'http://api.test');
  const values = pathname.split('/');
  const inPath = route.path.split('/').flatMap((part, at) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    return name === undefined ? [] : [[name, decodeURIComponent(values[at] ?? '')]];
  });
  const query = [...new Set(searchParams.keys())].map((name) => [name, searchParams.getAll(name).join(',')]);
  const body = payload ? (JSON.parse(payload.toString()) as object) : {};
  return { ...Object.fromEntries([...inPath, ...query]), ...body };
}

/** The answer of the tool; of the door, its refusal. */
function textOf(body: string): string {
  const { result, error } = JSON.parse(body) as { result?: { content: { text: string }[] }; error?: object };
  return result?.content.map(({ text }) => text).join('') ?? JSON.stringify(error);
}

const known = new Set(Object.keys(routes));
const probed = tools.filter(({ route }) => route.ids && known.has(route.id));

describe('a tool answers for an id of somebody else as for one that never was', () => {
  test('there are such tools', () => expect(probed.length).toBeGreaterThan(15));

  test.each(probed.map(({ name, route }) => [name, route] as const))('%s', async (_, route) => {
    expect(await probe.route(route)).toEqual({ leaks: [], unproven: provenElsewhere[route.id] ?? [] });
  });
});

/** Journeys are shown without the person to whoever may read conversions only. */
const needsPeople = ({ scopes = [] }: Route['access']) =>
  scopes.length > 0 && scopes.every((all) => all.some((scope) => personScopes.includes(scope)));

/** Names of the tools that a credential is offered. */
async function offered(headers: Record<string, string>, query: string): Promise<string[]> {
  const { body } = await api.fastify.inject({
    method: 'POST',
    url: `/mcp${query}`,
    headers: { ...headers, accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  });
  const { result } = JSON.parse(body) as { result: { tools: { name: string }[] } };
  return result.tools.map(({ name }) => name);
}

test('whatever the address says, a key made without scopes and a token of an assistant change no ads and name nobody', async () => {
  const { id: profileId, workspaceId } = await buildProfile(kit.app);
  const owner = await buildMember(kit.app, workspaceId, 'owner');
  const made = await api.call({
    method: 'POST',
    url: '/api/v1/keys',
    headers: { ...owner.headers({ profileId }), origin: 'https://tributary.test' },
    payload: { name: 'Default' },
  });
  const key = { authorization: `Bearer ${made.json().data.key}` };
  const { headers: assistant } = await buildAssistant(kit.app, owner, profileId, McpScope.options);
  const dangerous = tools.filter(({ isChange, route: { access } }) => isChange || needsPeople(access));
  expect(dangerous.length).toBeGreaterThan(10);
  for (const headers of [key, assistant]) {
    const names = await offered({ ...headers }, '?changes=allowed');
    expect(names.length).toBeGreaterThan(10);
    expect(dangerous.map(({ name }) => name).filter((name) => names.includes(name))).toEqual([]);
  }
});
