import type { ClickHouse, Row } from '@tributary/clickhouse';
import {
  CreativeFormat,
  type Input,
  MaturityStage,
  OutcomeKind,
  ReasonCode,
  type Routes,
  ScoreWindow,
  TruthGrade,
} from '@tributary/contract';
import type { StoredAd } from '@tributary/domain/advertising/campaigns';
import { readFreshness } from '@tributary/domain/measurement/reports';
import { getProfile } from '@tributary/domain/tenancy/tenants';
import { answer, type Handles } from '@tributary/operations';
import type { Ledger, Tx } from '@tributary/postgres';
import { readCreative } from './creative.ts';
import { findAnalysedAds } from './find-ads.ts';
import { shownFigures } from './shown-figures.ts';
import { findRebuild } from './store.ts';

export const listTopPerformers: Handles<Routes['listTopPerformers'], { readonly clickhouse: ClickHouse }> = async (
  { query },
  { caller, ledger, signal, now, clickhouse },
) => {
  const { profileId } = caller;
  const data = await findScored({ clickhouse, ledger, signal }, profileId, query);
  const meta = await ledger.transaction((tx) => readMeta(tx, profileId, query.window, now), { readOnly: true });
  return answer(200, { data, meta });
};

/** The nightly rebuild that the scores come from; later changes are not included. */
async function readMeta(tx: Tx, profileId: string, window: ScoreWindow, now: Date) {
  const rebuild = await findRebuild(tx, profileId, window);
  const { window: scored } = rebuild ?? {};
  return {
    scored_at: rebuild?.at.toISOString() ?? null,
    date_from: scored && window !== 'lifetime' ? scored.firstDay : null,
    date_to: scored?.lastDay ?? null,
    currency: scored?.currency ?? (await getProfile(tx, profileId)).currency,
    exclusions: [...(scored?.exclusions ?? [])],
    freshness: await readFreshness(tx, profileId, now),
  };
}

export interface ScoreReader {
  readonly clickhouse: ClickHouse;
  /** Scoped to the profile by row-level security. */
  readonly ledger: Ledger;
  readonly signal: AbortSignal;
}

/** Scores come from the last rebuild; names and creatives are current. */
export async function findScored(
  { clickhouse, ledger, signal }: ScoreReader,
  profileId: string,
  query: Input<Routes['listTopPerformers']>['query'],
) {
  const scores = await clickhouse.query(
    'ad_list_scores',
    {
      profile_id: profileId,
      score_window: query.window,
      min_spend: (query.min_spend ?? 0).toFixed(4),
      objectives: query.objectives ?? [],
      truth_grades: query.truth_grades ?? [],
      outcome_kinds: query.outcome_kinds ?? [],
      formats: query.formats ?? [],
      has_video: query.has_video === undefined ? [] : [query.has_video === 'true'],
      limit: query.limit,
    },
    { signal },
  );
  const ads = await ledger.transaction(
    (tx) =>
      findAnalysedAds(
        tx,
        profileId,
        scores.map(({ ad_id }) => ad_id),
      ),
    { readOnly: true },
  );
  return scores.flatMap((score) => {
    const ad = ads.get(score.ad_id);
    return ad ? [toAdResponse(score, ad)] : [];
  });
}

function toAdResponse(score: Row<'ad_list_scores'>, ad: StoredAd) {
  const creative = readCreative(ad.creative);
  const figures = shownFigures(score);
  return {
    ad_id: ad.id,
    platform: ad.platform,
    ad_external_id: ad.externalId,
    ad_name: ad.name || ad.externalId,
    campaign_name: ad.campaignName,
    ad_set_name: ad.adSetName,
    creative_thumbnail_url: creative.thumbnailUrl,
    video_id: creative.videoId,
    score_window: ScoreWindow.parse(score.score_window),
    composite_score: score.composite_score,
    top_performer_likelihood: score.likelihood,
    model_version: null,
    score_source: 'rules' as const,
    maturity_stage: MaturityStage.parse(score.maturity_stage),
    truth_grade: TruthGrade.parse(score.truth_grade),
    primary_outcome_kind: OutcomeKind.parse(score.outcome_kind),
    cohort_key: score.cohort_key,
    cohort_objective: score.cohort_objective || null,
    cohort_format: score.cohort_format || null,
    cohort_audience_warmth: score.cohort_warmth || null,
    cohort_n_ads: score.cohort_size,
    hook_type: creative.hookType,
    creative_format: CreativeFormat.parse(score.format),
    cta_type: creative.ctaType,
    primary_angle: creative.primaryAngle,
    offers: [...creative.offers],
    spend: figures.spend,
    impressions: figures.impressions,
    ctr: figures.ctr,
    cpc: figures.cpc,
    attributed_cash_outcomes: figures.attributed_cash_outcomes,
    attributed_revenue: figures.attributed_revenue,
    roas: figures.roas,
    cac: figures.cac,
    attributed_outcomes_total: figures.attributed_outcomes_total,
    attributed_pipeline_outcomes: figures.attributed_pipeline_outcomes,
    attributed_pipeline_value: figures.attributed_pipeline_value,
    meta_reported_conversions: figures.meta_reported_conversions,
    meta_reported_conversion_value: figures.meta_reported_conversion_value,
    cost_per_conversation: figures.cost_per_conversation,
    messaging_conversations_started: figures.messaging_conversations_started,
    first_reply_rate: figures.first_reply_rate,
    avg_engagement_score: score.engagement,
    reason_codes: ReasonCode.array().parse(JSON.parse(score.reason_codes)),
  };
}
