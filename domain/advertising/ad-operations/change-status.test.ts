import { buildApiKey, buildProfile, sandboxReply as json } from '@tributary/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import { openOperations } from './ad-operations.fixture.ts';

const { kit, api, openShop, sandbox, writes, settle } = await openOperations('USD');
let shop: Awaited<ReturnType<typeof openShop>>;
const { campaigns, ads } = sandbox.book.meta.state;
const asBuilt = new Map([...campaigns, ...ads].map((node) => [node, node.status]));
beforeEach(async () => {
  for (const [node, status] of asBuilt) node.status = status;
  shop = await openShop('USD');
  for (const node of [...shop.campaigns, ...shop.ads]) node.status = 'ACTIVE';
});
const first = <N>(nodes: readonly N[]) => nodes[0] ?? expect.unreachable();

describe('campaigns', () => {
  test('[ops-012] [ops-013] [ops-014] [ops-015] the status returns the live state and what a pause would do', async () => {
    const campaign = first(shop.campaigns);
    const { data } = await shop.get(`/campaigns/${campaign.id}/status`);
    const running = shop.ads.filter((ad) => ad.adSet.campaign === campaign);
    expect(data).toMatchObject({
      external_id: campaign.id,
      platform: 'social_ads',
      status: 'ACTIVE',
      currency: 'USD',
      daily_budget: null,
      affected_ads_count: running.length,
      actions: { pause: { available: true, reason: null }, resume: { available: false, reason: 'no_change' } },
    });
    expect(data.affected_ads.map((ad: { external_id: string }) => ad.external_id).sort()).toEqual(
      running.map(({ id }) => id).sort(),
    );
    expect(Number(data.recent_daily_spend[0].spend)).toBe(
      3 * shop.ads.filter((ad) => ad.adSet.campaign === campaign).length + 3 * (await archivedOf(campaign)),
    );
    const budgeted = shop.campaigns.find(({ dailyBudget }) => dailyBudget !== undefined) ?? expect.unreachable();
    expect((await shop.get(`/campaigns/${budgeted.id}/status`)).data).toMatchObject({
      daily_budget: '90.50',
      daily_budget_minor: 9_050,
    });
    // The same state gives the same token, a changed state another one; our own id is not a platform id.
    expect((await shop.get(`/campaigns/${campaign.id}/status`)).data.confirm_token).toBe(data.confirm_token);
    const key = `${data.confirm_token}:pause`;
    await shop.post(`/campaigns/${campaign.id}/pause`, {}, key);
    expect((await shop.post(`/campaigns/${campaign.id}/pause`, {}, key)).headers['idempotent-replayed']).toBe('true');
    expect((await shop.get(`/campaigns/${campaign.id}/status`)).data.confirm_token).not.toBe(data.confirm_token);
  });

  test('[err-077] [err-078] an unknown id, another profile’s campaign and a malformed id all return campaign_not_found', async () => {
    const { data } = await shop.get(`/campaigns/${first(shop.campaigns).id}/status`);
    const ids = [data.campaign_id, 'nobodys', '%00', encodeURIComponent('../x y'), '9'.repeat(150)];
    for (const id of ids)
      for (const { error } of [
        await shop.get(`/campaigns/${id}/status`),
        await shop.post(`/campaigns/${id}/pause`),
        await shop.post(`/campaigns/${id}/resume`),
      ])
        expect([id, error?.status, error?.code]).toEqual([id, 404, 'campaign_not_found']);
    const stranger = await buildProfile(kit.app);
    const { headers } = await buildApiKey(kit.app, stranger.id, { scopes: ['campaigns:apply', 'campaigns:read'] });
    const url = `/api/v1/campaigns/${first(shop.campaigns).id}/status`;
    const foreign = await api.call({ method: 'GET', url, headers });
    expect([foreign.statusCode, foreign.json().error.code]).toEqual([404, 'campaign_not_found']);
  });

  test('[ops-001] [ops-002] [ops-016] [ops-017] a pause is one write, recorded with its id and its undo', async () => {
    const campaign = first(shop.campaigns);
    const before = writes();
    const { status, data } = await shop.post(`/campaigns/${campaign.id}/pause`, {}, 'once');
    expect([status, campaign.status, writes() - before]).toEqual([200, 'PAUSED', 1]);
    expect(data).toMatchObject({
      outcome: 'applied',
      before: { status: 'ACTIVE' },
      after: { status: 'PAUSED' },
      affected_ads_count: shop.ads.filter((ad) => ad.adSet.campaign === campaign).length,
      undo: { method: 'POST', path: `/api/v1/campaigns/${campaign.id}/resume`, body: {} },
    });
    const [action] = await shop.actions();
    expect(action).toMatchObject({
      id: data.action_id,
      kind: 'pause',
      state: 'applied',
      name: campaign.name,
      connection_id: shop.connectionId,
      undo: data.undo,
    });
    expect(await shop.stages(data.action_id)).toEqual(['attempted', 'applied']);
    // The same key returns the same response; another request under it is refused.
    expect((await shop.post(`/campaigns/${campaign.id}/pause`, {}, 'once')).data).toEqual(data);
    expect((await shop.post(`/campaigns/${campaign.id}/pause`, { dry_run: true }, 'once')).error.code).toBe(
      'idempotency_key_conflict',
    );
    expect(writes() - before).toBe(1);
  });

  test('[ops-003] [ops-004] [ops-018] a resume undoes our pause and does not resume ads that were paused separately', async () => {
    const campaign = first(shop.campaigns);
    const ad = shop.ads.find((one) => one.adSet.campaign === campaign) ?? expect.unreachable();
    ad.status = 'PAUSED';
    const paused = (await shop.post(`/campaigns/${campaign.id}/pause`)).data;
    const { data } = await shop.post(paused.undo.path.replace('/api/v1', ''), paused.undo.body);
    expect([campaign.status, ad.status]).toEqual(['ACTIVE', 'PAUSED']);
    expect(data).toMatchObject({ outcome: 'applied', undoes_action_id: paused.action_id, after: { status: 'ACTIVE' } });
    // A campaign paused at the platform can be resumed, but that undoes no action of ours.
    campaign.status = 'PAUSED';
    expect((await shop.post(`/campaigns/${campaign.id}/resume`)).data).toMatchObject({
      outcome: 'applied',
      undoes_action_id: null,
    });
  });

  test('[ops-005] [ops-006] a change that is already in effect returns no_change and sends nothing', async () => {
    const campaign = first(shop.campaigns);
    const before = writes();
    const resumed = await shop.post(`/campaigns/${campaign.id}/resume`);
    campaign.status = 'PAUSED';
    const paused = await shop.post(`/campaigns/${campaign.id}/pause`);
    for (const { status, data } of [resumed, paused])
      expect([status, data.outcome, data.undo, data.affected_ads_count]).toEqual([200, 'no_change', null, 0]);
    expect(writes()).toBe(before);
    expect(await shop.stages(paused.data.action_id)).toEqual(['no_change']);
  });

  test('[ops-007] [ops-008] [ops-039] [err-080] an archived or deleted campaign can be neither paused nor resumed, and the attempt is audited', async () => {
    const campaign = first(shop.campaigns);
    for (const [state, what, code] of [
      ['ARCHIVED', 'pause', 'campaign_not_pausable'],
      ['DELETED', 'pause', 'campaign_not_pausable'],
      ['DELETED', 'resume', 'campaign_not_resumable'],
    ] as const) {
      campaign.status = state;
      const { status, error } = await shop.post(`/campaigns/${campaign.id}/${what}`);
      expect([status, error.code, campaign.status]).toEqual([409, code, state]);
    }
    const audit = await shop.audit();
    expect(audit).toContain(`campaign.pause campaign:${campaign.id} refused`);
    expect(audit).toContain(`campaign.resume campaign:${campaign.id} refused`);
    expect((await shop.actions('?state=refused')).map((one: { reason: string }) => one.reason)).toEqual([
      'campaign_not_resumable',
      'campaign_not_pausable',
      'campaign_not_pausable',
    ]);
  });

  test('[err-081] resuming a running campaign is no error, resuming an archived one is', async () => {
    const campaign = first(shop.campaigns);
    expect((await shop.post(`/campaigns/${campaign.id}/resume`)).status).toBe(200);
    campaign.status = 'ARCHIVED';
    expect((await shop.post(`/campaigns/${campaign.id}/resume`)).error.code).toBe('campaign_not_resumable');
  });
});

