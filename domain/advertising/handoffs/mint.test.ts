import { buildApiKey, buildProfile, openApi, openTest, type TestApi } from '@tributary/testkit';
import { channelNames, handoffProviders } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import { appOrigin, openShop, returnUrl, setOrigins } from './handoffs.fixture.ts';
import { expireHandoffs } from './module.ts';

const { kit, api } = await openTest();
const shop = await openShop(kit, api);

const countHandoffs = async () => {
  const { length } = await kit.app
    .forProfile(shop.id)
    .transaction((tx) => tx.selectFrom('handoffs').select('id').execute());
  return length;
};

test('creating a hand-off returns all fields, and a read returns the same [hand-001] [hand-002] [hand-059] [hand-060]', async () => {
  const { status, data, meta } = await shop.mint('social_ads', { profile_id: shop.id, return_url: returnUrl });
  expect(status).toBe(201);
  expect(meta).toEqual({ profile_id: shop.id });
  expect(Object.keys(data).sort()).toEqual(
    [
      'id',
      'kind',
      'status',
      'url',
      'start_url',
      'expires_at',
      'created_at',
      'completed_at',
      'last_attempt',
      'result',
    ].sort(),
  );
  expect(await shop.read(data.id)).toEqual(data);
});

test('each field has its documented value [hand-003] [hand-004] [hand-005] [hand-009]', async () => {
  const { data } = await shop.mint('crm_a');
  const now = kit.clock.now();
  expect(data).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
    kind: 'connect',
    status: 'pending',
    url: expect.stringMatching(/^https:\/\/tributary\.test\/connect\/[\w-]{43}$/),
    start_url: `${data.url}/start`,
    created_at: now.toISOString(),
    expires_at: new Date(now.getTime() + 45 * 60_000).toISOString(),
    completed_at: null,
    last_attempt: null,
    result: null,
  });
});

test('the body is optional, and two requests create two hand-offs [hand-068] [hand-051]', async () => {
  const [one, two] = [await shop.mint('payments_a'), await shop.mint('payments_a')];
  expect([one.status, two.status]).toEqual([201, 201]);
  expect(one.data.id).not.toBe(two.data.id);
  expect(one.data.url).not.toBe(two.data.url);
});

test('accepts six providers and no other value [hand-065] [hand-066] [hand-067]', async () => {
  expect([...handoffProviders].sort()).toEqual(
    ['social_ads', 'search_ads', 'search_console', 'crm_a', 'payments_a', 'payments_b'].sort(),
  );
  for (const provider of handoffProviders) expect((await shop.mint(provider)).status).toBe(201);
  const others = channelNames.filter((name) => !handoffProviders.some((provider) => provider === name));
  for (const other of [...others, 'meta', 'SOCIAL_ADS', '0']) {
    const { status, error } = await shop.mint(encodeURIComponent(other));
    expect([other, status, error.code]).toEqual([other, 400, 'invalid_parameter']);
  }
});

test("profile_id may be the caller's own; another one is 404 [hand-069] [hand-070]", async () => {
  expect((await shop.mint('crm_a', { profile_id: shop.id })).status).toBe(201);
  const other = await buildProfile(kit.app, { workspaceId: shop.workspaceId });
  for (const profile_id of [other.id, uuid(), 'nonsense']) {
    const { status, error } = await shop.mint('crm_a', { profile_id });
    expect([status, error.code]).toEqual([404, 'not_found']);
  }
});

test('requires a scope, and hides hand-offs of other apps', async () => {
  const weak = await buildApiKey(kit.app, shop.id, { scopes: ['connections:read'] });
  expect((await shop.mint('crm_a', undefined, weak.headers)).error.required_scopes).toEqual(['connections:write']);
  const { data } = await shop.mint('crm_a');
  const reads = async (headers: object) =>
    (await shop.call('GET', `/api/v1/handoffs/${data.id}`, undefined, headers)).status;
  expect(await reads(weak.headers)).toBe(200);
  expect(await reads(shop.own.headers)).toBe(200);
  const stranger = await openShop(kit, api);
  expect(await reads(stranger.key.headers)).toBe(404);
  const otherApp = await buildApiKey(kit.app, shop.id, { scopes: ['connections:read'], appId: stranger.appId });
  expect(await reads(otherApp.headers)).not.toBe(200);
});

test('a key with the older attribution_write grant may connect until the grant ends [auth-017]', async () => {
  const { id, appId } = await openShop(kit, api);
  await kit.app.forProfile(id).transaction((tx) =>
    tx
      .updateTable('grants')
      .set({ oauth_scopes: ['attribution_write'] })
      .where('profile_id', '=', id)
      .execute(),
  );
  const scopes = ['attribution:write', 'connections:read', 'connections:write'] as const;
  const { headers } = await buildApiKey(kit.app, id, { appId, scopes });
  const url = '/api/v1/connections/crm_a/handoff';
  const swapping = await openApi(kit, { swapWindowUntil: new Date(kit.clock.now().getTime() + 60_000) });
  const status = async (through: TestApi) => (await through.call({ method: 'POST', url, headers })).statusCode;
  expect([await status(swapping), await status(api)]).toEqual([201, 403]);
  kit.clock.advance(60_000);
  expect(await status(swapping)).toBe(403);
  await swapping.close();
});

