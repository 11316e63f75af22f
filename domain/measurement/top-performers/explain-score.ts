import type { Row } from '@tributary/clickhouse';
import type { ExplainedField, Input, Routes } from '@tributary/contract';
import { findFindings } from '@tributary/domain/advertising/creatives';
import {
  isId,
  plainDecimal,
  type ReportServices,
  readCursor,
  writeCursor,
} from '@tributary/domain/measurement/reports';
import { type ProfileContext, refuse } from '@tributary/operations';
import {
  type AdFigures,
  adPercentiles,
  clicksPerOutcome,
  cohortDimensionsOf,
  compareAds,
  creativeFormatOf,
  halfEvidence,
  likelihoodNumbers,
  objectiveOf,
  percentiles,
  smallestCohort,
  sumAmounts,
  weighLayers,
} from '@tributary/rules';
import {
  type CreativeTrait,
  type LayerPercentiles,
  type PercentileField,
  percentileFields,
  type ScoredRate,
  type ScoreField,
  scoredRates,
  scoreFields,
  type TraitSource,
} from '@tributary/vocabulary';
import { readCreative } from './creative.ts';

import { findAnalysedAds } from './find-ads.ts';
import type { Scored } from './scored.ts';
import { numberOrNull } from './shown-figures.ts';

type Query = Input<Routes['explain']>['query'];
type Services = ProfileContext & ReportServices;

export const isScoreField = (field: ExplainedField): field is ScoreField =>
  (scoreFields as readonly string[]).includes(field);
const isPercentile = (field: ScoreField): field is PercentileField =>
  (percentileFields as readonly string[]).includes(field);

const formulas: Readonly<Record<ScoreField, string>> = {
  composite_score:
    'The sum over the layers of share × (50 + (percentile − 50) × trust), where a layer’s share is its weight of those of which something is known.',
  top_performer_likelihood: `1 / (1 + e^((${likelihoodNumbers.middle} − composite_score) / ${likelihoodNumbers.scale})); without a score that of 50.`,
  avg_engagement_score: 'The mean of the places by click rate and by hook rate, as far as they are known.',
  efficiency_percentile: percentileFormula('outcomes for what it cost'),
  return_percentile: percentileFormula('credited value for what it cost'),
  click_rate_percentile: percentileFormula('clicks for each impression'),
  hook_rate_percentile: percentileFormula('plays of three seconds for each impression'),
  stability_percentile: percentileFormula('the share of its outcomes that did not come on its best day'),
  volume_percentile: percentileFormula('outcomes, or impressions where the cohort earned none'),
};

function percentileFormula(figure: string): string {
  return `100 × the sum of the rows / their number, of ads by ${figure}: one for each below it, half for its equals.`;
}

/** Recomputes a score from the figures that the rebuild stored for the ad and its cohort. */
export async function explainScore(field: ScoreField, scored: Scored, query: Query, context: Services) {
  const { score } = scored;
  const cohort = await findCohort(scored, query, context);
  const compared = compareAds(cohort.map(figuresOf));
  const index = cohort.findIndex(({ ad_id }) => ad_id === score.ad_id);
  const percentileOf = (rate: ScoredRate): number | null => percentiles(compared.rates[rate])[index] ?? null;
  const percentileByRate = Object.fromEntries(scoredRates.map((rate) => [rate, percentileOf(rate)])) as Record<
    ScoredRate,
    number | null
  >;
  const evidence = compared.evidence[index] ?? 0;
  const adScore = adPercentiles(percentileByRate, evidence);
  const shownOf = (part: ScoreField): string | null => {
    const value = isPercentile(part) ? rounded(percentileByRate[rateOf(part)]) : stored(part, score);
    return value === null ? null : plainDecimal(value);
  };
  const isEnough = score.composite_score !== null && index >= 0;
  const layers = field === 'composite_score' && isEnough ? layersOf(adScore) : [];
  const page = isPercentile(field) && isEnough ? pageOf(cohort, compared.rates[rateOf(field)], index, query) : noPage;
  const names = await findNames(
    page.rows.map(({ ad_id }) => ad_id),
    context,
  );
  const rows = page.rows.map((row) => ({ ...row, ad_name: names.get(row.ad_id) ?? '' }));
  return {
    data: {
      field,
      value: isPercentile(field) && !isEnough ? null : shownOf(field),
      unit: field === 'top_performer_likelihood' ? ('ratio' as const) : ('points' as const),
      formula: formulas[field],
      parts: isEnough ? partsOf(field).map((part) => ({ field: part, value: shownOf(part) })) : [],
      conversions: [],
      delivery: [],
      layers,
      cohort: rows,
      working: await workingOf(scored, { outcome: compared.outcome, evidence, trust: adScore.trust }, query, context),
      row_count: layers.length + page.rowCount,
      contributes: layers.length > 0 ? sumAmounts(layers.map(({ contributes }) => contributes)) : page.contributes,
      exclusions: score.traits_key === '' ? [withoutFigures] : [],
    },
    pagination: page.pagination,
  };
}

