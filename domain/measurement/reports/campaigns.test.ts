import { buildApiKey, buildProfile, openTestWithClickHouse } from '@tributary/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { aboutItself, banner, film, openShop, outlet, winter } from './reports.fixture.ts';

const world = await openTestWithClickHouse();

describe('A row of GET /campaigns', () => {
  let shop: Awaited<ReturnType<typeof openShop>>;
  let row: Record<string, unknown>;
  beforeAll(async () => {
    shop = await openShop(world);
    await shop.spend({ ...film, spend: '40', impressions: 1_000, clicks: 20 });
    shop.click('ana', 1, winter);
    await shop.pay('ana', 2, '100.00');
    await shop.pay('ana', 20, '20.50');
    await shop.settle();
    [row] = (await shop.read('/campaigns')).data;
  });

  test('[camp-047] [camp-054] is returned with the dates, the model and the currency in meta', async () => {
    expect(await shop.read('/campaigns')).toEqual({
      data: [row],
      pagination: { has_next: false, cursor: expect.any(String) },
      meta: {
        profile_id: shop.profileId,
        date_from: '2026-05-01',
        date_to: '2026-05-31',
        model: 'last_touch',
        currency: 'USD',
        ...aboutItself,
      },
    });
  });

  test('[camp-001] [camp-053] has only identity, cost and result fields without a level', () => {
    expect(row).toEqual({
      campaign_id: expect.any(String),
      campaign_name: expect.any(String),
      external_id: 'winter',
      platform: 'social_ads',
      spend: 40,
      outcome_count: 2,
      outcome_value: 120.5,
      outcome_count_first_payment: 1,
      attributed_outcome_count: 2,
      attributed_outcomes_by_type: { payment_received: 2 },
      roas: 120.5 / 40,
      cac_first_payment: 40,
    });
  });

  test('[camp-002] [camp-003] carries our campaign id and the platform’s campaign name', () => {
    expect(row).toMatchObject({ campaign_id: shop.entity('campaign', 'winter'), campaign_name: 'Winter' });
  });

  test('[camp-005] [camp-008] [camp-009] counts payments, sums their cash and divides it by spend', () => {
    expect(row).toMatchObject({ outcome_count: 2, outcome_value: 120.5, roas: 120.5 / 40 });
  });

  test('[camp-020] counts first payments and their cost separately', () => {
    expect(row).toMatchObject({ outcome_count_first_payment: 1, cac_first_payment: 40 });
  });
});

