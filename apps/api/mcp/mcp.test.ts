import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type Route, routes, Scope } from '@tributary/contract';
import {
  buildApiKey,
  buildAssistant,
  buildMember,
  connectMeta,
  openAdPlatform,
  openTestWithClickHouse,
  recordAds,
} from '@tributary/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { crowd, openAds } from '../../../domain/measurement/top-performers/top-performers.fixture.ts';
import { prompts } from './prompts.ts';
import { tools } from './tools.ts';

const platform = await openAdPlatform(['USD'], () => new Date('2026-06-10T12:00:00Z'));
afterAll(() => platform.sandbox.close());
const { providers, providerOutbound } = platform;
const world = await openTestWithClickHouse({ providers, providerOutbound });
const { kit, api } = world;
kit.clock.set(new Date('2026-06-11T12:00:00Z'));

let address: string;
let shop: Awaited<ReturnType<typeof openAds>>;
let everything: Record<string, string>;
beforeAll(async () => {
  address = await api.fastify.listen({ port: 0, host: '127.0.0.1' });
  shop = await openAds(world, { scopes: Scope.options });
  everything = (await buildApiKey(kit.app, shop.profileId, { scopes: Scope.options })).headers;
  await shop.tell({ external_id: 'film', campaign_external_id: 'winter', ad_set_external_id: 'broad' });
  await shop.earn('film');
  await shop.settle();
});

async function connect(headers: Record<string, string>, query = '') {
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`/mcp${query}`, address), { requestInit: { headers } });
  await client.connect(transport as never);
  const names = async () => (await client.listTools()).tools.map(({ name }) => name);
  const call = async (name: string, given: Record<string, unknown> = {}) => {
    const result = await client.callTool({ name, arguments: given });
    const [{ text }] = result.content as [{ text: string }];
    return { isError: result.isError === true, body: JSON.parse(text) };
  };
  return { client, names, call };
}

const post = (headers: Record<string, string>, message: unknown) =>
  fetch(`${address}/mcp`, {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers },
    body: JSON.stringify(message),
  });
const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const days = { date_from: '2026-06-10', date_to: '2026-06-10' };