/** Older scores were stored without the figures needed to recompute them. */
const withoutFigures = {
  reason: 'not_kept',
  count: 1,
  meaning: 'It was scored before its working was kept: the next night’s scores have it.',
};

const rateOf = (field: PercentileField): ScoredRate => scoredRates[percentileFields.indexOf(field)] as ScoredRate;
const rounded = (place: number | null): number | null => (place === null ? null : Number(place.toFixed(1)));

function stored(field: Exclude<ScoreField, PercentileField>, score: Scored['score']): number | null {
  switch (field) {
    case 'composite_score':
      return score.composite_score;
    case 'top_performer_likelihood':
      return score.likelihood;
    case 'avg_engagement_score':
      return score.engagement;
  }
}

/** The figures that a score is computed from and that can be explained themselves. */
function partsOf(field: ScoreField): ScoreField[] {
  switch (field) {
    case 'top_performer_likelihood':
      return ['composite_score'];
    case 'avg_engagement_score':
      return ['click_rate_percentile', 'hook_rate_percentile'];
    default:
      return [];
  }
}

/** The ad as scored, with its cohort. */
async function findCohort({ score }: Scored, { window }: Query, { caller, clickhouse, signal }: Services) {
  if (score.traits_key === '') return [];
  const parameters = { profile_id: caller.profileId, score_window: window, cohort_key: score.cohort_key };
  return clickhouse.query('ad_list_cohort', parameters, { signal });
}

type ScoreRow = Row<'ad_list_cohort'>;

/** The figures that the rebuild compared, as far as they matter. */
function figuresOf(row: ScoreRow): AdFigures {
  return {
    traits: { channel: '', format: '', objective: row.objective || null, warmth: null, geo: null, placement: null },
    spend: Number(row.spend),
    impressions: Number(row.impressions),
    clicks: Number(row.clicks),
    videoViews: numberOrNull(row.video_views),
    revenue: Number(row.revenue),
    pipelineValue: Number(row.pipeline_value),
    outcomesOfBestDay: Number(row.outcomes_of_best_day),
    earned: {
      total: Number(row.outcomes),
      cash: Number(row.cash_outcomes),
      pipeline: Number(row.pipeline_outcomes),
      messaging: Number(row.messaging_outcomes),
      platformConversions: numberOrNull(row.platform_conversions),
      platformConversations: numberOrNull(row.conversations),
      isLiftTested: false,
    },
  };
}

const layersOf = (standing: ReturnType<typeof adPercentiles>) =>
  weighLayers(standing).map(({ layer, place, weight, share }) => ({
    layer,
    weight,
    percentile: rounded(place) ?? 0,
    contributes: (share * (50 + (place - 50) * standing.trust)).toFixed(10),
  }));

const noPage = { rows: [], rowCount: 0, contributes: '0', pagination: { has_next: false, cursor: null } };

const contributionOf: Readonly<Record<LayerPercentiles, string>> = { below: '1', equal: '0.5', above: '0' };

