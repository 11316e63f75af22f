import { tools } from '@tributary/api/mcp/tools.ts';
import { McpScope, type Route, routes } from '@tributary/contract';
import { buildAssistant, buildMember, buildProfile, openTestWithClickHouse, type TestServer } from '@tributary/testkit';
import { personScopes } from '@tributary/vocabulary';
import { beforeAll, describe, expect, test } from 'vitest';
import { isAt } from '../generated/check.ts';
import { Probe } from '../generated/probe.ts';
import { provenElsewhere } from '../generated/proven-elsewhere.ts';

/** The probe of foreign ids, through the MCP server: each HTTP request of the probe becomes a tool call. */
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
  if (!tool) throw new Error(`${method} ${url} is not a tool.`);
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

/** The result of the tool, or the error of the MCP server. */
function textOf(body: string): string {
  const { result, error } = JSON.parse(body) as { result?: { content: { text: string }[] }; error?: object };
  return result?.content.map(({ text }) => text).join('') ?? JSON.stringify(error);
}

const routeIds = new Set(Object.keys(routes));
const probed = tools.filter(({ route }) => route.ids && routeIds.has(route.id));

describe('a tool returns the same result for another tenant’s id as for a nonexistent one', () => {
  test('covers more than 15 tools', () => expect(probed.length).toBeGreaterThan(15));

  test.each(probed.map(({ name, route }) => [name, route] as const))('%s', async (_, route) => {
    expect(await probe.route(route)).toEqual({ leaks: [], unproven: provenElsewhere[route.id] ?? [] });
  });
});

/** Whether every alternative of the scopes includes personal data. Journeys are also available without the customer. */
const needsPeople = ({ scopes = [] }: Route['access']) =>
  scopes.length > 0 && scopes.every((all) => all.some((scope) => personScopes.includes(scope)));

/** Names of the tools that a credential can list. */
async function listTools(headers: Record<string, string>, query: string): Promise<string[]> {
  const { body } = await api.fastify.inject({
    method: 'POST',
    url: `/mcp${query}`,
    headers: { ...headers, accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    payload: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  });
  const { result } = JSON.parse(body) as { result: { tools: { name: string }[] } };
  return result.tools.map(({ name }) => name);
}

test('with ?changes=allowed, default keys and assistant tokens still get no tools that change ads or show personal data', async () => {
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
    const names = await listTools({ ...headers }, '?changes=allowed');
    expect(names.length).toBeGreaterThan(10);
    expect(dangerous.map(({ name }) => name).filter((name) => names.includes(name))).toEqual([]);
  }
});
