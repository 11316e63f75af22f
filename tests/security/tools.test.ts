import { tools } from '@tributary/api/mcp/tools.ts';
import { type Route, routes } from '@tributary/contract';
import { openTestWithClickHouse, type TestServer } from '@tributary/testkit';
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
