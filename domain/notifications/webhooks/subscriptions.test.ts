import { createOutbound } from '@tributary/outbound';
import { auditEntries, buildMember, openTest } from '@tributary/testkit';
import { describe, expect, test } from 'vitest';
import { openShop } from './webhooks.fixture.ts';

/** Resolves every name to one public address, so that only the URL rules decide. */
const resolver = { resolve4: async () => ['93.184.216.34'], resolve6: async () => [] };
const { kit, api } = await openTest({ webhookTargets: createOutbound({ timeoutMs: 1_000, resolver }) });
const url = '/api/v1/webhooks/subscriptions';
const to = 'https://hooks.example.com/tributary';

describe('a subscription', () => {
  test('[hook-001] [hook-002] [hook-003] is created with url, events and providers, shows its secret once, and is listed', async () => {
    const shop = await openShop(kit, api);
    const body = { url: to, events: ['outcome.recorded', 'recompute.completed'], providers: ['service'] };
    const { status, data } = await shop.call('POST', url, body);
    expect(status).toBe(201);
    const { secret, ...shown } = data;
    expect(secret).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
    expect(shown).toEqual({
      ...body,
      id: data.id,
      app_id: shop.appId,
      status: 'active',
      disabled_reason: null,
      consecutive_failures: 0,
      failing_since: null,
      last_delivery_at: null,
      created_at: kit.clock.now().toISOString(),
      updated_at: kit.clock.now().toISOString(),
    });
    expect((await shop.call('GET', url)).data).toEqual([shown]);
    const stored = await kit.app
      .forProfile(shop.id)
      .transaction((tx) => tx.selectFrom('webhook_subscriptions').select('secrets').executeTakeFirstOrThrow());
    expect(stored.secrets.toString('latin1')).not.toContain(secret.slice(6));
    expect(await auditEntries(kit, { workspaceId: shop.workspaceId })).toContainEqual(
      expect.objectContaining({ action: 'webhook.created', target: `webhook_subscription:${data.id}` }),
    );
  });

  test.each([
    ['url', { url: 'http://hooks.example.com/' }],
    ['url', { url: 'https://hooks.example.com:8443/' }],
    ['url', { url: 'https://127.0.0.1/' }],
    ['url', { url: 'https://[::1]/' }],
    ['url', { url: 'https://169.254.169.254/latest/meta-data' }],
    ['url', { url: 'https://0x7f.1/' }],
    ['url', { url: 'https://localhost/' }],
    ['url', { url: 'nothing' }],
    ['events', { events: [] }],
    ['events.0', { events: ['lead.created'] }],
    ['events', { events: ['recompute.completed', 'recompute.completed'] }],
    ['providers', { providers: [] }],
    ['providers.0', { providers: ['pigeon'] }],
  ])('[hook-012] returns 422 for a wrong %s on creation and on update: %j', async (field, wrong) => {
    const shop = await openShop(kit, api);
    const refused = await shop.call('POST', url, {
      url: to,
      events: ['recompute.completed'],
      providers: ['service'],
      ...wrong,
    });
    expect([refused.status, refused.error]).toEqual([
      422,
      expect.objectContaining({ code: 'validation_error', field }),
    ]);
    const { id } = await shop.subscribe(to);
    const changed = await shop.patch(id, wrong);
    expect([changed.status, changed.error.field]).toEqual([422, field]);
    expect(await shop.show(id)).toMatchObject({ url: to, events: ['recompute.completed'] });
  });

  test('[hook-012] refuses a host name that resolves to a private address, among others', async () => {
    const answers = ['93.184.216.34', '10.0.0.1'];
    const check = createOutbound({ timeoutMs: 1_000, resolver: { ...resolver, resolve4: async () => answers } });
    expect(await check.checkTarget(to)).toMatchObject({ allowed: false, reason: 'address_not_public' });
  });

  test('[hook-004] is updated field by field, disabled and enabled; [hook-005] and deleted once', async () => {
    const shop = await openShop(kit, api);
    const { id } = await shop.subscribe(to);
    kit.clock.advance(1_000);
    const { data } = await shop.patch(id, { events: ['connection.revoked'], status: 'disabled' });
    expect(data).toMatchObject({
      url: to,
      events: ['connection.revoked'],
      status: 'disabled',
      disabled_reason: 'by_hand',
    });
    expect(data.updated_at).toBe(kit.clock.now().toISOString());
    expect((await shop.patch(id, { status: 'active' })).data).toMatchObject({
      status: 'active',
      disabled_reason: null,
    });
    const remove = () => shop.call('DELETE', `${url}/${id}`);
    expect((await remove()).data).toEqual({ id, deleted: true });
    expect([(await remove()).status, (await shop.patch(id, {})).status]).toEqual([404, 404]);
    expect((await shop.call('GET', url)).data).toEqual([]);
  });

  test('of an app is visible to members, who may test, disable and delete it, but not change its URL or secret', async () => {
    const shop = await openShop(kit, api);
    const { id } = await shop.subscribe(to);
    const own = shop.own.headers;
    expect((await shop.call('GET', url, undefined, own)).data).toHaveLength(1);
    const divert = await shop.call('PATCH', `${url}/${id}`, { url: 'https://other.example.com/' }, own);
    expect([divert.status, divert.error.reason]).toEqual([403, 'subscription_of_app']);
    expect((await shop.call('POST', `${url}/${id}/rotate-secret`, {}, own)).status).toBe(403);
    expect((await shop.call('POST', `/api/v1/webhooks/test/${id}`, {}, own)).status).toBe(202);
    expect((await shop.call('PATCH', `${url}/${id}`, { status: 'disabled' }, own)).status).toBe(200);
    expect((await shop.call('PATCH', `${url}/${id}`, { status: 'active' }, own)).status).toBe(403);
    const ofBusiness = await shop.subscribe(to, {}, own);
    expect((await shop.call('GET', url)).data).toHaveLength(1);
    expect((await shop.call('DELETE', `${url}/${ofBusiness.id}`)).status).toBe(404);
    expect((await shop.call('DELETE', `${url}/${id}`, undefined, own)).status).toBe(200);
  });

  test('with outcome.recorded requires an app: the business’s own key gets 422', async () => {
    const shop = await openShop(kit, api);
    const body = { url: to, events: ['outcome.recorded'], providers: ['service'] };
    const refused = await shop.call('POST', url, body, shop.own.headers);
    expect([refused.status, refused.error.field]).toEqual([422, 'events']);
  });

  test('is limited to twenty per profile, also with concurrent requests', async () => {
    const shop = await openShop(kit, api);
    const body = { url: to, events: ['recompute.completed'], providers: ['service'] };
    const made = await Promise.all(Array.from({ length: 24 }, () => shop.call('POST', url, body)));
    expect(made.filter(({ status }) => status === 201)).toHaveLength(20);
    expect(made.find(({ status }) => status === 409)?.error.reason).toBe('too_many_subscriptions');
  });

  test('is read-only for a viewer', async () => {
    const shop = await openShop(kit, api);
    const viewer = await buildMember(kit.app, shop.workspaceId, 'viewer');
    const headers = { ...viewer.headers({ profileId: shop.id }), 'sec-fetch-site': 'same-origin' };
    const body = { url: to, events: ['recompute.completed'], providers: ['service'] };
    expect((await shop.call('POST', url, body, headers)).status).toBe(403);
  });
});

