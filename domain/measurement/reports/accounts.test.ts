import { recordAds } from '@tributary/domain/advertising/campaigns';
import { buildConnection, openTestWithClickHouse } from '@tributary/testkit';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { banner, film, openShop, outlet, winter } from './reports.fixture.ts';

const world = await openTestWithClickHouse();

let shop: Awaited<ReturnType<typeof openShop>>;
let [former, current, other] = ['', '', ''];

/** Reports one row of every level for the account, on behalf of the connection. */
async function report(connectionId: string, ad: typeof film, currency: string, others: readonly string[]) {
  const ids = { campaignId: ad.campaign_external_id, adSetId: ad.ad_set_external_id };
  const records = [
    {
      kind: 'entity',
      level: 'campaign',
      externalId: ids.campaignId,
      name: ad.campaign_name,
      objective: 'SALES',
      currency,
    },
    {
      kind: 'entity',
      level: 'ad_set',
      externalId: ids.adSetId,
      campaignId: ids.campaignId,
      dailyBudget: '25.5',
      currency,
    },
    { kind: 'entity', level: 'ad', externalId: ad.external_id, ...ids, currency },
  ] as const;
  await shop.ledger.transaction((tx) =>
    recordAds(tx, shop.profileId, 'social_ads', records, world.kit.clock.now(), {
      connectionId,
      others: new Set(others),
    }),
  );
}

beforeAll(async () => {
  shop = await openShop(world);
  const owner = { id: shop.profileId, workspaceId: shop.workspaceId };
  const connect = (externalId: string, status: 'connected' | 'disconnected' = 'connected') =>
    buildConnection(world.kit, { ...owner, mark: externalId }, { externalId, status });
  former = await connect('one', 'disconnected');
  current = await connect('one');
  other = await connect('two');
  await shop.spend({ ...film, spend: '40' }, { ...banner, spend: '10' });
  await shop.spend({ external_id: 'poster', campaign_external_id: 'file', spend: '5' });
  await report(former, film, 'USD', [other]);
  await report(other, banner, 'CLP', [current]);
  shop.click('ana', 1, winter);
  await shop.pay('ana', 2, '100.00');
  shop.click('ben', 1, outlet);
  await shop.pay('ben', 2, '30.00');
  await shop.settle();
});

test('lists only what the account reported, including under its earlier connection', async () => {
  const names = async (query: object) =>
    (await shop.read('/campaigns', query)).data.map((row: { external_id: string }) => row.external_id);
  expect((await names({})).sort()).toEqual(['file', 'outlet', 'winter']);
  expect(await names({ connection_id: current })).toEqual(['winter']);
  expect(await names({ connection_id: former })).toEqual(['winter']);
  expect(await names({ connection_id: other, level: 'ad' })).toEqual(['banner']);
  expect(await names({ connection_id: other, parent_id: 'outlet' })).toEqual(['loyal']);
  expect(await names({ connection_id: other, parent_id: 'winter' })).toEqual([]);
});

test('returns the account, the budget with its currency and the campaign’s objective at every level', async () => {
  const row = async (level: string, connection_id: string) =>
    (await shop.read('/campaigns', { level, connection_id })).data[0];
  for (const level of ['campaign', 'ad_set', 'ad'])
    expect(await row(level, other), level).toMatchObject({
      connection_id: other,
      account_name: 'Account two',
      objective: 'SALES',
    });
  expect(await row('ad_set', other)).toMatchObject({ daily_budget: 25.5, budget_currency: 'CLP' });
  expect(await row('campaign', other)).toMatchObject({ daily_budget: null, budget_currency: null });
  const { data } = await shop.read('/campaigns', { level: 'campaign' });
  expect(data.find((one: { external_id: string }) => one.external_id === 'file')).toMatchObject({
    connection_id: null,
    account_name: null,
  });
});

test('explains the total of an account with rows that add up to it', async () => {
  for (const [connection_id, value, spend] of [
    [current, '100.00', '40.00'],
    [other, '30.00', '10.00'],
  ] as const)
    for (const model of ['last_touch', 'linear']) {
      const earned = await shop.read('/explain', { field: 'outcome_value', connection_id, model });
      expect(earned.data).toMatchObject({ value, row_count: 1, conversions: [{ contributes: value }] });
      const { data } = await shop.read('/explain', { field: 'spend', connection_id, model });
      expect(data).toMatchObject({ value: spend, row_count: 1 });
    }
});

test('returns 404 for a connection of another profile', async () => {
  const stranger = await openShop(world);
  const { id, workspaceId } = { id: stranger.profileId, workspaceId: stranger.workspaceId };
  const foreign = await buildConnection(world.kit, { id, workspaceId });
  for (const path of ['/campaigns?', '/explain?field=spend&']) {
    const query = `date_from=2026-05-01&date_to=2026-05-31&connection_id=${foreign}`;
    const { status, body } = await shop.ask(`/api/v1${path}${query}`);
    expect({ status, code: body.error.code }).toEqual({ status: 404, code: 'not_found' });
  }
});

test('moves an entity to a second connection only after the first one is disconnected', async () => {
  const owner = async () =>
    (
      await shop.ledger.transaction((tx) =>
        sql<{ id: string }>`SELECT connection_id AS id FROM ad_entities WHERE external_id = 'outlet'`.execute(tx),
      )
    ).rows[0]?.id;
  await report(current, banner, 'CLP', [other]);
  expect(await owner()).toBe(other);
  await report(current, banner, 'CLP', []);
  expect(await owner()).toBe(current);
});