describe('A row of GET /campaigns with a level', () => {
  let shop: Awaited<ReturnType<typeof openShop>>;
  const rowOf = async (level: string, name: string) => (await shop.rows({ level }))[name];
  beforeAll(async () => {
    shop = await openShop(world);
    const more = {
      status: 'PAUSED',
      objective: 'OUTCOME_SALES',
      daily_budget: '15.5',
      reach: 700,
      messaging_conversations_started: 3,
    };
    await shop.spend(
      { ...film, ...more, spend: '40', impressions: 1_000, clicks: 20 },
      { ...film, ...more, date: '2026-05-02', spend: '10.5', impressions: 600, clicks: 12 },
    );
    shop.click('ana', 1, winter);
    await shop.pay('ana', 2, '100');
    await shop.pay('ana', 3, '1');
    await shop.lead('ana', 3);
    await shop.settle();
  });

  test('[camp-021] [camp-022] [camp-052] has the short row’s fields plus the level’s own, at each level', async () => {
    const short = Object.keys((await shop.read('/campaigns')).data[0]);
    const own = [
      'entity_level',
      'parent_name',
      'impressions',
      'clicks',
      'reach',
      'ctr',
      'avg_cpm',
      'avg_cpc',
      'cac',
      'status',
      'objective',
      'daily_budget',
      'campaign_external_id',
      'ad_set_external_id',
      'messaging_conversations_started_7d',
      'budget_currency',
      'connection_id',
      'account_name',
    ];
    for (const [level, name] of [
      ['campaign', 'Winter'],
      ['ad_set', 'Broad'],
      ['ad', 'Film'],
    ] as const)
      expect(Object.keys(await rowOf(level, name)).sort(), level).toEqual([...short, ...own].sort());
    expect(await rowOf('ad', 'Film')).toMatchObject({
      attributed_outcome_count: 3,
      attributed_outcomes_by_type: { lead_created: 1, payment_received: 2 },
    });
  });

  test('[camp-023] [camp-024] [camp-033] names its level and its parents, by name and by the platform’s ids', async () => {
    expect(await rowOf('ad', 'Film')).toMatchObject({
      entity_level: 'ad',
      parent_name: 'Broad',
      campaign_external_id: 'winter',
      ad_set_external_id: 'broad',
    });
    expect(await rowOf('ad_set', 'Broad')).toMatchObject({
      entity_level: 'ad_set',
      parent_name: 'Winter',
      campaign_external_id: 'winter',
      ad_set_external_id: null,
    });
    expect(await rowOf('campaign', 'Winter')).toMatchObject({
      entity_level: 'campaign',
      parent_name: null,
      campaign_external_id: null,
      ad_set_external_id: null,
    });
  });

  test('[camp-025] [camp-034] sums delivery, and conversations as the platform counts them', async () => {
    expect(await rowOf('ad', 'Film')).toMatchObject({
      impressions: 1_600,
      clicks: 32,
      reach: 1_400,
      messaging_conversations_started_7d: 6,
    });
  });

  test('[camp-026] [camp-027] [camp-028] has CTR in percent, CPM and CPC', async () => {
    expect(await rowOf('ad', 'Film')).toMatchObject({ ctr: 2, avg_cpm: 31.56, avg_cpc: 1.58 });
  });

  test('[camp-006] [camp-029] divides spend by payments only, not by leads', async () => {
    expect(await rowOf('ad', 'Film')).toMatchObject({ spend: 50.5, outcome_count: 2, cac: 25.25 });
  });

  test('[camp-030] [camp-031] [camp-032] has status, objective and budget where the platform reported them', async () => {
    expect(await rowOf('ad', 'Film')).toMatchObject({
      status: 'PAUSED',
      objective: 'OUTCOME_SALES',
      daily_budget: 15.5,
    });
    expect(await rowOf('ad_set', 'Broad')).toMatchObject({ status: null, daily_budget: null });
  });
});

describe('Non-cash outcomes', () => {
  let rows: Record<string, Record<string, unknown>>;
  beforeAll(async () => {
    const shop = await openShop(world);
    await shop.spend({ ...film, spend: '10' }, { ...banner, spend: '10' });
    shop.click('lea', 1, outlet);
    await shop.lead('lea', 2);
    for (const event_name of ['messaging_started', 'appointment_booked', 'quote_sent', 'closed_won', 'lead_created'])
      await shop.event('lea', 3, { event_name });
    shop.click('ana', 1, winter);
    const refunded = { event_name: 'payment_received', idempotency_key: 'refunded' };
    await shop.event('ana', 2, { ...refunded, properties: { value: '80', currency: 'USD' } });
    await shop.event('ana', 2, { ...refunded, properties: { value: '0', currency: 'USD' } });
    await shop.settle();
    rows = await shop.rows({ level: 'campaign' });
  });

  test('[camp-010] [camp-012] [camp-013] [camp-014] are counted in total and by type, without zero entries', () => {
    const split = { appointment_booked: 1, closed_won: 1, lead_created: 2, messaging_started: 1, quote_sent: 1 };
    expect(rows.Outlet).toMatchObject({ attributed_outcome_count: 6 });
    expect(rows.Outlet?.attributed_outcomes_by_type).toEqual(split);
  });

  test('[camp-007] [camp-019] add no cash, ROAS or CAC', () => {
    expect(rows.Outlet).toMatchObject({
      outcome_count: 0,
      outcome_value: 0,
      roas: 0,
      cac: null,
      cac_first_payment: null,
    });
  });

  test('a payment corrected to zero counts as one outcome without value', () => {
    expect(rows.Winter).toMatchObject({
      outcome_count: 1,
      outcome_value: 0,
      attributed_outcome_count: 1,
      attributed_outcomes_by_type: { payment_received: 1 },
    });
  });
});

