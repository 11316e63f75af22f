import { buildApiKey, buildMember, connectMeta, recordAds } from '@tributary/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openOperations } from './ad-operations.fixture.ts';

const { openShop, sandbox, kit, api, writes } = await openOperations('USD');
const { state } = sandbox.book.meta;
const tagsOf = (ad: { creativeId: string }) => state.creatives.get(ad.creativeId)?.urlTags;

/** A shop with ads whose links do not name them, and a member who may approve tags. */
async function openUntagged(granted?: string[]) {
  const shop = await openShop('USD', granted && { granted });
  const ads = shop.ads.slice(0, 4);
  for (const ad of ads)
    state.creatives.set(ad.creativeId, {
      ...(state.creatives.get(ad.creativeId) as object),
      urlTags: 'utm_source=fb',
    } as never);
  await shop.ledger.transaction((tx) =>
    sql`UPDATE ad_entities SET creative = '{"url_tags": "utm_source=fb"}' WHERE external_id = ANY (${ads.map(({ id }) => id)}::text[])`.execute(
      tx,
    ),
  );
  const { userId } = await buildMember(kit.app, shop.workspaceId, 'owner');
  const apply = (ids: readonly string[], more: object = {}, key?: string, headers?: object) =>
    shop.post(
      '/quality/ad-ids/url-tags/apply',
      { ad_ids: ids, acknowledge_learning_reset: true, applied_by: userId, ...more },
      key,
      headers,
    );
  return { ...shop, untagged: ads, userId, apply };
}

test('[ops-026] [ops-028] [ops-029] [ops-033] writes tags onto listed ads, with a result for each', async () => {
  const shop = await openUntagged();
  const [one, two, archived] = shop.untagged as [
    (typeof shop.untagged)[0],
    (typeof shop.untagged)[0],
    (typeof shop.untagged)[0],
  ];
  const listed = (await shop.get('/quality/ad-ids?limit=100')).data.map(
    (ad: { ad_external_id: string }) => ad.ad_external_id,
  );
  expect(listed).toEqual(expect.arrayContaining([one.id, two.id, archived.id]));
  const tagged = shop.ads.find((ad) => !listed.includes(ad.id)) ?? expect.unreachable();
  archived.status = 'ARCHIVED';
  const former = one.creativeId;
  sandbox.say({
    at: new RegExp(`/${two.id}$`),
    method: 'POST',
    reply: { status: 400, headers: {}, body: JSON.stringify({ error: { code: 100, message: 'No.' } }) } as never,
  });
  const { status, data } = await shop.apply([one.id, two.id, archived.id, tagged.id], {}, 'tags');
  archived.status = 'ACTIVE';
  expect(status).toBe(200);
  expect(data.ads.map((ad: { result: string; reason: string }) => [ad.result, ad.reason])).toEqual([
    ['applied', null],
    ['refused', 'platform_refused'],
    ['skipped', 'archived_or_deleted'],
    ['skipped', 'not_listed'],
  ]);
  expect(tagsOf(one)).toBe('utm_source=fb&campaign_id={{campaign.id}}&adset_id={{adset.id}}&ad_id={{ad.id}}');
  expect(data.ads[0].action).toMatchObject({
    may_restart_learning: true,
    before: { creative_id: former },
    applied_by: shop.userId,
  });
  const { data: state } = await shop.get('/quality/ad-ids/url-tags');
  expect([state.can_apply, state.reason]).toEqual([true, null]);
  expect(state.recent.map((action: { state: string }) => action.state)).toEqual(['refused', 'refused', 'applied']);
  // Repeating the request retries only what did not happen.
  const before = writes();
  expect((await shop.apply([one.id, two.id, archived.id, tagged.id], {}, 'tags')).data).toEqual(data);
  expect(writes()).toBe(before);

  const undone = await shop.post('/quality/ad-ids/url-tags/undo', { ad_id: one.id });
  expect([undone.status, one.creativeId, undone.data.after.url_tags]).toEqual([200, former, 'utm_source=fb']);
});

test('[ops-032] restores an ad’s former creative, once', async () => {
  const shop = await openUntagged();
  const ad = shop.untagged[3] ?? expect.unreachable();
  const former = ad.creativeId;
  const { data } = await shop.apply([ad.id]);
  expect(ad.creativeId).not.toBe(former);
  const { undo } = data.ads[0].action;
  const dry = await shop.post(undo.path.replace('/api/v1', ''), { ...undo.body, dry_run: true });
  expect([dry.data.outcome, ad.creativeId === former]).toEqual(['dry_run', false]);
  const undone = await shop.post(undo.path.replace('/api/v1', ''), undo.body);
  expect([undone.data.outcome, undone.data.undoes_action_id, ad.creativeId]).toEqual([
    'applied',
    data.ads[0].action.action_id,
    former,
  ]);
  expect((await shop.post('/quality/ad-ids/url-tags/undo', { ad_id: ad.id })).error).toMatchObject({
    reason: 'nothing_to_undo',
  });
});

test('[ops-027] [ops-030] [lim-015] accepts at most 25 ads, and requires the acknowledgement of a learning reset', async () => {
  const shop = await openUntagged();
  const before = writes();
  const many = Array.from({ length: 26 }, (_, n) => `ad-${n}`);
  expect((await shop.apply(many)).error).toMatchObject({ code: 'validation_error', field: 'ad_ids' });
  expect((await shop.apply(many.slice(1))).status).toBe(200);
  for (const acknowledge_learning_reset of [undefined, false])
    expect((await shop.apply(['x'], { acknowledge_learning_reset })).error).toMatchObject({
      code: 'validation_error',
      field: 'acknowledge_learning_reset',
    });
  expect(writes()).toBe(before);
});

