import { buildApiKey, buildProfile, openTestWithClickHouse } from '@tributary/testkit';
import { describe, expect, test } from 'vitest';
import { banner, film, openShop, outlet, winter } from './reports.fixture.ts';

const world = await openTestWithClickHouse();

describe('GET /campaigns', { timeout: 60_000 }, () => {
  test('[camp-001] [camp-002] [camp-003] [camp-004] [camp-005] [camp-008] [camp-009] [camp-020] [camp-047] [camp-053] [camp-054] gives what each campaign cost and earned, in short', async () => {
    const shop = await openShop(world);
    await shop.spend({ ...film, spend: '40', impressions: 1_000, clicks: 20 });
    shop.click('ana', 1, winter);
    await shop.pay('ana', 2, '100.00');
    await shop.pay('ana', 20, '20.50');
    await shop.settle();
    const answer = await shop.read('/campaigns');
    expect(answer).toEqual({
      data: [
        {
          campaign_id: shop.entity('campaign', 'winter'),
          campaign_name: 'Winter',
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
        },
      ],
      pagination: { has_next: false, cursor: expect.any(String) },
      meta: {
        profile_id: shop.profileId,
        date_from: '2026-05-01',
        date_to: '2026-05-31',
        model: 'last_touch',
        currency: 'USD',
      },
    });
  });

  test('[camp-021] [camp-022] [camp-023] [camp-024] [camp-025] [camp-026] [camp-027] [camp-028] [camp-029] [camp-030] [camp-031] [camp-032] [camp-033] [camp-034] [camp-052] [camp-006] adds a level’s fields when it is asked for', async () => {
    const shop = await openShop(world);
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
    const { Film } = await shop.rows({ level: 'ad' });
    expect(Film).toEqual({
      campaign_id: shop.entity('ad', 'film'),
      campaign_name: 'Film',
      external_id: 'film',
      platform: 'social_ads',
      spend: 50.5,
      outcome_count: 2,
      outcome_value: 101,
      outcome_count_first_payment: 1,
      attributed_outcome_count: 3,
      attributed_outcomes_by_type: { lead_created: 1, payment_received: 2 },
      roas: 2,
      cac_first_payment: 50.5,
      entity_level: 'ad',
      parent_name: 'Broad',
      impressions: 1_600,
      clicks: 32,
      reach: 1_400,
      ctr: 2,
      avg_cpm: 50_500 / 1_600,
      avg_cpc: 50.5 / 32,
      cac: 25.25,
      status: 'PAUSED',
      objective: 'OUTCOME_SALES',
      daily_budget: 15.5,
      campaign_external_id: 'winter',
      ad_set_external_id: 'broad',
      messaging_conversations_started_7d: 6,
    });
    const { Broad } = await shop.rows({ level: 'ad_set' });
    expect(Broad).toMatchObject({
      entity_level: 'ad_set',
      parent_name: 'Winter',
      campaign_external_id: 'winter',
      ad_set_external_id: null,
      status: null,
      daily_budget: null,
    });
    const { Winter } = await shop.rows({ level: 'campaign' });
    expect(Winter).toMatchObject({ entity_level: 'campaign', parent_name: null, campaign_external_id: null });
  });

  test('[camp-007] [camp-010] [camp-011] [camp-012] [camp-013] [camp-014] [camp-019] counts conversions of every kind apart from cash, and a refund is none', async () => {
    const shop = await openShop(world);
    await shop.spend({ ...film, spend: '10' }, { ...banner, spend: '10' });
    shop.click('lea', 1, outlet);
    await shop.lead('lea', 2);
    await shop.event('lea', 3, { event_name: 'appointment_booked' });
    shop.click('ana', 1, winter);
    const refunded = { event_name: 'payment_received', idempotency_key: 'refunded' };
    await shop.event('ana', 2, { ...refunded, properties: { value: '80', currency: 'USD' } });
    await shop.event('ana', 2, { ...refunded, properties: { value: '0', currency: 'USD' } });
    await shop.settle();
    const { Winter, Outlet } = await shop.rows({ level: 'campaign' });
    expect(Outlet).toMatchObject({
      outcome_count: 0,
      outcome_value: 0,
      attributed_outcome_count: 2,
      attributed_outcomes_by_type: { appointment_booked: 1, lead_created: 1 },
      roas: 0,
      cac: null,
      cac_first_payment: null,
    });
    // Paid back, it still counts, once.
    expect(Winter).toMatchObject({
      outcome_count: 1,
      outcome_value: 0,
      attributed_outcome_count: 1,
      attributed_outcomes_by_type: { payment_received: 1 },
    });
  });

  test('[camp-015] [camp-017] [camp-050] [ver-017] counts for whoever has a share under the model, once, and each model for itself', async () => {
    const shop = await openShop(world);
    await shop.spend({ ...film }, { ...banner });
    shop.click('ana', 1, winter);
    shop.click('ana', 1.5, { ...winter, ad: 'other film' });
    shop.click('ana', 2, outlet);
    shop.click('ana', 3);
    await shop.pay('ana', 4, '0.10');
    await shop.lead('ana', 5);
    await shop.settle();
    const told = async (model: string) => {
      const rows = await shop.rows({ model });
      return Object.fromEntries(
        Object.entries(rows).map(([name, row]) => [
          name,
          [row.outcome_count, row.outcome_value, row.attributed_outcome_count],
        ]),
      );
    };
    expect(await told('first_touch')).toEqual({ Winter: [1, 0.1, 2], Outlet: [0, 0, 0] });
    expect(await told('last_touch')).toEqual({ Winter: [0, 0, 0], Outlet: [0, 0, 0] });
    expect(await shop.rows()).toEqual(await shop.rows({ model: 'last_touch' }));
    expect(await told('last_non_direct')).toEqual({ Winter: [0, 0, 0], Outlet: [0, 0, 0] });
    expect(await told('linear')).toEqual({ Winter: [1, 0.06, 2], Outlet: [1, 0.02, 2] });
    expect(await told('position_based')).toEqual({ Winter: [1, 0.05, 2], Outlet: [1, 0.01, 2] });
    const decayed = await told('time_decay');
    expect([decayed.Winter?.[0], decayed.Winter?.[2], decayed.Outlet?.[0], decayed.Outlet?.[2]]).toEqual([1, 2, 1, 2]);
    expect(await shop.refused('/campaigns', { model: 'u_shaped' })).toEqual([400, 'invalid_parameter']);
  });

  test('[camp-051] [camp-055] [lim-009] ranks by what was earned, then by id, and pages through all of it', async () => {
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

  test('[camp-048] [camp-049] wants two days, and a level that there is', async () => {
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

  test('[camp-046] wants campaigns:read, as all reports do', async () => {
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

  test('days are those of the profile’s time zone', async () => {
    const shop = await openShop(world, { timeZone: 'America/Santiago' });
    shop.click('ana', 1, winter);
    // Three in the morning in UTC is the evening before in Santiago.
    await shop.pay('ana', 10 + 3 / 24, '100');
    // And four is midnight there.
    await shop.pay('ana', 10 + 4 / 24, '50');
    await shop.settle();
    const earned = async (day: string) =>
      (await shop.list({ date_from: day, date_to: day })).map((row) => row.outcome_value);
    expect([await earned('2026-05-09'), await earned('2026-05-10')]).toEqual([[100], [50]]);
    expect([await earned('2026-05-08'), await earned('2026-05-11')]).toEqual([[], []]);
  });

  test('what a click named and nobody told of has a row with all that is known of it', async () => {
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
    expect(await shop.rows()).toMatchObject({ secret: { campaign_id: id, external_id: 'secret', roas: 7 / 3 } });
  });
});

describe('Rows and what is left', { timeout: 60_000 }, () => {
  test('[camp-016] [camp-036] [camp-056] [camp-057] add up to all conversions at every level under the models of one credit', async () => {
    const shop = await openShop(world);
    await shop.spend({ ...film }, { ...banner });
    shop.click('ana', 1, { ad: 'film' });
    await shop.pay('ana', 2, '10.01');
    shop.click('ben', 1, { campaign: 'outlet' });
    await shop.pay('ben', 2, '20.02');
    shop.click('cal', 1, { adSet: 'loyal' });
    await shop.lead('cal', 2);
    shop.click('dan', 1);
    shop.click('dan', 2, winter);
    await shop.pay('dan', 3, '40.04');
    await shop.pay('eve', 3, '80.08');
    await shop.settle();
    for (const model of ['last_touch', 'first_touch', 'last_non_direct']) {
      for (const level of ['campaign', 'ad_set', 'ad']) {
        const rest = (await shop.read('/campaigns/unattributed', { model, level })).data;
        const parts = [...Object.values(await shop.rows({ model, level })), rest];
        const sum = (figure: string) => parts.reduce((total, row) => total + Math.round(row[figure] * 100), 0) / 100;
        expect([model, level, sum('outcome_count'), sum('outcome_value')]).toEqual([model, level, 4, 150.15]);
        expect([sum('attributed_outcome_count'), sum('outcome_count_first_payment')]).toEqual([5, 4]);
      }
    }
    expect(await shop.read('/campaigns/unattributed', { model: 'last_touch', level: 'ad' })).toEqual({
      data: {
        entity_level: 'ad',
        outcome_count: 2,
        outcome_value: 100.1,
        outcome_count_first_payment: 2,
        attributed_outcome_count: 3,
        attributed_outcomes_by_type: { lead_created: 1, payment_received: 2 },
      },
      meta: {
        profile_id: shop.profileId,
        date_from: '2026-05-01',
        date_to: '2026-05-31',
        model: 'last_touch',
        currency: 'USD',
      },
    });
    // A link that names only the ad earns for its ad set and campaign, too.
    expect(await shop.rows()).toMatchObject({
      Winter: { outcome_value: 50.05 },
      Outlet: { outcome_value: 20.02, attributed_outcome_count: 2 },
    });
    expect((await shop.read('/campaigns/unattributed')).data).toMatchObject({
      entity_level: 'campaign',
      outcome_value: 80.08,
    });
  });

  test('a deposit and its balance are one first purchase, wherever each is credited', async () => {
    const shop = await openShop(world);
    shop.click('ana', 1, winter);
    await shop.pay('ana', 2, '30');
    shop.click('ana', 3, outlet);
    await shop.pay('ana', 5, '70');
    await shop.pay('ana', 25, '5');
    await shop.settle();
    const rows = await shop.rows();
    const of = (campaign: string) => rows[shop.entity('campaign', campaign)];
    expect(of('winter')).toMatchObject({ outcome_count: 1, outcome_count_first_payment: 1, outcome_value: 30 });
    expect(of('outlet')).toMatchObject({ outcome_count: 2, outcome_count_first_payment: 0, outcome_value: 75 });
    expect((await shop.read('/campaigns/unattributed')).data.attributed_outcome_count).toBe(0);
  });
});
