import { sandboxReply as json } from '@tributary/testkit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openOperations } from './ad-operations.fixture.ts';

const { openShop, sandbox, kit, writes } = await openOperations('USD', 'CLP', 'COP', 'BHD', 'JPY');
const usd = await openShop('USD');
const next = (() => {
  let next = 0;
  return () => usd.adSets[next++] ?? expect.unreachable();
})();
const budget = (id: string, daily_budget_minor: number, more: object = {}, key?: string) =>
  usd.post(`/adsets/${id}/budget`, { daily_budget_minor, ...more }, key);

test('[ops-021] [ops-022] [ops-024] [lim-016] moves a budget by up to half of the live value, inclusive', async () => {
  const adSet = next();
  adSet.dailyBudget = '10000';
  for (const wanted of [4_999, 15_001]) {
    const { status, error } = await budget(adSet.id, wanted);
    expect([status, error.code, adSet.dailyBudget]).toEqual([422, 'budget_change_out_of_bounds', '10000']);
  }
  const { status, data } = await budget(adSet.id, 15_000);
  expect([status, adSet.dailyBudget]).toEqual([200, '15000']);
  expect(data).toMatchObject({
    outcome: 'applied',
    may_restart_learning: true,
    before: { daily_budget: '100.00', daily_budget_minor: 10_000, currency: 'USD' },
    after: { daily_budget: '150.00', daily_budget_minor: 15_000 },
    undo: { path: `/api/v1/adsets/${adSet.id}/budget`, body: { daily_budget_minor: 10_000, undoes: data.action_id } },
  });
  expect((await budget(adSet.id, 15_000)).data).toMatchObject({ outcome: 'no_change', may_restart_learning: false });
});

test('[ops-023] [err-084] [ops-038] accepts 100 minor units and refuses 99, and audits the attempt', async () => {
  const adSet = next();
  adSet.dailyBudget = '150';
  expect((await budget(adSet.id, 99)).error.code).toBe('budget_change_out_of_bounds');
  expect(await usd.audit()).toContain(`ad_set.budget ad_set:${adSet.id} refused`);
  expect((await usd.actions(`?external_id=${adSet.id}`))[0]).toMatchObject({
    state: 'refused',
    reason: 'budget_change_out_of_bounds',
  });
  expect((await budget(adSet.id, 100)).status).toBe(200);
  expect(adSet.dailyBudget).toBe('100');
});

test('an undo may exceed the usual bounds, any other change may not', async () => {
  const adSet = next();
  adSet.dailyBudget = '10000';
  const { data } = await budget(adSet.id, 5_000);
  expect((await budget(adSet.id, 10_000)).error.code).toBe('budget_change_out_of_bounds');
  expect((await budget(adSet.id, 9_999, { undoes: data.action_id })).error.code).toBe('budget_change_out_of_bounds');
  expect((await budget(next().id, 9_999, { undoes: data.action_id })).error).toMatchObject({
    code: 'validation_error',
    field: 'undoes',
  });
  const undone = await usd.post(data.undo.path.replace('/api/v1', ''), data.undo.body);
  expect([undone.status, undone.data.undoes_action_id, adSet.dailyBudget]).toEqual([200, data.action_id, '10000']);
});

test('[ops-025] [err-082] [err-083] refuses archived or deleted ad sets by their live state or, if unreadable, by the last synced one', async () => {
  const adSet = next();
  for (const node of [adSet, adSet.campaign])
    for (const state of ['ARCHIVED', 'DELETED']) {
      node.status = state;
      expect((await budget(adSet.id, 100)).error.code).toBe('adset_not_editable');
      node.status = 'ACTIVE';
    }
  const tell = (status: string) =>
    usd.ledger.transaction((tx) =>
      sql`UPDATE ad_entities SET status = ${status} WHERE external_id = ${adSet.id}`.execute(tx),
    );
  await tell('ARCHIVED');
  expect((await budget(adSet.id, Number(adSet.dailyBudget) + 1)).status).toBe(200);
  for (const [status, code] of [
    ['ARCHIVED', 'adset_not_editable'],
    ['ACTIVE', 'provider_error'],
  ] as const) {
    await tell(status);
    sandbox.say({ at: '/meta', method: 'GET', reply: json(503, {}) });
    expect((await budget(adSet.id, 100)).error.code).toBe(code);
  }
});

test('refuses an ad set whose budget is on the campaign', async () => {
  expect((await budget(usd.withoutBudget.id, 5_000)).error).toMatchObject({
    code: 'invalid_state',
    reason: 'budget_not_on_ad_set',
  });
});

test('does not send a fifth change within an hour', async () => {
  const adSet = next();
  adSet.dailyBudget = '10000';
  const started = kit.clock.now();
  for (const wanted of [10_001, 10_002, 10_003, 10_004]) expect((await budget(adSet.id, wanted)).status).toBe(200);
  const before = writes();
  const { error } = await budget(adSet.id, 10_005);
  expect(error).toMatchObject({
    code: 'invalid_state',
    reason: 'platform_limit',
    retry_at: new Date(started.getTime() + 3_600_000).toISOString(),
  });
  expect(writes()).toBe(before);
  kit.clock.advance(3_600_000);
  expect((await budget(adSet.id, 10_005)).status).toBe(200);
});

test('[err-085] returns the platform’s own minimum as validation_error, and records the action as refused', async () => {
  const adSet = next();
  adSet.dailyBudget = '150';
  sandbox.say({
    at: '/meta',
    method: 'POST',
    reply: json(400, {
      error: { code: 100, error_subcode: 1_487_901, message: '', error_user_msg: 'Your budget is too low.' },
    }),
  });
  const { status, error } = await budget(adSet.id, 120);
  expect([status, error.code, error.field]).toEqual([422, 'validation_error', 'daily_budget_minor']);
  expect(error.message).toContain('Your budget is too low.');
  expect((await usd.actions(`?external_id=${adSet.id}`))[0].entries).toMatchObject([
    { stage: 'attempted' },
    { stage: 'refused', reason: 'validation_error', provider_code: '100/1487901' },
  ]);
  expect(adSet.dailyBudget).toBe('150');
});

test.each([
  // Minor units of ISO 4217, and Meta's own unit: Meta's offsets for COP and BHD differ from ISO.
  ['USD', '4000', 4_450, '4450', '44.50'],
  ['CLP', '4000', 4_450, '4450', '4450'],
  ['JPY', '4000', 4_450, '4450', '4450'],
  ['COP', '4000', 445_000, '4450', '4450.00'],
  ['BHD', '4000', 44_500, '4450', '44.500'],
])('sends a budget in %s in Meta’s own unit', async (currency, live, wanted, units, amount) => {
  const shop = currency === 'USD' ? usd : await openShop(currency);
  const adSet = currency === 'USD' ? next() : (shop.adSets[0] ?? expect.unreachable());
  adSet.dailyBudget = live;
  const { data, error } = await shop.post(`/adsets/${adSet.id}/budget`, { daily_budget_minor: wanted });
  expect(error).toBeUndefined();
  expect([adSet.dailyBudget, data.after.daily_budget, data.after.daily_budget_minor]).toEqual([units, amount, wanted]);
  if (currency !== 'COP' && currency !== 'BHD') return;
  // An amount that Meta's unit cannot express is refused instead of rounded.
  const finer = await shop.post(`/adsets/${adSet.id}/budget`, { daily_budget_minor: wanted + 1 });
  expect([finer.status, finer.error.code, adSet.dailyBudget]).toEqual([422, 'validation_error', units]);
});
