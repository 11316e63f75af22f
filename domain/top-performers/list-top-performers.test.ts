import { routes } from '@tributary/contract';
import { openTestWithClickHouse, type SceneTraits } from '@tributary/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { rebuildProfile } from './rebuild-profile.ts';
import { openAds } from './top-performers.fixture.ts';

const world = await openTestWithClickHouse();
const { kit, clickhouse } = world;
const signal = new AbortController().signal;

async function open(traits: SceneTraits = {}) {
  const shop = await openAds(world, traits);
  const read = async (path: string, query: Record<string, string>) => {
    const { status, body } = await shop.ask(`/api/v1/${path}?${new URLSearchParams(query)}`);
    return { status, body };
  };
  const get = (query: Record<string, string> = {}) => read('top-performers', query);
  return {
    ...shop,
    read,
    get,
    ids: async (query: Record<string, string> = {}): Promise<string[]> => {
      const { status, body } = await get(query);
      expect(status, JSON.stringify(body)).toBe(200);
      return body.data.map((ad: { ad_external_id: string }) => ad.ad_external_id);
    },
    rebuild: async () => {
      kit.clock.advance(1_000);
      return rebuildProfile({ app: kit.app, clickhouse }, shop.profileId, kit.clock.now(), signal);
    },
  };
}

/** Ads that do nothing but be there, so that there is somebody to compare with. */
const crowd = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, n) => ({ external_id: `crowd-${n}`, spend: `${10 + n}.00`, ...more }));

describe('Before a night', () => {
  test('[top-035] [top-034] there is nothing, and no error: an ad needs to be told of, and scored', async () => {
    const shop = await open();
    const empty = { status: 200, body: { data: [], meta: { profile_id: shop.profileId } } };
    expect(await shop.get()).toEqual(empty);
    // A click names an ad before anybody tells of it.
    await shop.earn('ad-1');
    await shop.settle();
    await shop.rebuild();
    expect(await shop.get()).toEqual(empty);
    await shop.tell({ external_id: 'ad-1' });
    await shop.settle();
    expect(await shop.get()).toEqual(empty);
    await shop.rebuild();
    expect(await shop.ids()).toEqual(['ad-1']);
  });
});

test('[conv-003] one ad is in every report: what it cost and earned at each level, by day, by its rank, and as its platform says', async () => {
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
  expect(await report('top-performers')).toMatchObject([{ ad_external_id: 'film' }]);
});

