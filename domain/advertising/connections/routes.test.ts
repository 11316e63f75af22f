import type { Pixel, ProviderRecord } from '@tributary/providers';
import {
  auditEntries,
  buildApiKey,
  buildConnection,
  buildProfile,
  processQueue,
  testOutcomeServices,
} from '@tributary/testkit';
import { limits } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { openConnections } from './connections.fixture.ts';
import { syncs } from './syncs.queue.ts';

const { kit, api, toy, shop, services } = await openConnections('social_ads', 'crm_a', 'search_console');
const stores = { ...services, app: kit.app, system: kit.system, now: () => kit.clock.now() };
const handler = syncs({ ...stores, outcomes: testOutcomeServices, random: () => 0 });

beforeEach(() => {
  toy.failures = [];
  toy.requests = [];
  toy.pages = [];
});

test('a requested sync runs once and reports its progress [conn-032] [conn-033]', async () => {
  const { ask, connect } = await shop();
  const id = await connect('social_ads');
  const requested = await ask('POST', '/connections/sync', { provider: 'social_ads' });
  expect(requested).toMatchObject({
    status: 202,
    data: [{ connection_id: id, provider: 'social_ads', sync: { state: 'queued' } }],
  });
  await ask('POST', '/connections/sync', { connection_id: id });
  await processQueue(kit.system, 'syncs', handler, id);
  expect(toy.requests).toEqual(['GET /data?page=0']);
  const { data } = await ask('GET', '/connections/sync/status?provider=social_ads');
  expect(data).toMatchObject([
    { connection_id: id, status: 'connected', sync: { state: 'idle' }, rejected: { count: 0, last: [] } },
  ]);
  expect((await ask('POST', '/connections/sync')).status).toBe(202);
  expect((await ask('POST', '/connections/sync', { provider: 'crm_a' })).status).toBe(404);
  const stranger = await shop();
  expect((await stranger.ask('POST', '/connections/sync', { connection_id: id })).status).toBe(404);
  const old = await connect('crm_a', { status: 'reconnect_required' });
  const { error } = await ask('POST', '/connections/sync', { connection_id: old });
  expect(error).toMatchObject({ code: 'connection_not_ready', reconnect_required: true });
  expect(new URL(error.reconnect_url).pathname).toMatch(/^\/connect\//);
});

test.each([
  ['disconnected', 'social_ads', 'disconnected', { status: 409, error: { code: 'connection_not_ready' } }],
  [
    'withdrawn at the provider',
    'social_ads',
    'reconnect_required',
    { status: 409, error: { code: 'connection_not_ready', reconnect_required: true } },
  ],
  ['of a provider that is not set up', 'search_ads', 'connected', { status: 501, error: { code: 'not_implemented' } }],
] as const)('a sync of a connection that is %s is refused with the reason', async (_, channel, status, refusal) => {
  const { ask, connect } = await shop();
  const id = await connect(channel, { status });
  const refused = await ask('POST', '/connections/sync', { connection_id: id });
  expect(refused).toMatchObject(refusal);
  expect(refused.error.reconnect_required).toBe(status === 'reconnect_required' ? true : undefined);
  // A sync of everything skips it as long as another connection can be read.
  const other = await connect('crm_a');
  const all = await ask('POST', '/connections/sync');
  expect([all.status, all.data]).toEqual([202, [expect.objectContaining({ connection_id: other })]]);
});

test('disconnecting revokes the consent, deletes the credentials and publishes one event [conn-031] [evnt-010]', async () => {
  const { ask, connect, row, announced, profile } = await shop();
  const id = await connect('social_ads');
  await ask('POST', '/connections/sync');
  const first = await ask('POST', `/connections/${id}/disconnect`);
  expect(first).toMatchObject({ status: 200, data: { status: 'disconnected', withdrawn_at_provider: true } });
  expect(toy.revoked).toEqual(['access-1']);
  expect(await row(id)).toMatchObject({ status: 'disconnected', credentials: null });
  expect(await ask('POST', `/connections/${id}/disconnect`)).toMatchObject({
    status: 200,
    data: { withdrawn_at_provider: false },
  });
  expect(await announced()).toEqual(['connection.revoked']);
  expect((await ask('GET', '/connections/sync/status')).data).toEqual([]);
  expect((await ask('GET', `/connections/${id}/pixels`)).error).toMatchObject({ code: 'connection_not_ready' });
  const entries = await auditEntries(kit, profile);
  expect(entries.map(({ action }) => action)).toContain('connection.disconnected');
  // An unavailable provider does not prevent a disconnect, and the account can then be connected elsewhere.
  const other = await connect('social_ads', { externalId: 'act_free' });
  toy.failures = [{ verdict: 'wait', says: 'down' }];
  expect((await ask('POST', `/connections/${other}/disconnect`)).data).toMatchObject({ withdrawn_at_provider: false });
  const sister = await buildProfile(kit.app, { workspaceId: profile.workspaceId });
  expect(await buildConnection(kit, sister, { externalId: 'act_free' })).toBeDefined();
});

test('DELETE revokes the app’s keys, including its own, and keeps the connection [conn-017] [conn-018] [conn-019] [conn-020]', async () => {
  const { ask, connect, row, profile, announced } = await shop();
  const id = await connect('social_ads');
  await buildApiKey(kit.app, profile.id, { appId: profile.appId, scopes: ['connections:read'] });
  const own = await buildApiKey(kit.app, profile.id, { scopes: ['connections:read', 'connections:write'] });
  const call = (method: 'GET' | 'DELETE') =>
    api.call({ method, url: `/api/v1/connections/${id}`, headers: own.headers });
  expect((await call('DELETE')).statusCode).toBe(403);
  expect((await (await shop()).ask('DELETE', `/connections/${id}`)).status).toBe(404);
  expect(await ask('DELETE', `/connections/${id}`)).toMatchObject({ status: 200, data: { id, revoked_keys: 2 } });
  expect((await ask('GET', '/connections')).status).toBe(401);
  expect((await call('GET')).statusCode).toBe(200);
  expect(await row(id)).toMatchObject({ status: 'connected' });
  expect(await announced()).toEqual([]);
});

test('pixels are read from the provider, with null for values it did not report [conn-005] [conn-006] [conn-008] [conn-009]', async () => {
  const { ask, connect } = await shop();
  const id = await connect('social_ads');
  const nothing = { name: null, createdAt: null, lastFiredAt: null, isUnavailable: null, ownerBusiness: null };
  const whole: Pixel = {
    id: '2',
    name: 'Shop',
    createdAt: '2025-01-01T00:00:00.000Z',
    lastFiredAt: '2026-01-01T00:00:00.000Z',
    isUnavailable: false,
    ownerBusiness: { id: 'b', name: null },
  };
  toy.pixels = [{ id: '1', ...nothing }, whole];
  const { data } = await ask('GET', `/connections/${id}/pixels`);
  expect(data.pixels).toEqual([
    { id: '1', name: null, created_at: null, last_fired_at: null, is_unavailable: null, owner_business: null },
    {
      id: '2',
      name: 'Shop',
      created_at: whole.createdAt,
      last_fired_at: whole.lastFiredAt,
      is_unavailable: false,
      owner_business: { id: 'b', name: null },
    },
  ]);
});

test('a pixel that never fired and has no status has null values [conn-007] [conn-010] [conn-011]', async () => {
  const { ask, connect } = await shop();
  const id = await connect('social_ads');
  const pixel = { name: 'Shop', createdAt: null, ownerBusiness: null };
  toy.pixels = [
    { id: '1', ...pixel, lastFiredAt: null, isUnavailable: null },
    { id: '2', ...pixel, lastFiredAt: null, isUnavailable: true },
  ];
  const { data } = await ask('GET', `/connections/${id}/pixels`);
  expect(data.pixels).toMatchObject([
    { last_fired_at: null, is_unavailable: null },
    { last_fired_at: null, is_unavailable: true },
  ]);
});

test('pixels: one provider call per request, 409 for other providers, 404 for another profile’s connection [conn-021] [conn-022] [conn-023] [conn-024]', async () => {
  const { ask, connect } = await shop(['exports:read']);
  const [ads, crm] = [await connect('social_ads'), await connect('crm_a')];
  await ask('GET', `/connections/${ads}/pixels`);
  await ask('GET', `/connections/${ads}/pixels`);
  expect(toy.requests).toEqual(['GET /pixels', 'GET /pixels']);
  expect(await ask('GET', `/connections/${crm}/pixels`)).toMatchObject({
    status: 409,
    error: { code: 'invalid_state' },
  });
  const stranger = await shop(['exports:read']);
  expect((await stranger.ask('GET', `/connections/${ads}/pixels`)).status).toBe(404);
  expect((await (await shop(['connections:read'])).ask('GET', `/connections/${ads}/pixels`)).status).toBe(403);
});

test('a provider’s failure is returned with its message, and a revoked token with the reconnect URL [err-008] [err-027] [err-028]', async () => {
  const { ask, connect, row } = await shop();
  const id = await connect('social_ads');
  const fail = (verdict: 'wait' | 'needs_action' | 'reconnect', says: string) => {
    toy.failures = [{ verdict, says }];
    return ask('GET', `/connections/${id}/pixels`);
  };
  const away = await fail('wait', 'Try again');
  expect(away).toMatchObject({ status: 502, error: { code: 'provider_error', provider_message: 'Try again' } });
  expect(away.error.reconnect_required).toBeUndefined();
  const asks = await fail('needs_action', 'Accept the terms');
  expect(asks).toMatchObject({ status: 409, error: { code: 'connection_not_ready' } });
  const gone = await fail('reconnect', 'withdrawn');
  expect(gone).toMatchObject({ status: 409, error: { code: 'connection_not_ready', reconnect_required: true } });
  expect(gone.error.reconnect_url).toContain('/connect/');
  expect(await row(id)).toMatchObject({ status: 'reconnect_required' });
});

test('a provider that the operator has not configured is 501 [err-045]', async () => {
  const { ask, connect } = await shop();
  const id = await connect('search_ads');
  expect(await ask('GET', `/connections/${id}/pixels`)).toMatchObject({
    status: 501,
    error: { code: 'not_implemented' },
  });
});

test('stages are listed with a suggestion, their current meaning and whether the caller may change it [conn-029] [conn-030]', async () => {
  const { ask, connect, profile, ledger } = await shop();
  expect((await ask('GET', '/connections/crm_a/stages')).data).toMatchObject({
    status: null,
    next_step: 'connect',
    stages: [],
  });
  await connect('crm_a');
  toy.pipelines = [
    {
      id: 'p1',
      name: 'Ventas',
      stages: [
        { id: 's1', name: 'Nuevo prospecto', position: 0 },
        { id: 's2', name: 'Etapa 3', position: 1 },
      ],
    },
  ];
  const { data } = await ask('GET', '/connections/crm_a/stages?locale=es');
  expect(data).toMatchObject({ status: 'connected', can_write: false, next_step: 'map_stages' });
  expect(data.outcomes).toContainEqual({ key: 'appointment_booked', label: 'Cita agendada' });
  expect(data.stages).toMatchObject([
    {
      id: 's1',
      name: 'Nuevo prospecto',
      suggested: 'lead_created',
      current: { event_key: 'lead_created', source: 'suggested' },
    },
    { id: 's2', suggested: null, current: { event_key: 'unmapped', source: 'engine_default' }, can_write: false },
  ]);
  await ledger.transaction((tx) =>
    sql`UPDATE definitions SET conversion_type = 'ignored', mapping_source = 'user' WHERE stage_id = 's2'`.execute(tx),
  );
  const writer = await buildApiKey(kit.app, profile.id, { scopes: ['analytics:read', 'goals:write'] });
  const again = await api.call({ method: 'GET', url: '/api/v1/connections/crm_a/stages', headers: writer.headers });
  expect(again.json().data).toMatchObject({ can_write: true, next_step: null });
  expect(again.json().data.stages[1]).toMatchObject({
    current: { event_key: 'ignored', source: 'user' },
    can_write: true,
  });
  expect(again.json().data.outcomes).toContainEqual({ key: 'appointment_booked', label: 'Appointment booked' });
});

test('stages require a CRM, have labels in two languages, and suggestions can be read without storing them [conn-026] [conn-027] [conn-037]', async () => {
  const { ask, connect, ledger } = await shop();
  expect((await ask('GET', '/connections/social_ads/stages')).status).toBe(400);
  expect((await ask('GET', '/connections/crm_a/stages?locale=fr')).status).toBe(400);
  expect((await ask('GET', '/integrations/crm/outcomes/prefill')).data).toEqual({
    connection_id: null,
    provider: null,
    suggestions: [],
  });
  const id = await connect('crm_a');
  toy.pipelines = [{ id: 'p1', name: 'Sales', stages: [{ id: 's1', name: 'Quote sent', position: 0 }] }];
  expect((await ask('GET', '/integrations/crm/outcomes/prefill')).data).toEqual({
    connection_id: id,
    provider: 'crm_a',
    suggestions: [{ pipeline_id: 'p1', stage_id: 's1', name: 'Quote sent', event_key: 'quote_sent' }],
  });
  const definitions = await ledger.transaction((tx) =>
    sql`SELECT 1 FROM definitions WHERE kind = 'pipeline_stage'`.execute(tx),
  );
  expect(definitions.rows).toEqual([]);
});

test('pages of the ad account are listed and selected [conn-040] [conn-041]', async () => {
  const { ask, connect } = await shop();
  const url = '/integrations/adplatform/pages';
  expect(await ask('GET', url)).toMatchObject({ status: 409, error: { code: 'meta_connection_required' } });
  const id = await connect('social_ads');
  toy.fbPages = [
    { id: '1', name: 'Shop' },
    { id: '2', name: 'Blog' },
  ];
  const pages = (...tracked: boolean[]) => [
    { id: '1', name: 'Shop', is_tracked: tracked[0] },
    { id: '2', name: 'Blog', is_tracked: tracked[1] },
  ];
  expect((await ask('GET', url)).data).toEqual({ connection_id: id, pages: pages(false, false) });
  const chosen = await ask('POST', url, { page_ids: ['2'] });
  expect(chosen).toMatchObject({ status: 200, data: { connection_id: id } });
  expect((await ask('GET', url)).data.pages).toEqual(expect.arrayContaining(pages(false, true)));
  expect(await ask('POST', url, { page_ids: ['3'] })).toMatchObject({
    status: 422,
    error: { code: 'validation_error' },
  });
});

test('search terms are listed by day in pages, and replaced when a day is reported again', async () => {
  const { ask, connect } = await shop(['campaigns:read', 'connections:write']);
  const id = await connect('search_console');
  const term = (day: string, query: string, clicks: number, reading = 'first') =>
    ({
      kind: 'search_term',
      reading,
      day,
      query,
      page: 'https://shop.cl/',
      clicks,
      impressions: 100,
      position: '2.5',
    }) as const;
  const sync = async (...records: ProviderRecord[]) => {
    toy.pages = [{ records: records }];
    await ask('POST', '/connections/sync');
    await processQueue(kit.system, 'syncs', handler, id);
  };
  await sync(term('2026-01-01', 'zapatos', 3), term('2026-01-02', 'zapatos', 4), term('2026-01-02', 'botas', 1));
  await sync(term('2026-01-02', 'botas', 2));
  const range = 'date_from=2026-01-01&date_to=2026-01-31';
  const first = await ask('GET', `/search-terms?${range}&limit=2`);
  expect(first.pagination.has_next).toBe(true);
  const rest = await ask('GET', `/search-terms?${range}&cursor=${first.pagination.cursor}`);
  const rows = [...first.data, ...rest.data].map(({ day, query, clicks }) => `${day} ${query} ${clicks}`);
  expect(rows.sort()).toEqual(['2026-01-01 zapatos 3', '2026-01-02 botas 2', '2026-01-02 zapatos 4']);
  expect(first.data[0]).toMatchObject({
    connection_id: id,
    page: 'https://shop.cl/',
    impressions: 100,
    position: '2.5',
  });
  expect((await ask('GET', `/search-terms?${range}&cursor=x`)).status).toBe(400);
  // Completely reported days lose the terms that are no longer reported; other days keep them.
  const whole = { kind: 'search_days', since: '2026-01-02', until: '2026-01-08', reading: 'second' } as const;
  await sync(term('2026-01-02', 'botas', 5, 'second'), whole);
  const left = (await ask('GET', `/search-terms?${range}`)).data as typeof first.data;
  expect(left.map(({ day, query, clicks }: typeof first.data) => `${day} ${query} ${clicks}`)).toEqual([
    '2026-01-02 botas 5',
    '2026-01-01 zapatos 3',
  ]);
  expect((await (await shop(['campaigns:read'])).ask('GET', `/search-terms?${range}`)).data).toEqual([]);
});

test('a provider’s webhook is verified by its signature and schedules a sync of the account’s connections', async () => {
  const { connect, ask, row, announced } = await shop();
  const id = await connect('social_ads', { externalId: 'act_hook' });
  const sendWebhook = async (news: object[], signature?: string) => {
    const payload = JSON.stringify(news);
    const headers = { 'content-type': 'application/json', 'x-toy': signature ?? `signed ${payload.length}` };
    return (await api.call({ method: 'POST', url: '/hooks/social_ads', headers, payload })).statusCode;
  };
  const changed = { accountExternalId: 'act_hook', deliveryId: '1', about: 'changed' };
  expect(await sendWebhook([changed], 'forged')).toBe(401);
  const due = async () => (await ask('GET', '/connections/sync/status')).data[0].sync.state;
  expect(await due()).toBe('idle');
  expect(await sendWebhook([changed, { ...changed, accountExternalId: 'act_unknown' }])).toBe(204);
  expect(await due()).toBe('queued');
  expect(await sendWebhook([{ ...changed, about: 'disconnected' }])).toBe(204);
  expect(await row(id)).toMatchObject({ status: 'reconnect_required' });
  expect(await announced()).toEqual(['connection.reconnect_required']);
  const elsewhere = await api.call({ method: 'POST', url: '/hooks/chatbot', headers: {}, payload: '[]' });
  expect(elsewhere.statusCode).toBe(404);
});

test('the rate limit of provider webhooks is higher than that of pages', async () => {
  const { connect } = await shop();
  await connect('social_ads', { externalId: 'act_busy' });
  const payload = JSON.stringify([{ accountExternalId: 'act_busy', deliveryId: '1', about: 'changed' }]);
  const headers = { 'content-type': 'application/json', 'x-toy': `signed ${payload.length}` };
  const sent = { method: 'POST', url: '/hooks/social_ads', headers, payload, remoteAddress: '203.0.113.77' } as const;
  const answers = new Set<number>();
  for (let n = 0; n < limits.ratePerMinute.public * 2; n += 40) {
    const some = await Promise.all(Array.from({ length: 40 }, () => api.call(sent)));
    for (const { statusCode } of some) answers.add(statusCode);
  }
  expect(answers).toEqual(new Set([204]));
});
