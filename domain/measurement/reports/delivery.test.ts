import { saveRates } from '@tributary/domain/commerce/money/module.ts';
import { openTestWithClickHouse } from '@tributary/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { aboutItself, banner, film, openShop, outlet, winter } from './reports.fixture.ts';

const world = await openTestWithClickHouse();

describe('Spend', () => {
  test('of an entity is its own reported delivery, or the sum of its children where it reported none', async () => {
    const shop = await openShop(world);
    const adSet = { level: 'ad_set', external_id: 'broad', campaign_external_id: 'winter' };
    await shop.spend(
      { ...film, date: '2026-05-01', spend: '1', impressions: 10, clicks: 1 },
      { ...film, external_id: 'other', name: 'Other', date: '2026-05-01', spend: '2' },
      // On the second day the ad set reports its own spend, on the third the campaign.
      { ...film, date: '2026-05-02', spend: '4' },
      { ...adSet, date: '2026-05-02', spend: '8' },
      { ...film, date: '2026-05-03', spend: '16' },
      { ...adSet, date: '2026-05-03', spend: '32' },
      { level: 'campaign', external_id: 'winter', date: '2026-05-03', spend: '64' },
      // An ad of the campaign without a known ad set.
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

  test('[camp-004] is converted at the rate of each day, rounded once, and excluded where there is no rate', async () => {
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
    // 0.9504 twice (the first day's rate applies on the second day), then 900 / 0.8, then 7.
    expect(await shop.rows({ level: 'ad' })).toMatchObject({ Film: { spend: 1_134 }, Banner: { spend: null } });
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
      value: null,
      delivery: [{ rate: null, rate_date: null, contributes: '0' }],
      exclusions: [{ reason: 'no_exchange_rate', count: 1 }],
    });
    // A ratio that uses the figure lists the same exclusions.
    const roas = await shop.read('/explain', { field: 'roas', level: 'ad', entity_id: 'banner' });
    expect(roas.data).toMatchObject({ value: null, exclusions: without.data.exclusions });
  });
});

describe('GET /campaigns/trend', () => {
  test('[camp-045] [camp-058] [camp-063] [camp-064] has a row per entity and day, with zeros where nothing was delivered', async () => {
    const shop = await openShop(world);
    await shop.spend(
      { ...film, date: '2026-05-02', spend: '1.5', impressions: 10, clicks: 2 },
      { ...banner, spend: '3' },
    );
    await shop.settle();
    const [winterId, outletId] = [shop.entity('campaign', 'winter'), shop.entity('campaign', 'outlet')];
    const range = { date_from: '2026-05-01', date_to: '2026-05-02' };
    const unknownId = '0d1f9c3e-6f1e-5b5a-8f0a-1c2d3e4f5a6b';
    const answer = await shop.read('/campaigns/trend', {
      ...range,
      entity_ids: [winterId, unknownId, outletId].join(),
    });
    expect(answer).toEqual({
      data: [
        { entity_id: winterId, date: '2026-05-01', spend: 0, impressions: 0, clicks: 0 },
        { entity_id: winterId, date: '2026-05-02', spend: 1.5, impressions: 10, clicks: 2 },
        { entity_id: outletId, date: '2026-05-01', spend: 3, impressions: 0, clicks: 0 },
        { entity_id: outletId, date: '2026-05-02', spend: 0, impressions: 0, clicks: 0 },
      ],
      meta: { profile_id: shop.profileId, ...range, currency: 'USD', ...aboutItself },
    });
  });

  test('[camp-061] accepts only our ids, and treats ids of another profile as unknown', async () => {
    const shop = await openShop(world);
    const range = { date_from: '2026-05-01', date_to: '2026-05-02' };
    const stranger = await openShop(world);
    await stranger.spend({ ...film, spend: '9' });
    await stranger.settle();
    const foreign = { ...range, entity_ids: stranger.entity('campaign', 'winter') };
    expect((await shop.read('/campaigns/trend', foreign)).data).toEqual([]);
    expect(await shop.refused('/campaigns/trend', { entity_ids: 'winter' })).toEqual([400, 'invalid_parameter']);
  });

  test('[camp-059] [camp-060] [camp-062] [lim-010] requires a date range and one to ten ids; the level defaults to campaign', async () => {
    const shop = await openShop(world);
    await shop.spend({ ...film, spend: '1' });
    await shop.settle();
    const ids = (count: number) =>
      Array.from({ length: count }, (_, n) => `0d1f9c3e-6f1e-5b5a-8f0a-1c2d3e4f5a${String(n).padStart(2, '0')}`).join();
    expect((await shop.read('/campaigns/trend', { entity_ids: ids(10) })).data).toEqual([]);
    expect((await shop.read('/campaigns/trend', { entity_ids: ids(10).replaceAll(',', ', ') })).data).toEqual([]);
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

describe('GET /ads/{id}', () => {
  const none = { learning_stage_status: null, campaign_objective: null };
  const adSetFields = { learning_stage_status: 'LEARNING', campaign_objective: 'OUTCOME_SALES' };
  let shop: Awaited<ReturnType<typeof openShop>>;
  beforeAll(async () => {
    shop = await openShop(world);
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
  });

  test('[camp-035] [camp-037] returns one entity by our id or the platform’s, with outcomes of every kind', async () => {
    const ad = await shop.read('/ads/film');
    expect(ad.data).toEqual({ ...(await shop.rows({ level: 'ad' })).Film, ...none });
    expect(ad.data).toMatchObject({
      attributed_outcome_count: 2,
      attributed_outcomes_by_type: { lead_created: 1, payment_received: 1 },
    });
    expect(await shop.read(`/ads/${shop.entity('ad', 'film')}`)).toEqual(ad);
  });

  test('[camp-038] [camp-039] [camp-041] returns the learning stage and the campaign’s objective for ad sets only', async () => {
    const { Broad } = await shop.rows({ level: 'ad_set' });
    expect((await shop.read('/ads/broad', { level: 'ad_set' })).data).toEqual({ ...Broad, ...adSetFields });
    expect((await shop.read('/ads/film')).data).toMatchObject(none);
    expect((await shop.read('/ads/winter', { level: 'campaign' })).data).toMatchObject({ ...none, spend: 6 });
  });

  test('returns an entity of each level with zeros for a period without activity', async () => {
    const quiet = { date_from: '2026-02-01', date_to: '2026-02-28' };
    for (const [level, id, name] of [
      ['ad', 'film', 'Film'],
      ['ad_set', 'broad', 'Broad'],
      ['campaign', 'winter', 'Winter'],
    ])
      expect((await shop.read(`/ads/${id}`, { level, ...quiet })).data, level).toMatchObject({
        campaign_name: name,
        entity_level: level,
        spend: 0,
        impressions: 0,
        clicks: 0,
        attributed_outcome_count: 0,
        attributed_outcomes_by_type: {},
      });
  });

  test('returns the last copied state, not a later report', async () => {
    // The loop ends with the status it began with, so that later tests see no change.
    for (const status of ['SUCCESS', 'FAIL', 'LEARNING'] as const) {
      const { learning_stage_status: before } = (await shop.read('/ads/broad', { level: 'ad_set' })).data;
      await shop.spend({ level: 'ad_set', external_id: 'broad', learning_stage_status: status, spend: '5' });
      const read = async () => (await shop.read('/ads/broad', { level: 'ad_set' })).data.learning_stage_status;
      expect(await read()).toBe(before);
      await shop.settle();
      expect(await read()).toBe(status);
    }
  });

  test('returns the same 404 for an unknown id, an id of another level and an id of another profile', async () => {
    const other = await openShop(world);
    await other.spend({ ...film }, { ...banner });
    await other.settle();
    for (const id of ['unknown', 'winter', 'banner', other.entity('ad', 'film'), shop.entity('campaign', 'winter')]) {
      expect([id, ...(await shop.refused(`/ads/${id}`))]).toEqual([id, 404, 'not_found']);
    }
    expect(await shop.refused('/ads/film', { level: 'campaign' })).toEqual([404, 'campaign_not_found']);
  });

  test('picks the first platform by name when two platforms use the same id', async () => {
    const twins = await openShop(world);
    await twins.spend({ ...film, platform: 'tiktok', name: 'On tiktok' }, { ...film, platform: 'social_ads' });
    await twins.settle();
    expect((await twins.read('/ads/film')).data).toMatchObject({ campaign_name: 'Film', platform: 'social_ads' });
  });
});

describe('GET /overview', () => {
  test('counts every conversion once, by day and by the channel of its last touch, with all spend', async () => {
    const shop = await openShop(world, { timeZone: 'America/Santiago' });
    await shop.spend({ ...film, date: '2026-05-02', spend: '10' }, { ...banner, spend: '2.5' });
    shop.click('ana', 1, winter);
    shop.click('ana', 1.5);
    await shop.pay('ana', 2.05, '40');
    shop.click('ben', 1, outlet);
    await shop.lead('ben', 2.5);
    // An order is not a payment yet.
    await shop.event('ben', 2.5, { event_name: 'order_placed', properties: { value: '300', currency: 'USD' } });
    await shop.pay('cal', 2.5, '10');
    await shop.settle();
    expect(await shop.read('/overview', { date_from: '2026-04-30', date_to: '2026-05-02' })).toEqual({
      data: {
        totals: {
          spend: 12.5,
          outcome_count: 2,
          outcome_value: 50,
          attributed_outcome_count: 4,
          roas: 4,
          cac: 6.25,
          outcomes_by_type: { lead_created: 1, order_placed: 1, payment_received: 2 },
        },
        days: [
          { date: '2026-04-30', spend: 0, outcome_count: 0, outcome_value: 0, attributed_outcome_count: 0 },
          { date: '2026-05-01', spend: 2.5, outcome_count: 1, outcome_value: 40, attributed_outcome_count: 1 },
          { date: '2026-05-02', spend: 10, outcome_count: 1, outcome_value: 10, attributed_outcome_count: 3 },
        ],
        channels: [
          { channel: 'email', outcome_count: 1, outcome_value: 40, attributed_outcome_count: 1 },
          { channel: 'no_touch', outcome_count: 1, outcome_value: 10, attributed_outcome_count: 1 },
          { channel: 'paid_social', outcome_count: 0, outcome_value: 0, attributed_outcome_count: 2 },
        ],
      },
      meta: {
        profile_id: shop.profileId,
        date_from: '2026-04-30',
        date_to: '2026-05-02',
        currency: 'USD',
        ...aboutItself,
        time_zone: 'America/Santiago',
      },
    });
  });
});