describe('An ad', () => {
  test('[top-001] [top-002] [top-003] [top-004] [top-005] [top-006] [top-007] [top-008] [top-009] [top-013] [top-014] [top-025] [top-026] [top-027] [top-028] [top-029] [top-031] [top-050] has all of its fields', async () => {
    const shop = await open();
    await shop.tell(
      ...crowd(24),
      {
        external_id: 'star',
        name: 'Winter film',
        ad_set_external_id: 'set-1',
        ad_set_name: 'Lookalike',
        campaign_external_id: 'campaign-1',
        campaign_name: 'Winter sale',
        conversions: '7.5',
        conversion_value: '900',
        video_views_3s: 4_000,
        messaging_conversations_started: 8,
        messaging_first_replies: 6,
      },
      // Told on another day, outside of the week and inside of the month.
      { external_id: 'star', date: '2026-05-20', spend: '50.00', impressions: 2_000, clicks: 100 },
    );
    await shop.describe('star', {
      thumbnail_url: 'https://cdn.example/1.jpg',
      video_id: 'v-1',
      hook_type: 'question',
      cta_type: 'SHOP_NOW',
      primary_angle: 'price',
      offers: ['free_shipping', 7, 'two_for_one'],
      format: 'ugc_video',
      audience_warmth: 'cold',
      geo: 'CL',
      placement: 'feed',
    });
    await shop.earn('star');
    await shop.earn('star', {
      properties: { value: '50.50', currency: 'USD' },
      occurred_at: '2026-06-11T10:00:00.000Z',
    });
    await shop.earn('star', { event_name: 'lead_created', properties: { value: '1000', currency: 'USD' } });
    await shop.earn('star', { event_name: 'order_placed', properties: { value: '80', currency: 'USD' } });
    await shop.earn('star', { event_name: 'messaging_started', properties: {} });
    await shop.settle();
    await shop.rebuild();
    const { status, body } = await shop.get({ window: '28d' });
    expect(status).toBe(200);
    expect(body.meta).toEqual({ profile_id: shop.profileId });
    expect(body.data[0]).toEqual({
      ad_id: shop.idOf('star'),
      platform: 'social_ads',
      ad_external_id: 'star',
      ad_name: 'Winter film',
      campaign_name: 'Winter sale',
      ad_set_name: 'Lookalike',
      creative_thumbnail_url: 'https://cdn.example/1.jpg',
      video_id: 'v-1',
      score_window: '28d',
      composite_score: expect.any(Number),
      top_performer_likelihood: expect.any(Number),
      model_version: null,
      score_source: 'rules',
      maturity_stage: 'early',
      truth_grade: 'attributed',
      primary_outcome_kind: 'cash',
      cohort_key: 'social_ads|*|sales|*|*|*',
      cohort_objective: 'sales',
      cohort_format: null,
      cohort_audience_warmth: null,
      cohort_n_ads: 25,
      hook_type: 'question',
      creative_format: 'ugc_video',
      cta_type: 'SHOP_NOW',
      primary_angle: 'price',
      offers: ['free_shipping', 'two_for_one'],
      spend: 150,
      impressions: 12_000,
      ctr: 2.5,
      cpc: 0.5,
      attributed_cash_outcomes: 2,
      attributed_revenue: 300.5,
      roas: 300.5 / 150,
      cac: 75,
      attributed_outcomes_total: 5,
      attributed_pipeline_outcomes: 1,
      attributed_pipeline_value: 1_000,
      meta_reported_conversions: 7.5,
      meta_reported_conversion_value: 900,
      cost_per_conversation: 150 / 8,
      messaging_conversations_started: 8,
      first_reply_rate: 0.75,
      avg_engagement_score: expect.any(Number),
      reason_codes: expect.arrayContaining([
        { layer: 'efficiency', polarity: 'strength', percentile: 98, sample_confidence: 'low' },
        { layer: 'return', polarity: 'strength', percentile: 98, sample_confidence: 'low' },
      ]),
    });
    expect(body.data[0].composite_score).toBeGreaterThan(50);
    const week = (await shop.get({ window: '7d' })).body.data[0];
    expect(week).toMatchObject({
      ad_external_id: 'star',
      score_window: '7d',
      spend: 100,
      impressions: 10_000,
      attributed_revenue: 300.5,
    });

    // Of one that earned nothing and of which nothing is said.
    const other = (await shop.get({ limit: '50' })).body.data.find(
      (ad: { ad_external_id: string }) => ad.ad_external_id === 'crowd-3',
    );
    expect(other).toMatchObject({
      ad_name: 'crowd-3',
      campaign_name: null,
      ad_set_name: null,
      creative_thumbnail_url: null,
      video_id: null,
      hook_type: null,
      offers: [],
      maturity_stage: 'cold',
      truth_grade: 'predicted',
      primary_outcome_kind: 'none',
      creative_format: 'video',
      cohort_key: 'social_ads|video|sales|-|-|-',
      cohort_n_ads: 24,
      attributed_cash_outcomes: 0,
      attributed_revenue: 0,
      roas: 0,
      cac: null,
      meta_reported_conversions: null,
      meta_reported_conversion_value: null,
      cost_per_conversation: null,
      messaging_conversations_started: null,
      first_reply_rate: null,
    });
  });

  test('that only its platform praises is predicted, and shows the platform’s count', async () => {
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

  test('among fewer than 20 has no score, and stands below those that have one', async () => {
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

  test('that ran no more is gone with the next night, and so is the last one', async () => {
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

describe('A question', () => {
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

  test('[top-038] [top-039] [top-040] [top-041] is of a window: 28 days unless said, and never a range of one’s own', async () => {
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
    expect(await shop.get({ date_from: '2026-06-05', date_to: '2026-06-05' })).toEqual(await shop.get());
  });

  test('[top-042] [lim-011] gives 10 ads, or up to 50, the best first, of a window there is', async () => {
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

  test('[top-043] may ask for spend', async () => {
    expect(await named({ min_spend: '500' })).toEqual(['seller']);
    expect(await named({ min_spend: '500.01' })).toEqual([]);
    for (const min_spend of ['-1', 'much']) expect((await shop.get({ min_spend })).status).toBe(400);
  });

  test('[top-044] may ask for objectives', async () => {
    expect(await named({ objectives: 'sales,leads' })).toEqual(['leader', 'seller']);
    expect(await named({ objectives: 'messaging' })).toEqual(['talker']);
    expect(await named({ objectives: 'awareness' })).toEqual(['shower']);
    expect((await shop.ids({ objectives: 'traffic', limit: '50' })).every((id) => id.startsWith('crowd'))).toBe(true);
  });

  test('[top-045] may ask for grades of truth', async () => {
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

  test('[top-046] may ask for kinds of outcomes', async () => {
    expect(await named({ outcome_kinds: 'cash' })).toEqual(['seller']);
    expect(await named({ outcome_kinds: 'pipeline,messaging,meta' })).toEqual(['leader', 'shower', 'talker']);
    expect(await named({ outcome_kinds: 'none', min_spend: '100' })).toEqual(['recent']);
  });

  test('[top-047] [top-048] [top-049] may ask for formats, and for videos or what is none', async () => {
    expect(await named({ formats: 'talking_head,carousel' })).toEqual(['leader', 'talker']);
    expect(await named({ has_video: 'true' })).toEqual(['seller', 'shower', 'talker']);
    expect(await named({ has_video: 'false', min_spend: '100' })).toEqual(['leader', 'recent']);
    expect((await shop.get({ has_video: 'yes' })).status).toBe(400);
  });

  test('for something outside of its list is refused', async () => {
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

  test('[top-051] is of the key’s own profile', async () => {
    const other = await open();
    expect(await other.ids({ window: 'lifetime', limit: '50' })).toEqual([]);
  });

  test('needs campaigns:read', async () => {
    const other = await open({ scopes: ['customers:read'] });
    expect((await other.get()).status).toBe(403);
  });
});
