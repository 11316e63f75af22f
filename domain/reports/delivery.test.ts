import { saveRates } from '@tributary/domain/money/room.ts';
import { openTestWithClickHouse } from '@tributary/testkit';
import { describe, expect, test } from 'vitest';
import { banner, film, openShop, outlet, winter } from './reports.fixture.ts';

const world = await openTestWithClickHouse();

const claims = (platform: string, rows: { platform: string }[]) => rows.find((row) => row.platform === platform);

describe('Spend', { timeout: 60_000 }, () => {
  test('of an entity is what was told of it, and where nothing was, of its parts', async () => {
    const shop = await openShop(world);
    const adSet = { level: 'ad_set', external_id: 'broad', campaign_external_id: 'winter' };
    await shop.spend(
      { ...film, date: '2026-05-01', spend: '1', impressions: 10, clicks: 1 },
      { ...film, external_id: 'other', name: 'Other', date: '2026-05-01', spend: '2' },
      // On the second the ad set says otherwise, on the third the campaign.
      { ...film, date: '2026-05-02', spend: '4' },
      { ...adSet, date: '2026-05-02', spend: '8' },
      { ...film, date: '2026-05-03', spend: '16' },
      { ...adSet, date: '2026-05-03', spend: '32' },
      { level: 'campaign', external_id: 'winter', date: '2026-05-03', spend: '64' },
      // An ad of the campaign that nobody named an ad set of.
      { external_id: 'loose', campaign_external_id: 'winter', date: '2026-05-01', spend: '128' },
      { external_id: 'orphan', date: '2026-05-01', spend: '256' },
    );
    await shop.settle();
    const spend = async (level: string) =>
      Object.fromEntries(Object.entries(await shop.rows({ level })).map(([name, row]) => [name, row.spend]));
    expect(await spend('ad')).toEqual({ Film: 21, Other: 2, loose: 128, orphan: 256 });
    expect(await spend('ad_set')).toEqual({ Broad: 1 + 2 + 8 + 32 });
    expect(await spend('campaign')).toEqual({ Winter: 1 + 2 + 128 + 8 + 64 });
    expect((await shop.read('/overview')).data.totals.spend).toBe(1 + 2 + 128 + 256 + 8 + 64);
  });

  test('is converted with the rate of its own day, rounded once, and left out where there is none', async () => {
    const shop = await openShop(world, { reportingCurrency: 'CLP' });
    const quote = (day: string, currency: string, units: string) => ({ day, currency, units, usd: '1' });
    await saveRates(world.kit.system, 'file', [
      quote('2026-05-01', 'USD', '1'),
      quote('2026-05-01', 'CLP', '950.4'),
      quote('2026-05-03', 'CLP', '900'),
      quote('2026-05-03', 'USD', '1'),
      quote('2026-05-03', 'EUR', '0.8'),
    ]);
    await shop.spend(
      { ...film, date: '2026-05-01', spend: '0.001' },
      { ...film, date: '2026-05-02', spend: '0.001' },
      { ...film, date: '2026-05-03', spend: '1', currency: 'EUR' },
      { ...film, date: '2026-05-04', spend: '7', currency: 'CLP' },
      { ...banner, date: '2026-05-02', spend: '5', currency: 'EUR' },
    );
    await shop.settle();
    // 0.9504 twice (the rate of the first holds on the second) and 900 / 0.8, and 7.
    expect(await shop.rows({ level: 'ad' })).toMatchObject({ Film: { spend: 1_134 }, Banner: { spend: 0 } });
    const explained = await shop.read('/explain', {
      field: 'spend',
      level: 'ad',
      entity_id: shop.entity('ad', 'film'),
    });
    expect(explained.data).toMatchObject({ value: '1134', unit: 'money', contributes: '1133.9008', row_count: 4 });
    expect(explained.data.delivery).toMatchObject([
      { date: '2026-05-01', amount: '0.001', currency: 'USD', rate_date: '2026-05-01', contributes: '0.9504' },
      { date: '2026-05-02', rate_date: '2026-05-01', contributes: '0.9504' },
      { date: '2026-05-03', currency: 'EUR', rate: '1125.00000000000000000000', contributes: '1125' },
      { date: '2026-05-04', currency: 'CLP', rate: '1', contributes: '7' },
    ]);
    const without = await shop.read('/explain', { field: 'spend', level: 'ad', entity_id: 'banner' });
    expect(without.data).toMatchObject({
      value: '0',
      delivery: [{ rate: null, rate_date: null, contributes: '0' }],
      exclusions: [{ reason: 'no_exchange_rate', count: 1 }],
    });
  });
});