async function archivedOf(campaign: unknown) {
  return sandbox.book.meta.state.ads.filter((ad) => ad.adSet.campaign === campaign && ad.status === 'ARCHIVED').length;
}

test('[ops-019] [ops-020] pauses and resumes an ad by the platform’s id', async () => {
  const ad = first(shop.ads);
  const paused = await shop.post(`/ads/${ad.id}/pause`);
  expect([paused.status, ad.status, paused.data.affected_ads_count]).toEqual([200, 'PAUSED', 1]);
  const resumed = await shop.post(`/ads/${ad.id}/resume`);
  expect([ad.status, resumed.data.undoes_action_id]).toEqual(['ACTIVE', paused.data.action_id]);
  expect((await shop.post('/ads/nobodys/pause')).error.code).toBe('not_found');
  ad.status = 'ARCHIVED';
  expect((await shop.post(`/ads/${ad.id}/pause`)).error).toMatchObject({
    code: 'invalid_state',
    reason: 'archived_or_deleted',
  });
});

test('[ops-009] [ops-010] [ops-011] writes require campaigns:apply and an Idempotency-Key, and are audited', async () => {
  const campaign = first(shop.campaigns);
  const path = `/api/v1/campaigns/${campaign.id}/pause`;
  const reader = await shop.keyWith('campaigns:read');
  const { body } = await shop.ask(path, { ...reader, 'idempotency-key': 'k' }, 'POST', {});
  expect(body.error).toMatchObject({ code: 'insufficient_scope', required_scopes: ['campaigns:apply'] });
  const keyless = await shop.call('POST', path, {});
  expect([keyless.statusCode, keyless.json().error.field]).toEqual([400, 'Idempotency-Key']);
  await shop.post(`/campaigns/${campaign.id}/pause`);
  expect(await shop.audit()).toContain(`campaign.paused campaign:${campaign.id} done`);
});

