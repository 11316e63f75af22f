import { routes, type ScoreWindow } from '@tributary/contract';
import { saveRates } from '@tributary/domain/commerce/money/module.ts';
import { priceOutcomes } from '@tributary/domain/commerce/outcomes/module.ts';
import { buildMember, openTestWithClickHouse, type SceneTraits } from '@tributary/testkit';
import { dayMs } from '@tributary/vocabulary';
import { beforeAll, describe, expect, test } from 'vitest';
import { rebuildProfile } from './rebuild-profile.ts';
import { crowd, openAds } from './top-performers.fixture.ts';
import { windowsOf } from './windows.ts';

const world = await openTestWithClickHouse();
const { kit, clickhouse } = world;
const open = (traits: SceneTraits = {}) => openAds(world, traits);
const { signal } = new AbortController();

test('A shared link returns scores only while all days of their window are within its own range', async () => {
  const shop = await open();
  const owner = await buildMember(kit.app, shop.workspaceId, 'owner');
  const headers = { ...owner.headers({ profileId: shop.profileId }), origin: 'https://tributary.test' };
  const day = (days: number) => new Date(kit.clock.now().getTime() + days * dayMs).toISOString().slice(0, 10);
  const share = async (from: string, to: string) => {
    const payload = { name: 'Ads', page: 'top-ads', date_from: from, date_to: to };
    const answer = await world.api.call({ method: 'POST', url: '/api/v1/shared-views', headers, payload });
    return { status: answer.statusCode, body: answer.json() };
  };
  const read = async ({ body }: Awaited<ReturnType<typeof share>>, query = '') => {
    const authorization = `Bearer ${body.data.url.split('#')[1]}`;
    const url = `/api/v1/top-performers${query}`;
    return (await world.api.call({ method: 'GET', url, headers: { authorization } })).statusCode;
  };
  const past = await share('2026-01-01', '2026-01-05');
  expect(past).toMatchObject({ status: 422, body: { error: { field: 'date_to' } } });
  const [month, week] = [await share(day(-30), day(30)), await share(day(-7), day(30))];
  expect(await read(week)).toBe(200);
  await shop.tell({ external_id: 'ad-1' });
  await shop.settle();
  await shop.rebuild();
  expect([await read(month), await read(month, '?window=lifetime'), await read(week)]).toEqual([200, 403, 403]);
  expect(await read(week, '?window=7d')).toBe(200);
});

describe('Before the first rebuild', () => {
  test('[top-035] the list is empty without an error: an ad must be reported and scored first', async () => {
    const shop = await open();
    const current = { state: 'current', waiting_since: null };
    const unscored = { scored_at: null, date_from: null, date_to: null, currency: 'USD', exclusions: [] };
    const meta = { ...unscored, freshness: { attribution: current, delivery: current } };
    const empty = { status: 200, body: { data: [], meta: { profile_id: shop.profileId } } };
    expect(await shop.get()).toEqual({ ...empty, body: { data: [], meta: { profile_id: shop.profileId, ...meta } } });
    // A click names an ad before it is reported.
    await shop.earn('ad-1');
    await shop.settle();
    await shop.rebuild();
    expect(await shop.get()).toMatchObject(empty);
    await shop.tell({ external_id: 'ad-1' });
    await shop.settle();
    expect(await shop.get()).toMatchObject(empty);
    await shop.rebuild();
    expect(await shop.ids()).toEqual(['ad-1']);
  });
});