describe('the signing secret', () => {
  test('[hook-006] is replaced; the old one stays valid for a day, and at most five are valid at once', async () => {
    const shop = await openShop(kit, api);
    const { id, secret } = await shop.subscribe(to);
    const rotate = () => shop.call('POST', `${url}/${id}/rotate-secret`);
    const { status, data } = await rotate();
    expect([status, data.id, data.secret === secret]).toEqual([200, id, false]);
    expect(Date.parse(data.previous_secret_valid_until) - kit.clock.now().getTime()).toBe(86_400_000);
    for (let count = 0; count < 3; count += 1) expect((await rotate()).status).toBe(200);
    const refused = await rotate();
    expect([refused.status, refused.error.reason]).toEqual([409, 'too_many_secrets']);
    kit.clock.advance(86_400_000);
    expect((await rotate()).status).toBe(200);
  });

  test('is not repeated in the response to a repeated request', async () => {
    const shop = await openShop(kit, api);
    const headers = { ...shop.key.headers, 'idempotency-key': 'once' };
    const body = { url: to, events: ['recompute.completed'], providers: ['service'] };
    const first = await shop.call('POST', url, body, headers);
    const again = await shop.call('POST', url, body, headers);
    expect(again).toMatchObject({ status: 201, data: { id: first.data.id }, meta: { left_out: ['secret'] } });
    expect(again.data).not.toHaveProperty('secret');
    expect((await shop.call('GET', url)).data).toHaveLength(1);
  });
});