describe('GET /campaigns/trend', { timeout: 60_000 }, () => {
  test('[camp-045] [camp-058] [camp-063] [camp-064] [camp-061] has a row for every entity and day, zero where nothing was delivered', async () => {
    const shop = await openShop(world);
    await shop.spend(
      { ...film, date: '2026-05-02', spend: '1.5', impressions: 10, clicks: 2 },
      { ...banner, spend: '3' },
    );
    await shop.settle();
    const [winterId, outletId] = [shop.entity('campaign', 'winter'), shop.entity('campaign', 'outlet')];
    const range = { date_from: '2026-05-01', date_to: '2026-05-02' };
    const nobody = '0d1f9c3e-6f1e-5b5a-8f0a-1c2d3e4f5a6b';
    const answer = await shop.read('/campaigns/trend', { ...range, entity_ids: [winterId, nobody, outletId].join() });
    expect(answer).toEqual({
      data: [
        { entity_id: winterId, date: '2026-05-01', spend: 0, impressions: 0, clicks: 0 },
        { entity_id: winterId, date: '2026-05-02', spend: 1.5, impressions: 10, clicks: 2 },
        { entity_id: outletId, date: '2026-05-01', spend: 3, impressions: 0, clicks: 0 },
        { entity_id: outletId, date: '2026-05-02', spend: 0, impressions: 0, clicks: 0 },
      ],
      meta: { profile_id: shop.profileId, ...range, currency: 'USD' },
    });
    // Somebody else's entity is as unknown as one that never was.
    const stranger = await openShop(world);
    await stranger.spend({ ...film, spend: '9' });
    await stranger.settle();
    const foreign = { ...range, entity_ids: stranger.entity('campaign', 'winter') };
    expect((await shop.read('/campaigns/trend', foreign)).data).toEqual([]);
    // A platform's own id is none of ours.
    expect(await shop.refused('/campaigns/trend', { entity_ids: 'winter' })).toEqual([400, 'invalid_parameter']);
  });

  test('[camp-059] [camp-060] [camp-062] [lim-010] wants days and up to ten ids, of campaigns unless it is told otherwise', async () => {
    const shop = await openShop(world);
    await shop.spend({ ...film, spend: '1' });
    await shop.settle();
    const ids = (count: number) =>
      Array.from({ length: count }, (_, n) => `0d1f9c3e-6f1e-5b5a-8f0a-1c2d3e4f5a${String(n).padStart(2, '0')}`).join();
    expect((await shop.read('/campaigns/trend', { entity_ids: ids(10) })).data).toEqual([]);
    expect(await shop.refused('/campaigns/trend', { entity_ids: ids(11) })).toEqual([400, 'invalid_parameter']);
    expect(await shop.refused('/campaigns/trend')).toEqual([400, 'invalid_parameter']);
    expect(await shop.refused('/campaigns/trend', { date_from: '', entity_ids: ids(1) })).toEqual([
      400,
      'invalid_date_range',
    ]);
    const entity_ids = [shop.entity('campaign', 'winter'), shop.entity('ad_set', 'broad'), shop.entity('ad', 'film')];
    for (const [index, level] of [undefined, 'ad_set', 'ad'].entries()) {
      const { data } = await shop.read('/campaigns/trend', { entity_ids: entity_ids.join(), ...(level && { level }) });
      expect(new Set(data.map((row: { entity_id: string }) => row.entity_id))).toEqual(new Set([entity_ids[index]]));
      expect(data).toHaveLength(31);
    }
    expect(await shop.refused('/campaigns/trend', { entity_ids: ids(1), level: 'x' })).toEqual([
      400,
      'invalid_parameter',
    ]);
  });
});