test('returns the days and currency of the scores, what they exclude, and the freshness of the figures', async () => {
  const shop = await open();
  await shop.tell({ external_id: 'ad-1' }, { external_id: 'ad-2', spend: '900', currency: 'ISK' });
  await shop.earn('ad-1', { properties: { value: '700', currency: 'ISK' } });
  await shop.settle();
  await shop.rebuild();
  const scoredAt = kit.clock.now();
  const exclusions = [
    { of: 'payments', reason: 'no_exchange_rate', currency: 'ISK', count: 1, amount: '700' },
    { of: 'spend', reason: 'no_exchange_rate', currency: 'ISK', count: 1, amount: '900' },
  ];
  const days = (window: ScoreWindow) => windowsOf(scoredAt, 'UTC').find(({ name }) => name === window);
  const ask = async (window: ScoreWindow) => (await shop.get({ window })).body.meta;
  const common = { profile_id: shop.profileId, scored_at: scoredAt.toISOString(), currency: 'USD', exclusions };
  for (const window of ['14d', '28d'] as const)
    expect(await ask(window)).toMatchObject({
      ...common,
      date_from: days(window)?.firstDay,
      date_to: days(window)?.lastDay,
    });
  expect(await ask('lifetime')).toMatchObject({ ...common, date_from: null, date_to: days('lifetime')?.lastDay });
  // An exchange rate that arrives later is used by the next scores only.
  await saveRates(kit.system, 'file', [
    { day: '2026-06-01', currency: 'USD', units: '1', usd: '1' },
    { day: '2026-06-01', currency: 'ISK', units: '100', usd: '1' },
  ]);
  await priceOutcomes(kit.app, kit.system, signal);
  const waiting = (await ask('28d')).freshness.attribution;
  expect([(await ask('28d')).exclusions, waiting.waiting_since]).toEqual([exclusions, expect.any(String)]);
  await shop.attribute();
  await shop.rebuild();
  const current = { state: 'current', waiting_since: null };
  expect(await ask('28d')).toMatchObject({ exclusions: [], freshness: { attribution: current, delivery: current } });
});

test('[conv-003] one ad appears in every report: cost and credit at each level, by day, its rank, and the platform’s own count', async () => {
  const shop = await open();
  const parents = { ad_set_external_id: 'broad', campaign_external_id: 'winter' };
  await shop.tell({ external_id: 'film', ...parents, conversions: '2', conversion_value: '300' });
  await shop.earn('film');
  await shop.settle();
  await shop.rebuild();
  const days = { date_from: '2026-06-10', date_to: '2026-06-10' };
  const report = async (path: string, query: Record<string, string> = {}) =>
    (await shop.read(path, { ...days, ...query })).body.data;
  const earned = { spend: 100, outcome_count: 1, outcome_value: 250, roas: 2.5 };
  const [campaign] = await report('campaigns');
  expect(campaign).toMatchObject({ external_id: 'winter', ...earned });
  expect(await report('campaigns', { level: 'ad_set' })).toMatchObject([{ external_id: 'broad', ...earned }]);
  expect(await report('campaigns', { level: 'ad' })).toMatchObject([{ external_id: 'film', ...earned }]);
  expect(await report('campaigns/trend', { entity_ids: campaign.campaign_id })).toEqual([
    { entity_id: campaign.campaign_id, date: '2026-06-10', spend: 100, impressions: 10_000, clicks: 200 },
  ]);
  expect(await report('campaigns/platform-comparison')).toMatchObject({
    platforms: [{ platform: 'social_ads', spend: 100, atribu_conversions: 1, platform_conversions: 2 }],
  });
  expect((await shop.get()).body.data).toMatchObject([{ ad_external_id: 'film' }]);
});