test('[ops-037] an app that set up workspace, profile and key by API may omit applied_by: the owner it named is recorded', async () => {
  const app = await api.registerApp();
  const call = async (headers: object, method: 'POST' | 'PUT', path: string, payload: object) => {
    const response = await api.call({ method, url: `/api/v1${path}`, headers: { ...headers }, payload });
    expect(response.statusCode, response.body).toBeLessThan(300);
    return response.json().data;
  };
  const token = await app.token();
  const named = { name: 'Shop', owner_email: 'owner@example.com', owner_name: 'Ana' };
  const workspace = await call(token, 'POST', '/workspaces', named);
  const { id: profileId } = await call(token, 'POST', '/profiles', { workspace_id: workspace.id, name: 'Shop' });
  const scopes = ['campaigns_apply', 'attribution_write', 'analytics'];
  await call(token, 'PUT', `/profiles/${profileId}/grant`, { scopes });
  await call(token, 'PUT', `/profiles/${profileId}/entitlements/atribu_attribution`, { enabled: true });
  const { key } = await call(await app.token(profileId), 'POST', '/keys', {});
  const headers = { authorization: `Bearer ${key}` };

  const shop = {
    profileId,
    workspaceId: workspace.id,
    ledger: kit.app.forProfile(profileId),
    spend: (...rows: object[]) =>
      call(headers, 'POST', '/spend', { rows: rows.map((row) => ({ platform: 'social_ads', level: 'ad', ...row })) }),
  };
  await connectMeta(kit, sandbox, shop, 'USD');
  await recordAds(sandbox, shop, 'USD');
  await shop.ledger.transaction((tx) =>
    sql`UPDATE ad_entities SET creative = '{"url_tags": "utm_source=fb"}' WHERE level = 'ad' AND status = 'ACTIVE'`.execute(
      tx,
    ),
  );
  const listed = await api.call({ method: 'GET', url: '/api/v1/quality/ad-ids?limit=1', headers });
  const body = { ad_ids: [listed.json().data[0].ad_external_id], acknowledge_learning_reset: true };
  const path = '/quality/ad-ids/url-tags/apply';
  const applied = await call({ ...headers, 'idempotency-key': 'tags' }, 'POST', path, body);
  expect(workspace.owner_id).toMatch(/^[0-9a-f-]{36}$/);
  expect(applied.ads).toMatchObject([{ result: 'applied', action: { applied_by: workspace.owner_id } }]);
});

test('only the governing app may omit applied_by; the owner is recorded', async () => {
  const shop = await openUntagged();
  const ad = shop.untagged[0] ?? expect.unreachable();
  expect((await shop.apply([ad.id], { applied_by: undefined })).error).toMatchObject({
    code: 'validation_error',
    field: 'applied_by',
  });
  const stranger = '0195f0a0-0000-7000-8000-000000000000';
  expect((await shop.apply([ad.id], { applied_by: stranger })).error).toMatchObject({ field: 'applied_by' });
  const { clientId: appId } = await api.registerApp();
  await kit.owner.unbound.transaction((tx) =>
    sql`UPDATE profiles SET governing_app_id = ${appId} WHERE id = ${shop.profileId}`.execute(tx),
  );
  const at = kit.clock.now();
  const grant = {
    profile_id: shop.profileId,
    app_id: appId,
    oauth_scopes: ['campaigns_apply'],
    created_at: at,
    updated_at: at,
  };
  await shop.ledger.transaction((tx) => tx.insertInto('grants').values(grant).execute());
  const { headers } = await buildApiKey(kit.app, shop.profileId, { appId, scopes: ['campaigns:apply'] });
  const { data, error } = await shop.apply([ad.id], { applied_by: undefined }, undefined, headers);
  expect(error).toBeUndefined();
  expect(data.ads[0].action.applied_by).toBe(shop.userId);
  // An owner named by the app counts before accepting the invitation.
  const named = '0195f0a0-0000-7000-8000-00000000000a';
  await kit.app.forWorkspace(shop.workspaceId).transaction(async (tx) => {
    await sql`DELETE FROM members WHERE workspace_id = ${shop.workspaceId}`.execute(tx);
    await sql`UPDATE workspaces SET owner_id = ${named} WHERE id = ${shop.workspaceId}`.execute(tx);
  });
  const other = shop.untagged[1]?.id ?? expect.unreachable();
  const byNamed = await shop.apply([other], { applied_by: undefined }, undefined, headers);
  expect(byNamed.data.ads[0].action.applied_by).toBe(named);
});

test('[ops-036] [err-088] without the permission or a connection nothing is applied, and the reason is returned', async () => {
  const reader = await openUntagged(['ads_read']);
  expect((await reader.apply([reader.untagged[0]?.id ?? ''])).error.code).toBe('meta_write_permission_missing');
  expect((await reader.get('/quality/ad-ids/url-tags')).data).toMatchObject({
    can_apply: false,
    reason: 'meta_write_permission_missing',
  });
  await reader.ledger.transaction((tx) =>
    sql`UPDATE connections SET status = 'disconnected', credentials = NULL`.execute(tx),
  );
  const { status, error } = await reader.apply([reader.untagged[0]?.id ?? '']);
  expect([status, error.code]).toEqual([409, 'meta_connection_required']);
});