describe('GET /ads/{id}', { timeout: 60_000 }, () => {
  test('[camp-035] [camp-037] [camp-038] [camp-039] [camp-040] [camp-041] gives one entity by our id or the platform’s, an ad set with what the copy says of it', async () => {
    const shop = await openShop(world);
    await shop.spend(
      { ...film, spend: '4' },
      {
        ...film,
        level: 'ad_set',
        external_id: 'broad',
        name: 'Broad',
        learning_stage_status: 'LEARNING',
        spend: '5',
        ad_set_external_id: undefined,
        ad_set_name: undefined,
      },
      { level: 'campaign', external_id: 'winter', name: 'Winter', objective: 'OUTCOME_SALES', spend: '6' },
    );
    shop.click('ana', 1, winter);
    await shop.pay('ana', 2, '8');
    await shop.lead('ana', 2);
    await shop.settle();
    const none = { learning_stage_status: null, campaign_objective: null };
    const ad = await shop.read('/ads/film');
    const rows = await shop.rows({ level: 'ad' });
    expect(ad.data).toEqual({ ...rows.Film, ...none });
    expect(ad.data).toMatchObject({
      attributed_outcome_count: 2,
      attributed_outcomes_by_type: { lead_created: 1, payment_received: 1 },
    });
    expect(await shop.read(`/ads/${shop.entity('ad', 'film')}`)).toEqual(ad);
    const adSets = await shop.rows({ level: 'ad_set' });
    const told = { learning_stage_status: 'LEARNING', campaign_objective: 'OUTCOME_SALES' };
    expect((await shop.read('/ads/broad', { level: 'ad_set' })).data).toEqual({ ...adSets.Broad, ...told });
    expect((await shop.read('/ads/winter', { level: 'campaign' })).data).toMatchObject({ ...none, spend: 6 });
    // What the ledger knows is shown when it has been copied, not before.
    await shop.spend({ level: 'ad_set', external_id: 'broad', learning_stage_status: 'SUCCESS', spend: '5' });
    expect((await shop.read('/ads/broad', { level: 'ad_set' })).data).toMatchObject(told);
    await shop.settle();
    expect((await shop.read('/ads/broad', { level: 'ad_set' })).data.learning_stage_status).toBe('SUCCESS');
  });

  test('answers an unknown id, one of another level and another profile’s alike', async () => {
    const [shop, other] = [await openShop(world), await openShop(world)];
    await shop.spend({ ...film });
    await other.spend({ ...film }, { ...banner });
    for (const one of [shop, other]) await one.settle();
    for (const id of ['nobody', 'winter', 'banner', other.entity('ad', 'film'), shop.entity('campaign', 'winter')]) {
      expect([id, ...(await shop.refused(`/ads/${id}`))]).toEqual([id, 404, 'not_found']);
    }
    expect(await shop.refused('/ads/film', { level: 'campaign' })).toEqual([404, 'campaign_not_found']);
  });

  test('takes the first platform by name where two call something alike', async () => {
    const shop = await openShop(world);
    await shop.spend({ ...film, platform: 'tiktok', name: 'On tiktok' }, { ...film, platform: 'social_ads' });
    await shop.settle();
    expect((await shop.read('/ads/film')).data).toMatchObject({ campaign_name: 'Film', platform: 'social_ads' });
  });
});