test('Idempotency-Keys are separate per credential', async () => {
  const ad = first(shop.ads);
  const own = await shop.post(`/ads/${ad.id}/pause`, {}, 'shared');
  const other = await shop.keyWith('campaigns:apply');
  const second = await shop.post(`/ads/${ad.id}/pause`, {}, 'shared', other);
  expect([own.data.outcome, second.data.outcome, second.headers['idempotent-replayed']]).toEqual([
    'applied',
    'no_change',
    undefined,
  ]);
  expect(second.data.action_id).not.toBe(own.data.action_id);
});

test('[ops-036] [err-076] without the permission to manage ads nothing is sent to the platform, and the attempt is recorded', async () => {
  const reader = await openShop('USD', { granted: ['ads_read'] });
  const calls = sandbox.book.calls.length;
  const campaign = first(reader.campaigns);
  const { status, error } = await reader.post(`/campaigns/${campaign.id}/pause`);
  expect([status, error.code, sandbox.book.calls.length]).toEqual([403, 'meta_write_permission_missing', calls]);
  expect((await reader.actions())[0]).toMatchObject({ state: 'refused', reason: 'meta_write_permission_missing' });
  expect((await reader.get(`/campaigns/${campaign.id}/status`)).data.actions.pause.reason).toBe(
    'meta_write_permission_missing',
  );
});