describe('Tools', () => {
  test('are all GET operations open to assistants, except the excluded ones, and all ad changes', () => {
    const toolIds = new Set(tools.map(({ route }) => route.id));
    const reads = Object.values(routes as Record<string, Route>).filter(
      ({ method, access }) => method === 'GET' && access.credentials.includes('mcp') && access.grain !== 'workspace',
    );
    const missing = reads.map(({ id }) => id).filter((id) => !toolIds.has(id));
    // A new GET operation becomes a tool automatically. To exclude one, add a reason to `notTools` and update this list.
    expect(missing.toSorted()).toMatchInlineSnapshot(`
      [
        "listManualStores",
        "listPendingAccounts",
        "listRecordedOutcomes",
        "listTrackedPages",
        "listTrackingDomains",
        "listTrackingEvents",
        "listTrackingKeys",
        "listWebhookDeliveries",
        "listWebhookSubscriptions",
        "readChatbotConnection",
        "readCustomerExport",
        "readErasure",
        "readGtmInstaller",
        "readHandoff",
        "readOutcomesPrefill",
        "readShopifyPixelInstaller",
        "readStorePixelInstaller",
        "readTrackingOrigin",
        "readTrackingSnippet",
      ]
    `);
    const changes = tools.filter(({ isChange }) => isChange).map(({ name }) => name);
    expect(changes.toSorted()).toMatchInlineSnapshot(`
      [
        "apply_url_tags",
        "pause_ad",
        "pause_campaign",
        "resume_ad",
        "resume_campaign",
        "undo_url_tags",
        "update_ad_set_budget",
        "update_campaign_budget",
      ]
    `);
  });

  test('describe themselves and are listed only for callers that may use them', async () => {
    const { client, names } = await connect(everything);
    const { tools: listed } = await client.listTools();
    const readOnly = tools.filter(({ route, isChange }) => !isChange && route.id !== 'rankTopPerformers');
    expect(listed.map(({ name }) => name).toSorted()).toEqual(readOnly.map(({ name }) => name).toSorted());
    for (const { name, description, inputSchema, annotations } of listed) {
      expect(name).toMatch(/^[a-z_]{3,64}$/);
      expect([description?.length ?? 0, annotations?.readOnlyHint]).toEqual([expect.any(Number), true]);
      expect(inputSchema.type).toBe('object');
    }
    expect(client.getInstructions()).toContain('2026-06-11');
    const few = await connect(await shop.keyWith('connections:read'));
    expect(await few.names()).toContain('list_connections');
    expect(await few.names()).not.toContain('list_campaigns');
    expect(await names()).toContain('read_customer_journey');
  });

  test('return the same data and errors as the API', async () => {
    const { call } = await connect(everything);
    const over = async (path: string) => (await shop.read(path, days)).body;
    expect((await call('list_campaigns', days)).body).toEqual(await over('campaigns'));
    expect((await call('read_overview', days)).body).toEqual(await over('overview'));
    expect((await call('read_platform_comparison', days)).body).toEqual(await over('campaigns/platform-comparison'));
    expect((await call('list_connections')).body.data).toEqual([]);
    const limitedList = await call('list_top_performers', { limit: 1, truth_grades: ['lift', 'attributed'] });
    const query = { limit: '1', truth_grades: 'lift,attributed' };
    expect(limitedList).toEqual({ isError: false, body: (await shop.read('top-performers', query)).body });
    expect(await call('list_campaigns', { modle: 'linear' })).toMatchObject({
      isError: true,
      body: { error: { code: 'invalid_parameter', docs_url: expect.stringContaining('/docs/errors/') } },
    });
    expect(await call('nothing')).toMatchObject({ isError: true, body: { error: { code: 'not_found' } } });
    const few = await connect(await shop.keyWith('connections:read'));
    expect(await few.call('list_campaigns', days)).toMatchObject({ body: { error: { code: 'insufficient_scope' } } });
  });

  test('that disclose customers pass the personal-data gate and are logged', async () => {
    const { customerId } = await shop.send();
    const before = (await shop.accesses()).length;
    const { call } = await connect(everything);
    const { body } = await call('read_customer_journey', { id: customerId });
    expect(body.data).toBeDefined();
    const log = await shop.accesses();
    expect(log.length - before).toBeGreaterThan(0);
    expect(log[0]).toMatchObject({ operation: 'readCustomerJourney', people: 1, result: 'served' });
  });
});

describe('Changes of ads', () => {
  test('are offered and run only with ?changes=allowed, and default to a dry run', async () => {
    const advertiser = await openAds(world, { scopes: Scope.options });
    await connectMeta(kit, platform.sandbox, advertiser, 'USD');
    await recordAds(platform.sandbox, advertiser, 'USD');
    const { headers } = await buildApiKey(kit.app, advertiser.profileId, { scopes: Scope.options });
    const ad = platform.sandbox.book.meta.state.ads.find(({ status }) => status === 'ACTIVE');
    const id = ad?.adSet.campaign.id ?? '';
    const reading = await connect(headers);
    expect(await reading.call('pause_campaign', { id })).toMatchObject({
      isError: true,
      body: { error: { code: 'forbidden', reason: 'read_only' } },
    });
    const { names, call } = await connect(headers, '?changes=allowed');
    expect(await names()).toContain('pause_campaign');
    expect((await call('pause_campaign', { id })).body.data).toMatchObject({ outcome: 'dry_run', action_id: null });
    const withoutKey = await call('pause_campaign', { id, dry_run: false });
    expect(withoutKey.isError).toBe(true);
    expect((await call('list_ad_actions')).body.data).toEqual([]);
    const done = await call('pause_campaign', { id, dry_run: false, idempotency_key: 'pause-1' });
    expect(done.body.data.outcome).not.toBe('dry_run');
    const again = await call('pause_campaign', { id, dry_run: false, idempotency_key: 'pause-1' });
    expect(again.body.data.action_id).toBe(done.body.data.action_id);
  });
});