describe('An ad', () => {
  test('with results only from its platform is predicted, and shows the platform’s count', async () => {
    const shop = await open();
    await shop.tell(...crowd(19), { external_id: 'claimed', conversions: '40', conversion_value: '4000' });
    await shop.settle();
    await shop.rebuild();
    const { body } = await shop.get({ outcome_kinds: 'meta' });
    expect(body.data).toMatchObject([
      {
        ad_external_id: 'claimed',
        truth_grade: 'predicted',
        maturity_stage: 'cold',
        primary_outcome_kind: 'meta',
        meta_reported_conversions: 40,
        attributed_outcomes_total: 0,
      },
    ]);
  });

  test('is credited with the purchases of customers whose last touch it was', async () => {
    const shop = await open();
    await shop.tell({ external_id: 'first' }, { external_id: 'last' });
    await shop.earn(['first', 'last']);
    await shop.settle();
    await shop.rebuild();
    const { body } = await shop.get();
    const earned = body.data.map((ad: Record<string, unknown>) => [ad.ad_external_id, ad.attributed_revenue]);
    expect(Object.fromEntries(earned)).toEqual({ first: 0, last: 250 });
  });

  test('in a cohort of fewer than 20 has no score and ranks below scored ads', async () => {
    const shop = await open();
    await shop.tell(
      ...crowd(20, { platform: 'search_ads', spend: '1.00' }),
      ...crowd(3).map((row, n) => ({ ...row, external_id: `few-${n}` })),
    );
    await shop.settle();
    await shop.rebuild();
    const { body } = await shop.get({ limit: '50' });
    const scores = body.data.map((ad: { composite_score: number | null }) => ad.composite_score);
    expect(scores.slice(-3)).toEqual([null, null, null]);
    expect(scores.slice(0, 20).every((score: number | null) => score !== null)).toBe(true);
    // Then by spend, then by id.
    expect((await shop.ids({ limit: '50' })).slice(-3)).toEqual(['few-2', 'few-1', 'few-0']);
  });

  test('has its best day in the profile’s time zone', async () => {
    const shop = await open({ timeZone: 'America/Santiago' });
    await shop.tell(...crowd(19), { external_id: 'evening' });
    await shop.earn('evening', { occurred_at: '2026-06-10T23:00:00.000Z' });
    await shop.earn('evening', { occurred_at: '2026-06-11T03:00:00.000Z' });
    await shop.settle();
    await shop.rebuild();
    const { body } = await shop.read('explain', {
      report: 'top_performers',
      field: 'stability_percentile',
      entity_id: shop.idOf('evening'),
      date_from: '2026-06-10',
      date_to: '2026-06-10',
    });
    // The share of its outcomes on other days.
    expect(body.data.cohort).toMatchObject([{ ad_id: shop.idOf('evening'), figure: 0 }]);
  });

  test('without delivery disappears with the next rebuild, even when it was the last one', async () => {
    const shop = await open();
    await shop.tell({ external_id: 'ad-1' }, { external_id: 'ad-2', date: '2026-06-01' });
    await shop.settle();
    await shop.rebuild();
    expect((await shop.ids({ window: '14d' })).toSorted()).toEqual(['ad-1', 'ad-2']);
    const later = new Date('2026-06-20T03:00:00Z');
    await rebuildProfile({ app: kit.app, clickhouse }, shop.profileId, later, signal);
    expect(await shop.ids({ window: '14d' })).toEqual(['ad-1']);
    await rebuildProfile({ app: kit.app, clickhouse }, shop.profileId, new Date('2026-07-20T03:00:00Z'), signal);
    expect(await shop.ids({ window: '14d' })).toEqual([]);
    expect((await shop.ids({ window: 'lifetime' })).toSorted()).toEqual(['ad-1', 'ad-2']);
  });
});