test('a dry run returns the expected result, and sends and stores nothing', async () => {
  const campaign = first(shop.campaigns);
  const before = writes();
  const { data } = await shop.post(`/campaigns/${campaign.id}/pause`, { dry_run: true });
  expect(data).toMatchObject({ outcome: 'dry_run', action_id: null, after: { status: 'PAUSED' } });
  expect([writes(), campaign.status, await shop.actions()]).toEqual([before, 'ACTIVE', []]);
  campaign.status = 'ARCHIVED';
  expect((await shop.post(`/campaigns/${campaign.id}/pause`, { dry_run: true })).error.code).toBe(
    'campaign_not_pausable',
  );
  expect(await shop.actions()).toEqual([]);
});

describe('lost responses', () => {
  test('a change that is visible at the platform is recognised at once', async () => {
    const campaign = first(shop.campaigns);
    sandbox.say({ at: '/meta', method: 'POST', answer: 'lost' });
    const { status, data } = await shop.post(`/campaigns/${campaign.id}/pause`);
    expect([status, data.outcome, campaign.status]).toEqual([200, 'applied', 'PAUSED']);
  });

  test('otherwise the change is looked up later; until then others are refused, and afterwards the key returns the result', async () => {
    const campaign = first(shop.campaigns);
    const path = `/campaigns/${campaign.id}/pause`;
    for (const [answer, becomes] of [
      ['lost', 'applied'],
      [undefined, 'failed: not_applied'],
    ] as const) {
      campaign.status = 'ACTIVE';
      const before = writes();
      sandbox.say({ at: '/meta', method: 'POST', delayMs: 200, ...(answer ? { answer } : { reply: json(502, {}) }) });
      const key = `lost-${answer}`;
      const lost = await lose(path, key);
      expect(lost).toMatchObject({ status: 502, error: { code: 'provider_error', reason: 'answer_lost' } });
      expect((await shop.post(path, {}, key)).error.code).toBe('idempotency_key_in_flight');
      expect((await shop.post(`/campaigns/${campaign.id}/resume`)).error).toMatchObject({
        code: 'invalid_state',
        reason: 'action_in_progress',
      });
      expect((await shop.get(`/campaigns/${campaign.id}/status`)).data.actions.resume.reason).toBe(
        'action_in_progress',
      );
      expect(await settle()).toBeGreaterThan(0);
      const [action] = await shop.actions();
      expect((await shop.stages(action.id)).at(-1)).toContain(becomes.split(':')[0]);
      const again = await shop.post(path, {}, key);
      // A change that did not happen may be retried under its key; one that did is not sent twice.
      expect([again.status, again.data.outcome, again.data.action_id]).toEqual([200, 'applied', action.id]);
      expect(writes() - before).toBe(answer ? 1 : 2);
    }
  });

  test('a change that waited before it was sent is looked up no earlier than any other', async () => {
    const campaign = first(shop.campaigns);
    campaign.status = 'ACTIVE';
    sandbox.say({ at: '/meta', method: 'POST', delayMs: 200, reply: json(502, {}) });
    await lose(`/campaigns/${campaign.id}/pause`, 'waited', 11_000);
    expect(await settle(0)).toBe(0);
    expect(await settle()).toBe(1);
  });
});

/** The write gets no response, and neither does the read right after it. */
async function lose(path: string, key: string, readingMs = 0) {
  const { calls } = sandbox.book;
  const before = calls.length;
  const pending = shop.post(path, {}, key);
  while (calls.length === before) await new Promise((resolve) => setTimeout(resolve, 1));
  kit.clock.advance(readingMs);
  // Reading a campaign takes four calls; the next call is the write, which is delayed.
  while (calls.length < before + 4) await new Promise((resolve) => setTimeout(resolve, 1));
  const back = sandbox.say({ at: '/meta', method: 'GET', times: 100, reply: json(503, {}) });
  const answer = await pending;
  back();
  return answer;
}