describe('The endpoint', () => {
  test('requires a bearer credential, links to the OAuth metadata, and rejects cookies', async () => {
    const refused = await post({}, list);
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toBe(
      'Bearer resource_metadata="https://tributary.test/.well-known/oauth-protected-resource/mcp"',
    );
    const member = await buildMember(kit.app, shop.workspaceId, 'owner');
    expect((await post(member.headers({ profileId: shop.profileId }), list)).status).toBe(401);
    expect((await post({ ...everything, origin: 'https://evil.test' }, list)).status).toBe(403);
    expect((await post(everything, [list, list])).status).toBe(400);
    const listening = await fetch(`${address}/mcp`, { headers: everything });
    expect([listening.status, listening.headers.get('allow')]).toEqual([405, 'POST']);
  });

  test('counts a message as one API request', async () => {
    const key = await buildApiKey(kit.app, shop.profileId, { scopes: ['campaigns:read'], requestsPerMinute: 2 });
    const ask = () =>
      post(key.headers, { ...list, method: 'tools/call', params: { name: 'list_campaigns', arguments: days } });
    expect([(await ask()).status, (await ask()).status, (await ask()).status]).toEqual([200, 200, 429]);
  });
});

test('[top-051] ranking over all profiles of a member is available only to the MCP server', async () => {
  const other = await openAds(world);
  const foreign = await openAds(world);
  for (const one of [shop, other, foreign]) {
    await one.tell(...crowd(25).map((row) => ({ ...row, external_id: `${one.profileId}-${row.external_id}` })));
    await one.settle();
    await one.rebuild();
  }
  const owner = await buildMember(kit.app, shop.workspaceId, 'owner');
  await kit.app
    .forWorkspace(other.workspaceId)
    .transaction((tx) =>
      tx
        .insertInto('members')
        .values({ workspace_id: other.workspaceId, user_id: owner.userId, role: 'viewer', created_at: kit.clock.now() })
        .execute(),
    );
  const { headers } = await buildAssistant(kit.app, owner, shop.profileId, ['mcp:read']);
  const { call, names } = await connect(headers);
  expect(await names()).toContain('rank_top_performers');
  const { body } = await call('rank_top_performers', { limit: 50 });
  const profileIds = new Set(body.data.map((ad: { profile_id: string }) => ad.profile_id));
  expect(profileIds).toEqual(new Set([shop.profileId, other.profileId]));
  expect(body.meta).toMatchObject({ profiles: 2, profiles_left_out: 0 });
  const scores = body.data.map((ad: { composite_score: number }) => ad.composite_score);
  expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a));
  const mine = await call('list_top_performers', { limit: 50 });
  expect(mine.body.meta.profile_id).toBe(shop.profileId);
  // A key is limited to one profile, and there is no such HTTP route.
  expect(await (await connect(everything)).names()).not.toContain('rank_top_performers');
  expect((await fetch(`${address}/mcp/top-performers`, { headers })).status).toBe(404);
  // Assistant tokens never disclose customers.
  expect(await names()).not.toContain('read_customer_journey');
});

test('offers ten prompts that reference existing tools only', async () => {
  const { client } = await connect(everything);
  const listed = await client.listPrompts();
  expect(listed.prompts).toHaveLength(10);
  const toolIds = new Set(tools.map(({ name }) => name));
  for (const { text, arguments: names } of prompts) {
    const toolNames = text.match(/\b[a-z]+(_[a-z]+)+\b|\bexplain\b/g) ?? [];
    expect(toolNames.filter((name) => !toolIds.has(name))).toEqual([]);
    expect([...new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))].toSorted()).toEqual(names.toSorted());
  }
  const { messages } = await client.getPrompt({ name: 'which_ads_earned_money', arguments: { days: '7' } });
  expect(messages[0]?.content).toMatchObject({ text: expect.stringContaining('last 7 days under last_touch') });
});

test('returns 400 for a message that is nested too deep', async () => {
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const getStatus = async (levels: number) => {
    const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rank_top_performers","arguments":{"window":${nested(levels)}}}}`;
    const headers = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...everything,
    };
    const response = await fetch(`${address}/mcp`, { method: 'POST', headers, body: text });
    return [response.status, (await response.text()).includes('internal_error')];
  };
  expect(await getStatus(30)).toEqual([200, false]);
  expect(await getStatus(10_000)).toEqual([400, false]);
});