/** One page of the cohort sorted by a figure, best first, with each ad's contribution to the percentile. */
function pageOf(
  cohort: readonly ScoreRow[],
  rates: readonly (number | null)[],
  index: number,
  { limit, cursor }: Query,
) {
  const own = rates[index] ?? null;
  if (own === null) return noPage;
  const sorted = cohort
    .flatMap(({ ad_id }, at) => {
      const figure = rates[at] ?? null;
      if (figure === null) return [];
      const rank: LayerPercentiles = figure < own ? 'below' : figure === own ? 'equal' : 'above';
      return [{ ad_id, figure, standing: rank, contributes: contributionOf[rank] }];
    })
    .sort((a, b) => b.figure - a.figure || (a.ad_id < b.ad_id ? -1 : 1));
  const from = cursor === undefined ? 0 : indexAfter(sorted, cursor);
  const rows = sorted.slice(from, from + limit);
  const last = rows.at(-1);
  return {
    rows,
    rowCount: sorted.length,
    contributes: sumAmounts(sorted.map(({ contributes }) => contributes)),
    pagination: { has_next: from + limit < sorted.length, cursor: last ? writeCursor(last.ad_id) : null },
  };
}

function indexAfter(sorted: readonly { readonly ad_id: string }[], cursor: string): number {
  const [id] = readCursor(cursor, [isId]);
  const index = sorted.findIndex(({ ad_id }) => ad_id === id);
  if (index < 0)
    refuse('invalid_parameter', 'The ads were scored anew since the page before: begin again.', {
      fields: { field: 'cursor' },
    });
  return index + 1;
}

async function findNames(ids: readonly string[], { caller, ledger }: Services): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const ads = await ledger.transaction((tx) => findAnalysedAds(tx, caller.profileId, ids), { readOnly: true });
  return new Map([...ads].map(([id, { name, externalId }]) => [id, name || externalId]));
}

async function workingOf(
  { score, at }: Scored,
  of: Pick<ReturnType<typeof compareAds>, 'outcome'> & { readonly evidence: number; readonly trust: number },
  { window }: Query,
  context: Services,
) {
  return {
    score_window: window,
    scored_at: at.toISOString(),
    cohort_key: score.cohort_key,
    cohort_n_ads: score.cohort_size,
    smallest_cohort: smallestCohort,
    outcome: of.outcome,
    evidence: of.evidence,
    clicks_per_outcome: clicksPerOutcome,
    half_evidence: halfEvidence,
    trust: of.trust,
    traits: await findTraits(score, context),
  };
}

/** The ad's traits with their source. Findings of the creative analysis override the platform's values. */
async function findTraits({ ad_id: id, cohort_key: key }: Scored['score'], { caller, ledger }: Services) {
  const { profileId } = caller;
  const { ad, found } = await ledger.transaction(
    async (tx) => ({
      ad: (await findAnalysedAds(tx, profileId, [id])).get(id),
      found: (await findFindings(tx, profileId, [id])).get(id),
    }),
    { readOnly: true },
  );
  if (!ad) return [];
  const creative = readCreative(ad.creative);
  const comparedTraits: ReadonlySet<string> = cohortDimensionsOf(key);
  const source = (value: string | null, isAnalysed: unknown): TraitSource =>
    value === null ? 'nobody' : isAnalysed ? 'analysis' : 'platform';
  const line = (trait: CreativeTrait, value: string | null, isAnalysed?: unknown) => ({
    trait,
    value,
    said_by: source(value, isAnalysed),
    is_compared: comparedTraits.has(trait),
  });
  return [
    line('channel', ad.platform),
    line('format', creativeFormatOf(creative.format ?? ad.format), found?.creative_format),
    line('objective', objectiveOf(ad.objective)),
    line('warmth', creative.audienceWarmth),
    line('geo', creative.geo),
    line('placement', creative.placement),
    line('hook_type', creative.hookType, found?.hook_type),
    line('cta_type', creative.ctaType, found?.cta_type),
    line('primary_angle', creative.primaryAngle, found?.primary_angle),
  ];
}