describe('GET /campaigns/platform-comparison', { timeout: 60_000 }, () => {
  test('[comp-001] [comp-002] [comp-003] [comp-004] [comp-005] [comp-006] [comp-007] [comp-008] [comp-009] [comp-010] [comp-011] [comp-012] [comp-013] [comp-014] [comp-015] [comp-021] [comp-027] [comp-028] puts what a platform claims beside what we credit', async () => {
    const shop = await openShop(world);
    await shop.spend(
      { ...film, spend: '50', conversions: '2.5', conversion_value: '199.99' },
      { ...film, date: '2026-05-02', spend: '50', conversions: '1.5', conversion_value: '0.01' },
      { ...banner, platform: 'search_ads', spend: '10' },
    );
    shop.click('ana', 1, winter);
    await shop.pay('ana', 2, '100.50');
    await shop.pay('ana', 3, '20');
    await shop.lead('ana', 3);
    shop.click('ben', 1, { ...outlet, platform: 'search_ads' });
    await shop.lead('ben', 2);
    await shop.settle();
    const { data, meta } = await shop.read('/campaigns/platform-comparison');
    const sides = {
      spend: 100,
      platform_conversions: 4,
      platform_conversion_value: '200.00',
      atribu_conversions: 3,
      atribu_cash_conversions: 2,
      atribu_cash_revenue: '120.50',
      conversion_gap: -1,
      conversion_gap_pct: -25,
      value_gap: '-79.5',
      platform_roas: 2,
      atribu_roas: 1.205,
    };
    expect(data.rows.find((row: { name: string }) => row.name === 'Winter')).toEqual({
      entity_id: shop.entity('campaign', 'winter'),
      external_id: 'winter',
      name: 'Winter',
      platform: 'social_ads',
      ...sides,
    });
    expect(data.platforms).toHaveLength(2);
    expect(claims('social_ads', data.platforms)).toMatchObject(sides);
    // A platform that says nothing claims nothing, which is not zero.
    const silent = {
      platform_conversions: null,
      platform_conversion_value: null,
      conversion_gap: null,
      conversion_gap_pct: null,
      value_gap: null,
      platform_roas: null,
    };
    const ours = { atribu_conversions: 1, atribu_cash_conversions: 0, atribu_cash_revenue: '0.00', atribu_roas: 0 };
    expect(claims('search_ads', data.platforms)).toMatchObject({ ...silent, ...ours });
    expect(claims('search_ads', data.rows)).toMatchObject({ ...silent, ...ours, name: 'Outlet' });
    expect(Object.keys(data).sort()).toEqual(['platforms', 'rows']);
    expect(meta.model).toBe('last_touch');
  });

  test('[comp-016] [comp-017] [comp-018] [comp-019] [comp-020] says what a count means, how far delivery was told, and what paid clicks earned that named no ad', async () => {
    const shop = await openShop(world);
    await shop.spend({ ...film, spend: '1' }, { ...film, date: '2026-05-10', spend: '1' });
    shop.click('ana', 1, { platform: 'social_ads' });
    await shop.pay('ana', 2, '30');
    shop.click('ben', 1, { platform: 'tiktok' });
    await shop.lead('ben', 2);
    shop.click('cal', 1);
    await shop.pay('cal', 2, '1');
    await shop.settle();
    const { platforms } = (await shop.read('/campaigns/platform-comparison', { date_to: '2026-05-05' })).data;
    expect(platforms).toMatchObject([
      {
        platform: 'social_ads',
        reported_basis: '7-day click, 1-day view',
        has_delivery: true,
        delivery_through: '2026-05-10',
        atribu_conversions: 0,
        unassigned_conversions: 1,
        unassigned_cash_revenue: '30.00',
      },
      {
        platform: 'tiktok',
        has_delivery: false,
        delivery_through: null,
        unassigned_conversions: 1,
        unassigned_cash_revenue: '0.00',
      },
    ]);
  });

  test('[comp-022] [comp-023] [comp-024] [comp-025] [comp-026] [lim-012] [err-022] wants up to 366 days, both included, and takes a model and a level', async () => {
    const shop = await openShop(world);
    const path = '/campaigns/platform-comparison';
    await shop.spend({ ...film, date: '2026-05-10', spend: '3' });
    shop.click('ana', 1, winter);
    shop.click('ana', 2, outlet);
    await shop.pay('ana', 10.9, '5');
    await shop.settle();
    expect(await shop.refused(path, { date_from: '' })).toEqual([400, 'invalid_date_range']);
    expect(await shop.refused(path, { date_to: '2027-05-02' })).toEqual([400, 'invalid_date_range']);
    const whole = await shop.read(path, { date_from: '2025-05-10', date_to: '2026-05-10' });
    expect(claims('social_ads', whole.data.platforms)).toMatchObject({ spend: 3, atribu_conversions: 1 });
    const names = async (query: object) =>
      Object.fromEntries(
        (await shop.read(path, query)).data.rows.map((row: Record<string, unknown>) => [
          row.name || row.entity_id,
          row.atribu_cash_revenue,
        ]),
      );
    const [outletId, bannerId, loyalId] = [
      shop.entity('campaign', 'outlet'),
      shop.entity('ad', 'banner'),
      shop.entity('ad_set', 'loyal'),
    ];
    expect(await names({})).toEqual({ Winter: '0.00', [outletId]: '5.00' });
    expect(await names({ model: 'first_touch' })).toEqual({ Winter: '5.00' });
    expect(await names({ level: 'ad' })).toEqual({ Film: '0.00', [bannerId]: '5.00' });
    expect(await names({ level: 'ad_set' })).toEqual({ Broad: '0.00', [loyalId]: '5.00' });
    // Credited to two ads of one platform, it is one conversion of that platform.
    const linear = (await shop.read(path, { model: 'linear' })).data.platforms;
    expect(claims('social_ads', linear)).toMatchObject({ atribu_conversions: 1, atribu_cash_revenue: '5.00' });
  });
});