test('return_url must have an origin of the app [hand-071] [hand-073] [hand-076] [hand-090]', async () => {
  const good = await shop.mint('crm_a', { return_url: returnUrl });
  expect(good.status).toBe(201);
  const before = await countHandoffs();
  for (const return_url of [
    'https://evil.example/',
    'http://app.example.com/',
    'https://app.example.com:444/',
    'https://user:pass@app.example.com/',
    'https://user@app.example.com/',
    'javascript:alert(1)',
    '/relative',
    'nonsense',
    '',
    `${appOrigin}/${'x'.repeat(2_100)}`,
    17,
  ]) {
    const { status, error } = await shop.mint('crm_a', { return_url });
    expect([return_url, status, error.code]).toEqual([return_url, 400, 'invalid_parameter']);
  }
  expect(await countHandoffs()).toBe(before);
});

test('return_url is refused for an app that does not govern the profile, and nothing is created [hand-074] [hand-075] [hand-077]', async () => {
  const before = await countHandoffs();
  const ownKey = await shop.mint('crm_a', { return_url: returnUrl }, shop.own.headers);
  expect([ownKey.status, ownKey.error.code]).toEqual([400, 'invalid_parameter']);
  const stranger = await openShop(kit, api);
  await kit.app.forProfile(shop.id).transaction((tx) =>
    tx
      .insertInto('grants')
      .values({
        profile_id: shop.id,
        app_id: stranger.appId,
        oauth_scopes: ['connections'],
        created_at: kit.clock.now(),
        updated_at: kit.clock.now(),
      })
      .execute(),
  );
  const scopes = ['connections:write'] as const;
  const guest = await buildApiKey(kit.app, shop.id, { scopes, appId: stranger.appId });
  const asGuest = await shop.mint('crm_a', { return_url: returnUrl }, guest.headers);
  expect([asGuest.status, asGuest.error.code]).toEqual([400, 'invalid_parameter']);
  expect(await countHandoffs()).toBe(before);
  const free = await buildProfile(kit.app);
  const key = await buildApiKey(kit.app, free.id, { scopes });
  const ungoverned = await shop.mint('crm_a', { return_url: returnUrl }, key.headers);
  expect([ungoverned.status, ungoverned.error.code]).toEqual([400, 'invalid_parameter']);
});

test('allowed_return_origins add and remove origins [hand-072] [ver-020]', async () => {
  const other = await openShop(kit, api);
  const status = async (return_url: string) => (await other.mint('crm_a', { return_url })).status;
  await setOrigins(kit, other.appId, { allowedReturnOrigins: ['https://more.example', `-${appOrigin}`] });
  expect(await status('https://more.example/x')).toBe(201);
  expect(await status(returnUrl)).toBe(400);
  await setOrigins(kit, other.appId, { allowedReturnOrigins: [] });
  expect(await status(returnUrl)).toBe(201);
});

test('is failed after 45 minutes, before and after the expiry job [hand-008] [hand-013] [hand-022] [lim-019]', async () => {
  const { data } = await shop.mint('search_ads');
  const swept = await shop.mint('search_ads');
  kit.clock.advance(45 * 60_000 - 1);
  expect(await expireHandoffs(kit.system, kit.clock.now(), AbortSignal.timeout(5_000))).toMatchObject({ unparked: 0 });
  expect((await shop.read(data.id)).status).toBe('pending');
  kit.clock.advance(1);
  const expired = {
    status: 'failed',
    completed_at: data.expires_at,
    result: { provider: 'search_ads', reason: 'handoff_expired' },
  };
  expect(await shop.read(data.id)).toEqual({ ...data, ...expired });
  const { expired: count } = await expireHandoffs(kit.system, kit.clock.now(), AbortSignal.timeout(5_000));
  expect(count).toBeGreaterThanOrEqual(2);
  expect(await shop.read(swept.data.id)).toMatchObject(expired);
  expect(await expireHandoffs(kit.system, kit.clock.now(), AbortSignal.timeout(5_000))).toEqual({
    expired: 0,
    unparked: 0,
  });
});

test('neither the table nor the audit log contains a link in plain text', async () => {
  const { data } = await shop.mint('crm_a');
  const capability = data.url.split('/').at(-1);
  const { rows } = await kit.owner.unbound.query(sql<{ row: string }>`SELECT h::text AS row FROM handoffs h`);
  const hex = Buffer.from(capability).toString('hex');
  for (const { row } of rows) expect(row.includes(capability) || row.includes(hex)).toBe(false);
  expect(api.logLines.join('\n')).not.toContain(capability);
});

test('without an app, return_url may only be the profile’s connections page in the console', async () => {
  const { secret } = await buildApiKey(kit.app, shop.id, { scopes: ['connections:write'] });
  const mint = async (return_url: string) =>
    (
      await api.fastify.inject({
        method: 'POST',
        url: '/api/v1/connections/social_ads/handoff',
        headers: { authorization: `Bearer ${secret}` },
        payload: { return_url },
      })
    ).statusCode;
  const own = `https://tributary.test/p/${shop.id}/connections`;
  expect(await mint(own)).toBe(201);
  for (const other of [
    `https://tributary.test/p/${uuid()}/connections`,
    `https://tributary.test/p/${shop.id}/settings`,
    `https://elsewhere.test/p/${shop.id}/connections`,
    returnUrl,
  ])
    expect([other, await mint(other)]).toEqual([other, 400]);
});
