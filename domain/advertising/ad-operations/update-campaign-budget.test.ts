import { expect, test } from 'vitest';
import { openOperations } from './ad-operations.fixture.ts';

const { openShop, sandbox, writes } = await openOperations('USD');
const shop = await openShop('USD');
const withBudget = shop.campaigns.find(({ dailyBudget }) => dailyBudget !== undefined) ?? expect.unreachable();
const withoutBudget = shop.campaigns.find(({ dailyBudget }) => dailyBudget === undefined) ?? expect.unreachable();
const change = (id: string, daily_budget_minor: number, more: object = {}) =>
  shop.post(`/campaigns/${id}/budget`, { daily_budget_minor, ...more });

test('changes the live budget of a campaign, and the undo restores it', async () => {
  withBudget.status = 'ACTIVE';
  withBudget.dailyBudget = '10000';
  const tried = await change(withBudget.id, 12_000, { dry_run: true });
  expect([tried.status, tried.data.outcome, withBudget.dailyBudget]).toEqual([200, 'dry_run', '10000']);
  const { status, data } = await change(withBudget.id, 12_000);
  expect([status, data.outcome, withBudget.dailyBudget]).toEqual([200, 'applied', '12000']);
  expect(data.undo).toEqual({
    method: 'POST',
    path: `/api/v1/campaigns/${withBudget.id}/budget`,
    body: { daily_budget_minor: 10_000, undoes: data.action_id },
  });
  expect(await shop.audit()).toContain(`campaign.budget_changed campaign:${withBudget.id} done`);
  const undone = await shop.post(data.undo.path.replace('/api/v1', ''), data.undo.body);
  expect([undone.status, undone.data.undoes_action_id, withBudget.dailyBudget]).toEqual([200, data.action_id, '10000']);
});

test('returns 422 beyond half of the live budget, and 409 without a budget or when archived', async () => {
  withBudget.dailyBudget = '10000';
  const before = writes();
  expect((await change(withBudget.id, 15_001)).error.code).toBe('budget_change_out_of_bounds');
  withoutBudget.status = 'ACTIVE';
  expect((await change(withoutBudget.id, 1_000)).error).toMatchObject({
    code: 'invalid_state',
    reason: 'budget_not_on_campaign',
  });
  withBudget.status = 'ARCHIVED';
  expect((await change(withBudget.id, 12_000)).error).toMatchObject({
    code: 'invalid_state',
    reason: 'campaign_not_editable',
  });
  withBudget.status = 'ACTIVE';
  expect(writes()).toBe(before);
});

test('returns 404 for a campaign of another profile, and 422 for an "undoes" of an ad set', async () => {
  const stranger = await openShop('USD');
  expect((await stranger.post('/campaigns/123/budget', { daily_budget_minor: 1_000 })).error.code).toBe(
    'campaign_not_found',
  );
  const adSet = shop.adSets[0] ?? expect.unreachable();
  adSet.dailyBudget = '10000';
  const { data } = await shop.post(`/adsets/${adSet.id}/budget`, { daily_budget_minor: 11_000 });
  expect((await change(withBudget.id, 10_000, { undoes: data.action_id })).error).toMatchObject({
    code: 'validation_error',
    field: 'undoes',
  });
});

test('returns the live budget of an ad set and whether it can be changed', async () => {
  const adSet = shop.adSets[1] ?? expect.unreachable();
  adSet.dailyBudget = '5330';
  adSet.status = 'ACTIVE';
  adSet.campaign.status = 'ACTIVE';
  expect((await shop.get(`/adsets/${adSet.id}/status`)).data).toMatchObject({
    external_id: adSet.id,
    platform: 'social_ads',
    status: 'ACTIVE',
    currency: 'USD',
    daily_budget: '53.30',
    daily_budget_minor: 5_330,
    actions: { budget: { available: true, reason: null } },
  });
  expect((await shop.get(`/adsets/${shop.withoutBudget.id}/status`)).data).toMatchObject({
    daily_budget: null,
    actions: { budget: { available: false, reason: 'budget_not_on_ad_set' } },
  });
  adSet.campaign.status = 'ARCHIVED';
  expect((await shop.get(`/adsets/${adSet.id}/status`)).data.actions.budget.reason).toBe('adset_not_editable');
  adSet.campaign.status = 'ACTIVE';
  expect((await shop.get('/adsets/120219999/status')).error.code).toBe('not_found');
  expect(sandbox.book.calls.length).toBeGreaterThan(0);
});