describe('GET /overview', { timeout: 60_000 }, () => {
  test('has every conversion once, by day and by the channel of its last touch, and all spend', async () => {
    const shop = await openShop(world, { timeZone: 'America/Santiago' });
    await shop.spend({ ...film, date: '2026-05-02', spend: '10' }, { ...banner, spend: '2.5' });
    shop.click('ana', 1, winter);
    shop.click('ana', 1.5);
    await shop.pay('ana', 2.05, '40');
    shop.click('ben', 1, outlet);
    await shop.lead('ben', 2.5);
    await shop.pay('cal', 2.5, '10');
    await shop.settle();
    expect(await shop.read('/overview', { date_from: '2026-04-30', date_to: '2026-05-02' })).toEqual({
      data: {
        totals: {
          spend: 12.5,
          outcome_count: 2,
          outcome_value: 50,
          attributed_outcome_count: 3,
          roas: 4,
          cac: 6.25,
          outcomes_by_type: { lead_created: 1, payment_received: 2 },
        },
        days: [
          { date: '2026-04-30', spend: 0, outcome_count: 0, outcome_value: 0, attributed_outcome_count: 0 },
          { date: '2026-05-01', spend: 2.5, outcome_count: 1, outcome_value: 40, attributed_outcome_count: 1 },
          { date: '2026-05-02', spend: 10, outcome_count: 1, outcome_value: 10, attributed_outcome_count: 2 },
        ],
        channels: [
          { channel: 'email', outcome_count: 1, outcome_value: 40, attributed_outcome_count: 1 },
          { channel: 'unknown', outcome_count: 1, outcome_value: 10, attributed_outcome_count: 1 },
          { channel: 'paid_social', outcome_count: 0, outcome_value: 0, attributed_outcome_count: 1 },
        ],
      },
      meta: {
        profile_id: shop.profileId,
        date_from: '2026-04-30',
        date_to: '2026-05-02',
        currency: 'USD',
        time_zone: 'America/Santiago',
      },
    });
  });
});