describe('The query', () => {
  let shop: Awaited<ReturnType<typeof open>>;
  beforeAll(async () => {
    shop = await open();
    await shop.tell(
      ...crowd(60, { objective: 'LINK_CLICKS', format: 'image' }),
      { external_id: 'seller', spend: '500.00' },
      { external_id: 'leader', objective: 'LEAD_GENERATION', format: 'carousel' },
      { external_id: 'talker', objective: 'MESSAGES', messaging_conversations_started: 5, format: 'image' },
      { external_id: 'shower', objective: 'REACH', conversions: 3, format: 'collection' },
      { external_id: 'old', date: '2026-01-10', objective: 'FUN' },
      { external_id: 'recent', date: '2026-06-05', format: 'hologram', objective: 'FUN' },
    );
    await shop.describe('talker', { format: 'talking_head' });
    await shop.describe('shower', { video_id: 'v-2' });
    await shop.earn('seller');
    await shop.earn('leader', { event_name: 'lead_created' });
    await shop.settle();
    await shop.rebuild();
  });
  const named = async (query: Record<string, string>) =>
    (await shop.ids({ limit: '50', ...query })).filter((id) => !id.startsWith('crowd')).toSorted();

  test('[top-038] [top-039] [top-040] [top-041] selects a window, 28 days by default, and accepts no custom range', async () => {
    expect(await named({ formats: 'other' })).toEqual(['recent']);
    expect(await named({ window: '28d', formats: 'other' })).toEqual(['recent']);
    expect(await named({ window: '14d', formats: 'other' })).toEqual(['recent']);
    expect(await named({ window: '7d', formats: 'other' })).toEqual([]);
    expect(await named({ window: 'lifetime', formats: 'other,video' })).toEqual(['old', 'recent', 'seller']);
    expect((await shop.get({ window: '30d' })).status).toBe(400);
    expect(Object.keys(routes.listTopPerformers.query.shape).toSorted()).toEqual(
      [
        'window',
        'limit',
        'min_spend',
        'objectives',
        'truth_grades',
        'outcome_kinds',
        'formats',
        'has_video',
      ].toSorted(),
    );
    expect((await shop.get({ date_from: '2026-06-05', date_to: '2026-06-05' })).status).toBe(400);
  });

  test('[top-042] [lim-011] returns 10 ads by default and up to 50, best first', async () => {
    expect(await shop.ids()).toHaveLength(10);
    expect(await shop.ids({ limit: '50' })).toHaveLength(50);
    expect((await shop.ids({ limit: '50' })).slice(0, 3)).toEqual(await shop.ids({ limit: '3' }));
    const { body } = await shop.get({ limit: '50' });
    const scores = body.data.map((ad: { composite_score: number | null }) => ad.composite_score ?? -1);
    expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a));
    for (const limit of ['0', '51', 'ten']) expect((await shop.get({ limit })).status).toBe(400);
    for (const window of ['7d', '14d', '28d', 'lifetime']) expect((await shop.get({ window })).status).toBe(200);
    for (const window of ['8d', '30d', '']) expect((await shop.get({ window })).status).toBe(400);
  });

  test('[top-043] filters by spend', async () => {
    expect(await named({ min_spend: '500' })).toEqual(['seller']);
    expect(await named({ min_spend: '500.01' })).toEqual([]);
    for (const min_spend of ['-1', 'much']) expect((await shop.get({ min_spend })).status).toBe(400);
  });

  test('[top-044] filters by objective', async () => {
    expect(await named({ objectives: 'sales,leads' })).toEqual(['leader', 'seller']);
    expect(await named({ objectives: 'messaging' })).toEqual(['talker']);
    expect(await named({ objectives: 'awareness' })).toEqual(['shower']);
    expect((await shop.ids({ objectives: 'traffic', limit: '50' })).every((id) => id.startsWith('crowd'))).toBe(true);
  });

  test('[top-045] filters by truth grade', async () => {
    expect(await named({ truth_grades: 'attributed' })).toEqual(['leader', 'seller']);
    expect(await named({ truth_grades: 'lift' })).toEqual([]);
    expect(await named({ truth_grades: 'attributed,predicted', min_spend: '100' })).toEqual([
      'leader',
      'recent',
      'seller',
      'shower',
      'talker',
    ]);
  });

  test('[top-046] filters by outcome kind', async () => {
    expect(await named({ outcome_kinds: 'cash' })).toEqual(['seller']);
    expect(await named({ outcome_kinds: 'pipeline,messaging,meta' })).toEqual(['leader', 'shower', 'talker']);
    expect(await named({ outcome_kinds: 'none', min_spend: '100' })).toEqual(['recent']);
  });

  test('[top-047] [top-048] [top-049] filters by format, and by video or not', async () => {
    expect(await named({ formats: 'talking_head,carousel' })).toEqual(['leader', 'talker']);
    expect(await named({ has_video: 'true' })).toEqual(['seller', 'shower', 'talker']);
    expect(await named({ has_video: 'false', min_spend: '100' })).toEqual(['leader', 'recent']);
    expect((await shop.get({ has_video: 'yes' })).status).toBe(400);
  });

  test('returns 400 for an unlisted value', async () => {
    for (const [name, value] of [
      ['objectives', 'sales,fame'],
      ['truth_grades', 'guess'],
      ['outcome_kinds', 'cash,'],
      ['formats', 'hologram'],
    ] as const)
      expect(await shop.get({ [name]: value })).toMatchObject({
        status: 400,
        body: { error: { code: 'invalid_parameter', field: expect.stringMatching(`^${name}\\.\\d$`) } },
      });
  });

  test('covers only the key’s own profile', async () => {
    const other = await open();
    expect(await other.ids({ window: 'lifetime', limit: '50' })).toEqual([]);
  });

  test('returns 403 without campaigns:read', async () => {
    const other = await open({ scopes: ['customers:read'] });
    expect((await other.get()).status).toBe(403);
  });
});