describe('GET /campaigns', () => {
  test('filters ads and ad sets by parent_id, given as our id or the platform’s', async () => {
    const shop = await openShop(world);
    await shop.spend({ ...film, spend: '10' }, { ...film, external_id: 'poster', name: 'Poster', spend: '5' });
    await shop.spend({ ...banner, spend: '7' });
    shop.click('ana', 1, winter);
    // An ad that was never reported: only a link names it, with its campaign.
    shop.click('ben', 1, { campaign: 'winter', adSet: 'broad', ad: 'unreported' });
    shop.click('cal', 1, outlet);
    await shop.pay('ana', 2, '100');
    await shop.pay('ben', 2, '50');
    await shop.pay('cal', 2, '70');
    await shop.settle();
    const of = async (query: object) =>
      (await shop.list(query)).map(({ external_id, outcome_value }) => `${external_id} ${outcome_value}`);
    const winters = ['film 100', 'null 50', 'poster 0'];
    expect(await of({ level: 'ad', parent_id: 'winter' })).toEqual(winters);
    expect(await of({ level: 'ad', parent_id: shop.entity('campaign', 'winter') })).toEqual(winters);
    expect(await of({ level: 'ad', parent_id: shop.entity('ad_set', 'broad') })).toEqual(winters);
    expect(await of({ level: 'ad_set', parent_id: 'outlet' })).toEqual(['loyal 70']);
    expect((await of({ level: 'ad' })).sort()).toEqual([...winters, 'banner 70'].sort());
    const page = await shop.read('/campaigns', { level: 'ad', parent_id: 'winter', limit: 2 });
    const next = { level: 'ad', parent_id: 'winter', limit: 2, cursor: page.pagination.cursor };
    expect((await shop.read('/campaigns', next)).data).toHaveLength(1);
    expect(await of({ parent_id: 'outlet' })).toEqual(['loyal 70']);
    expect(await of({ parent_id: 'broad' })).toEqual(winters);
    const nonsense = { level: 'campaign', parent_id: 'winter' };
    expect(await shop.refused('/campaigns', nonsense)).toEqual([400, 'invalid_parameter']);
    expect(await shop.refused('/campaigns', { level: 'ad_set', parent_id: 'broad' })).toEqual([404, 'not_found']);
    const stranger = await openShop(world);
    const foreign = { level: 'ad', parent_id: shop.entity('campaign', 'winter') };
    expect(await stranger.refused('/campaigns', foreign)).toEqual([404, 'not_found']);
  });

  test('[camp-015] [camp-017] [camp-050] [ver-017] counts a conversion once for every entity with a share, separately per model', async () => {
    const shop = await openShop(world);
    await shop.spend({ ...film }, { ...banner });
    shop.click('ana', 1, winter);
    shop.click('ana', 1.5, { ...winter, ad: 'other film' });
    shop.click('ana', 2, outlet);
    shop.click('ana', 3);
    await shop.pay('ana', 4, '0.10');
    await shop.lead('ana', 5);
    await shop.settle();
    const readFigures = async (model: string) => {
      const rows = await shop.rows({ model });
      return Object.fromEntries(
        Object.entries(rows).map(([name, row]) => [
          name,
          [row.outcome_count, row.outcome_value, row.attributed_outcome_count],
        ]),
      );
    };
    expect(await readFigures('first_touch')).toEqual({ Winter: [1, 0.1, 2], Outlet: [0, 0, 0] });
    expect(await readFigures('last_touch')).toEqual({ Winter: [0, 0, 0], Outlet: [0, 0, 0] });
    expect(await shop.rows()).toEqual(await shop.rows({ model: 'last_touch' }));
    expect(await readFigures('last_non_direct')).toEqual({ Winter: [0, 0, 0], Outlet: [0, 0, 0] });
    expect(await readFigures('linear')).toEqual({ Winter: [1, 0.06, 2], Outlet: [1, 0.02, 2] });
    expect(await readFigures('position_based')).toEqual({ Winter: [1, 0.05, 2], Outlet: [1, 0.01, 2] });
    // Credit halves per week before the conversion: 2.29, 2.40, 2.52 and 2.79 cents, of which the last two are rounded up.
    expect(await readFigures('time_decay')).toEqual({ Winter: [1, 0.04, 2], Outlet: [1, 0.03, 2] });
    expect(await shop.refused('/campaigns', { model: 'u_shaped' })).toEqual([400, 'invalid_parameter']);
  });

  test('[camp-050] skips a direct visit only under last_non_direct', async () => {
    const shop = await openShop(world);
    await shop.spend({ ...film });
    shop.click('ana', 1, winter);
    shop.click('ana', 2, {}, { channel: 'direct', source: 'direct', medium: '' });
    await shop.pay('ana', 3, '7');
    await shop.settle();
    const earned = async (model: string) => (await shop.rows({ model })).Winter.outcome_value;
    expect([await earned('last_non_direct'), await earned('last_touch')]).toEqual([7, 0]);
    const { data } = await shop.read('/campaigns/winter/conversions', { model: 'last_non_direct' });
    expect(data[0].path.map(({ credit }: { credit: string }) => credit)).toEqual(['7.00', '0.00']);
  });

  test('[camp-051] [camp-055] [lim-009] sorts by credited value, then by id, and pages through all rows', async () => {
    const shop = await openShop(world);
    for (let n = 0; n < 12; n += 1) {
      shop.click(`p${n}`, 1, { campaign: `c${n}` });
      await shop.pay(`p${n}`, 2, n < 6 ? '5' : String(n));
    }
    await shop.settle();
    const first = await shop.read('/campaigns');
    expect(first.data).toHaveLength(10);
    expect(first.pagination.has_next).toBe(true);
    const second = await shop.read('/campaigns', { cursor: first.pagination.cursor });
    const [all, pairs] = [[...first.data, ...second.data], await shop.read('/campaigns', { limit: 2 })];
    expect(all.map((row) => row.outcome_value)).toEqual([11, 10, 9, 8, 7, 6, 5, 5, 5, 5, 5, 5]);
    const tied = all.slice(6).map((row) => row.campaign_id);
    expect(tied).toEqual(tied.toSorted());
    expect(pairs.data).toEqual(all.slice(0, 2));
    expect(second.pagination).toEqual({ has_next: false, cursor: expect.any(String) });
    expect((await shop.read('/campaigns', { cursor: second.pagination.cursor })).data).toEqual([]);
    for (const limit of ['0', '101', 'ten']) {
      expect(await shop.refused('/campaigns', { limit })).toEqual([400, 'invalid_parameter']);
    }
    expect((await shop.read('/campaigns', { limit: 100 })).data).toHaveLength(12);
    for (const cursor of ['x', 'WyIxIl0', 'WyIxIiwieCJd'])
      expect(await shop.refused('/campaigns', { cursor })).toEqual([400, 'invalid_parameter']);
  });

  test('[camp-048] [camp-049] returns 400 without a valid date range and for an unknown level', async () => {
    const shop = await openShop(world);
    const refused = async (query: string) => {
      const response = await shop.call('GET', `/api/v1/campaigns?${query}`);
      return [response.statusCode, response.json().error.code];
    };
    expect(await refused('')).toEqual([400, 'invalid_date_range']);
    expect(await refused('date_from=2026-05-01')).toEqual([400, 'invalid_date_range']);
    expect(await refused('date_from=2026-05-02&date_to=2026-05-01')).toEqual([400, 'invalid_date_range']);
    expect(await refused('date_from=01.06.2026&date_to=2026-05-01')).toEqual([400, 'invalid_date_range']);
    expect(await shop.refused('/campaigns', { level: 'account' })).toEqual([400, 'invalid_parameter']);
    expect((await shop.read('/campaigns', { date_from: '0001-01-01', date_to: '0001-12-31' })).data).toEqual([]);
    expect((await shop.read('/campaigns', { date_from: '9999-01-01', date_to: '9999-12-31' })).data).toEqual([]);
  });

  test('[camp-046] returns 403 on every report without campaigns:read', async () => {
    const { id } = await buildProfile(world.kit.app);
    const { headers } = await buildApiKey(world.kit.app, id, { scopes: ['attribution:write', 'customers:read'] });
    const entity = '0d1f9c3e-6f1e-5b5a-8f0a-1c2d3e4f5a6b';
    const range = 'date_from=2026-05-01&date_to=2026-05-02';
    for (const url of [
      `/campaigns?${range}`,
      `/campaigns/unattributed?${range}`,
      `/campaigns/trend?${range}&entity_ids=${entity}`,
      `/campaigns/platform-comparison?${range}`,
      `/campaigns/${entity}/conversions?${range}`,
      `/ads/${entity}?${range}`,
      `/overview?${range}`,
      `/explain?${range}&field=spend`,
    ]) {
      const response = await world.api.fastify.inject({ method: 'GET', url: `/api/v1${url}`, headers: { ...headers } });
      expect([url, response.statusCode, response.json().error.code]).toEqual([url, 403, 'insufficient_scope']);
    }
  });

  test('uses days of the profile’s time zone', async () => {
    const shop = await openShop(world, { timeZone: 'America/Santiago' });
    shop.click('ana', 1, winter);
    // 03:00 UTC is still the previous evening in Santiago.
    await shop.pay('ana', 10 + 3 / 24, '100');
    // 04:00 UTC is midnight in Santiago.
    await shop.pay('ana', 10 + 4 / 24, '50');
    await shop.settle();
    const earned = async (day: string) =>
      (await shop.list({ date_from: day, date_to: day })).map((row) => row.outcome_value);
    expect([await earned('2026-05-09'), await earned('2026-05-10')]).toEqual([[100], [50]]);
    expect([await earned('2026-05-08'), await earned('2026-05-11')]).toEqual([[], []]);
    const total = async (day: string) =>
      (await shop.read('/overview', { date_from: day, date_to: day })).data.totals.outcome_value;
    expect([await total('2026-05-09'), await total('2026-05-10')]).toEqual([100, 50]);
    const path = `/campaigns/${shop.entity('campaign', 'winter')}/conversions`;
    const behind = async (day: string) =>
      (await shop.read(path, { date_from: day, date_to: day })).data.map((row: { value: string }) => row.value);
    expect([await behind('2026-05-09'), await behind('2026-05-10')]).toEqual([['100.00'], ['50.00']]);
  });

  test('has a row with the known fields for an entity that only a click named', async () => {
    const shop = await openShop(world);
    shop.click('ana', 1, { platform: 'tiktok', campaign: 'secret' });
    await shop.pay('ana', 2, '7');
    await shop.settle();
    const id = shop.entity('campaign', 'secret', 'tiktok');
    expect(await shop.rows({ level: 'campaign' })).toMatchObject({
      [id]: { campaign_id: id, campaign_name: '', external_id: null, platform: 'tiktok', outcome_value: 7, spend: 0 },
    });
    await shop.spend({ platform: 'tiktok', level: 'campaign', external_id: 'secret', spend: '3' });
    await shop.settle();
    expect(await shop.rows()).toMatchObject({ secret: { campaign_id: id, external_id: 'secret', roas: 2.333333 } });
  });
});
