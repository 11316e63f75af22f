import { sumAmounts } from '@tributary/rules';
import { openTestWithClickHouse } from '@tributary/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { crowd, openAds } from './top-performers.fixture.ts';

const world = await openTestWithClickHouse();

describe('An entry of the list', () => {
  type Ad = Readonly<Record<string, unknown>>;
  let shop: Awaited<ReturnType<typeof openAds>>;
  /** The star has many facts, the other ad only its cost. */
  let star: Ad;
  let other: Ad;
  beforeAll(async () => {
    shop = await openAds(world);
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
      // Reported on another day, outside the week and within the month.
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
    const { data } = (await shop.get({ limit: '50' })).body;
    star = data[0];
    other = data.find((ad: Ad) => ad.ad_external_id === 'crowd-3');
  });

  test('[top-050] is in a list, best first, with the profile in meta', async () => {
    const { status, body } = await shop.get();
    expect([status, Object.keys(body).sort(), body.meta.profile_id]).toEqual([200, ['data', 'meta'], shop.profileId]);
    expect(body.data[0]).toEqual(star);
    expect(Object.keys(other).sort()).toEqual(Object.keys(star).sort());
  });

  test('[top-001] [top-008] has the platform’s id, name and thumbnail', () => {
    expect(star).toMatchObject({
      ad_id: shop.idOf('star'),
      platform: 'social_ads',
      ad_external_id: 'star',
      ad_name: 'Winter film',
      campaign_name: 'Winter sale',
      ad_set_name: 'Lookalike',
      creative_thumbnail_url: 'https://cdn.example/1.jpg',
      video_id: 'v-1',
    });
    expect(other).toMatchObject({
      ad_name: 'crowd-3',
      campaign_name: null,
      ad_set_name: null,
      creative_thumbnail_url: null,
      video_id: null,
    });
  });

  test('[top-002] [top-013] [top-014] has its score, source `rules` without a version, and its evidence', () => {
    expect(star).toMatchObject({
      score_window: '28d',
      composite_score: expect.any(Number),
      top_performer_likelihood: expect.any(Number),
      model_version: null,
      score_source: 'rules',
      maturity_stage: 'early',
      truth_grade: 'attributed',
      primary_outcome_kind: 'cash',
      reason_codes: expect.arrayContaining([
        { layer: 'efficiency', polarity: 'strength', percentile: 98, sample_confidence: 'low' },
        { layer: 'return', polarity: 'strength', percentile: 98, sample_confidence: 'low' },
      ]),
    });
    expect(star.composite_score).toBeGreaterThan(50);
    expect(other).toMatchObject({ maturity_stage: 'cold', truth_grade: 'predicted', primary_outcome_kind: 'none' });
  });

  test('[top-009] has a window and the figures within it', async () => {
    for (const window of ['7d', '14d', '28d', 'lifetime'])
      expect((await shop.get({ window })).body.data[0]).toMatchObject({
        ad_external_id: 'star',
        score_window: window,
        spend: window === '7d' || window === '14d' ? 100 : 150,
        impressions: window === '7d' || window === '14d' ? 10_000 : 12_000,
        attributed_revenue: 300.5,
      });
  });

  test('[top-003] has its cohort', () => {
    expect(star).toMatchObject({
      cohort_key: 'social_ads|*|sales|*|*|*',
      cohort_objective: 'sales',
      cohort_format: null,
      cohort_audience_warmth: null,
      cohort_n_ads: 25,
    });
    expect(other).toMatchObject({ cohort_key: 'social_ads|video|sales|-|-|-', cohort_n_ads: 24 });
  });

  test('[top-004] has the traits of its creative', () => {
    expect(star).toMatchObject({
      hook_type: 'question',
      creative_format: 'ugc_video',
      cta_type: 'SHOP_NOW',
      primary_angle: 'price',
      offers: ['free_shipping', 'two_for_one'],
    });
    expect(other).toMatchObject({ hook_type: null, creative_format: 'video', offers: [] });
  });

  test('[top-005] has its cost and delivery', () => {
    expect(star).toMatchObject({ spend: 150, impressions: 12_000, ctr: 2.5, cpc: 0.5 });
  });

  test('[top-006] [top-025] has its credited cash, or zero', () => {
    expect(star).toMatchObject({
      attributed_cash_outcomes: 2,
      attributed_revenue: 300.5,
      roas: 2.003333,
      cac: 75,
    });
    expect(other).toMatchObject({ attributed_cash_outcomes: 0, attributed_revenue: 0, roas: 0, cac: null });
  });

  test('[top-026] [top-027] [top-028] has all credited outcomes and the value of its pipeline', () => {
    expect(star).toMatchObject({
      attributed_outcomes_total: 5,
      attributed_pipeline_outcomes: 1,
      attributed_pipeline_value: 1_000,
    });
  });

  test('[top-007] [top-029] [top-031] has the platform’s counts and engagement', () => {
    expect(star).toMatchObject({
      meta_reported_conversions: 7.5,
      meta_reported_conversion_value: 900,
      cost_per_conversation: 150 / 8,
      messaging_conversations_started: 8,
      first_reply_rate: 0.75,
      avg_engagement_score: expect.any(Number),
    });
    expect(other).toMatchObject({
      meta_reported_conversions: null,
      meta_reported_conversion_value: null,
      cost_per_conversation: null,
      messaging_conversations_started: null,
      first_reply_rate: null,
    });
  });

  test('can be explained: each figure by rows that add up to it, the score by its layers and traits', async () => {
    const explained = async (field: string, more: Record<string, string> = {}) => {
      const base = {
        report: 'top_performers',
        date_from: '2026-01-01',
        date_to: '2026-01-01',
        entity_id: shop.idOf('star'),
      };
      const { status, body } = await shop.read('explain', { ...base, field, ...more });
      return { status, ...body };
    };
    const sum = (rows: readonly { contributes: string }[]) => sumAmounts(rows.map(({ contributes }) => contributes));
    for (const field of [
      ...['spend', 'impressions', 'ctr', 'cpc', 'roas', 'cac', 'cost_per_conversation', 'first_reply_rate'],
      ...[
        'attributed_cash_outcomes',
        'attributed_revenue',
        'attributed_outcomes_total',
        'attributed_pipeline_outcomes',
      ],
      ...['attributed_pipeline_value', 'meta_reported_conversions', 'meta_reported_conversion_value'],
      ...['messaging_conversations_started', 'composite_score', 'top_performer_likelihood', 'avg_engagement_score'],
    ]) {
      const { data, meta } = await explained(field);
      expect([field, Number(data.value)]).toEqual([field, star[field]]);
      const rows = [...data.conversions, ...data.delivery, ...data.layers];
      expect([field, rows.length, sum(rows)]).toEqual([field, data.row_count, sumAmounts([data.contributes])]);
      expect([data.exclusions, meta.level, meta.model, meta.date_to]).toEqual([[], 'ad', 'last_touch', '2026-06-14']);
    }
    const { data: week } = await explained('spend', { window: '7d' });
    expect(week).toMatchObject({ value: '100.00', delivery: [{ date: '2026-06-10', contributes: '100' }] });

    const { data: score } = await explained('composite_score');
    expect(score.layers.map(({ layer }: { layer: string }) => layer)).toEqual([
      'efficiency',
      'return',
      'engagement',
      'stability',
      'volume',
    ]);
    expect(Number(Number(score.contributes).toFixed(2))).toBe(star.composite_score);
    expect(score.working).toMatchObject({
      score_window: '28d',
      cohort_key: star.cohort_key,
      cohort_n_ads: 25,
      smallest_cohort: 20,
      outcome: 'cash',
      // Two payments, and 300 clicks of which 50 count as much as one payment.
      evidence: 8,
      trust: 8 / 18,
      traits: expect.arrayContaining([
        { trait: 'channel', value: 'social_ads', said_by: 'platform', is_compared: true },
        { trait: 'hook_type', value: 'question', said_by: 'platform', is_compared: false },
        { trait: 'geo', value: 'CL', said_by: 'platform', is_compared: false },
      ]),
    });
    const { percentile } = score.layers[0];
    const ads = [];
    for (let cursor: string | undefined; ; ) {
      const { data, pagination } = await explained('efficiency_percentile', { limit: '10', ...(cursor && { cursor }) });
      ads.push(...data.cohort);
      if (!pagination.has_next) {
        expect([ads.length, sum(ads), Number(data.value)]).toEqual([data.row_count, data.contributes, percentile]);
        expect((100 * Number(data.contributes)) / ads.length).toBe(percentile);
        break;
      }
      cursor = pagination.cursor;
    }
    expect(ads[0]).toMatchObject({ ad_id: shop.idOf('star'), ad_name: 'Winter film', standing: 'equal' });
    expect(new Set(ads.map(({ ad_id }) => ad_id)).size).toBe(25);
    expect((await explained('avg_engagement_score')).data.parts).toEqual([
      { field: 'click_rate_percentile', value: expect.any(String) },
      { field: 'hook_rate_percentile', value: '50' },
    ]);
    for (const [query, status] of [
      [{ entity_id: 'nobody' }, 404],
      [{ entity_id: shop.idOf('star'), as_of: '2026-06-01T00:00:00Z' }, 400],
      [{ entity_id: shop.idOf('star'), field: 'outcome_count_first_payment' }, 400],
      [{ field: 'composite_score', cursor: 'x', platform: 'social_ads' }, 400],
    ] as const)
      expect([query, (await explained('spend', query)).status]).toEqual([query, status]);
  });

  test('is explained with the rows as of the scoring, even after they changed', async () => {
    // In a separate shop, because the other tests read the figures of the shared one.
    const changing = await openAds(world);
    await changing.tell(
      ...crowd(24),
      { external_id: 'star' },
      { external_id: 'star', date: '2026-05-20', spend: '50.00', impressions: 2_000, clicks: 100 },
    );
    await changing.settle();
    await changing.rebuild();
    await changing.tell({ external_id: 'star', spend: '333.00' });
    await changing.settle();
    const base = {
      report: 'top_performers',
      date_from: '2026-01-01',
      date_to: '2026-01-01',
      entity_id: changing.idOf('star'),
    };
    const { body } = await changing.read('explain', { ...base, field: 'spend' });
    expect(body.data).toMatchObject({ value: '150' });
    expect(body.data.exclusions.length + Number(body.data.contributes === '150')).toBe(1);
  });
});
