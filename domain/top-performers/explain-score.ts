import type { Row } from '@tributary/clickhouse';
import type { ExplainedField, Input, Routes } from '@tributary/contract';
import { findFindings } from '@tributary/domain/creatives';
import { isId, plainDecimal, type ReportServices, readCursor, writeCursor } from '@tributary/domain/reports';
import { type ProfileContext, refuse } from '@tributary/operations';
import {
  type AdFigures,
  adStanding,
  clicksPerOutcome,
  compareAds,
  creativeFormatOf,
  halfEvidence,
  keptDimensions,
  likelihoodNumbers,
  objectiveOf,
  percentiles,
  smallestCohort,
  sumAmounts,
  weighLayers,
} from '@tributary/rules';
import {
  type CreativeTrait,
  type PercentileField,
  percentileFields,
  type ScoredRate,
  type ScoreField,
  type Standing,
  scoredRates,
  scoreFields,
  type TraitSource,
} from '@tributary/vocabulary';
import { readCreative } from './creative.ts';

import { findLookedAt } from './find-ads.ts';
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
  efficiency_percentile: placeBy('outcomes for what it cost'),
  return_percentile: placeBy('credited value for what it cost'),
  click_rate_percentile: placeBy('clicks for each impression'),
  hook_rate_percentile: placeBy('plays of three seconds for each impression'),
  stability_percentile: placeBy('the share of its outcomes that did not come on its best day'),
  volume_percentile: placeBy('outcomes, or impressions where the cohort earned none'),
};

function placeBy(figure: string): string {
  return `100 × the sum of the rows / their number, of ads by ${figure}: one for each below it, half for its equals.`;
}

/** A score, worked out again from what the rebuild kept of the ad and of those that it was compared with. */
export async function explainScore(field: ScoreField, scored: Scored, query: Query, context: Services) {
  const { score } = scored;
  const cohort = await findCohort(scored, query, context);
  const compared = compareAds(cohort.map(figuresOf));
  const index = cohort.findIndex(({ ad_id }) => ad_id === score.ad_id);
  const placeOf = (rate: ScoredRate): number | null => percentiles(compared.rates[rate])[index] ?? null;
  const places = Object.fromEntries(scoredRates.map((rate) => [rate, placeOf(rate)])) as Record<
    ScoredRate,
    number | null
  >;
  const evidence = compared.evidence[index] ?? 0;
  const standing = adStanding(places, evidence);
  const shownOf = (asked: ScoreField): string | null => {
    const value = isPercentile(asked) ? rounded(places[rateOf(asked)]) : stored(asked, score);
    return value === null ? null : plainDecimal(value);
  };
  const isEnough = score.composite_score !== null && index >= 0;
  const layers = field === 'composite_score' && isEnough ? layersOf(standing) : [];
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
      working: await workingOf(scored, { outcome: compared.outcome, evidence, trust: standing.trust }, query, context),
      row_count: layers.length + page.rowCount,
      contributes: layers.length > 0 ? sumAmounts(layers.map(({ contributes }) => contributes)) : page.contributes,
      exclusions: score.traits_key === '' ? [keptLater] : [],
    },
    pagination: page.pagination,
  };
}

/** Scores of before its figures were kept have nothing to be worked out from. */
const keptLater = {
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

/** What a figure is worked out from that can be asked for itself. */
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

/** An ad as it was scored, with those that it was compared with. */
async function findCohort({ score }: Scored, { window }: Query, { caller, clickhouse, signal }: Services) {
  if (score.traits_key === '') return [];
  const asked = { profile_id: caller.profileId, score_window: window, cohort_key: score.cohort_key };
  return clickhouse.query('ad_list_cohort', asked, { signal });
}

type ScoreRow = Row<'ad_list_cohort'>;

/** The very figures that the rebuild compared, in as far as they play a part. */
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

const layersOf = (standing: ReturnType<typeof adStanding>) =>
  weighLayers(standing).map(({ layer, place, weight, share }) => ({
    layer,
    weight,
    percentile: rounded(place) ?? 0,
    contributes: (share * (50 + (place - 50) * standing.trust)).toFixed(10),
  }));

const noPage = { rows: [], rowCount: 0, contributes: '0', pagination: { has_next: false, cursor: null } };

const worth: Readonly<Record<Standing, string>> = { below: '1', equal: '0.5', above: '0' };

/** The ads in the order of a figure, the best first, with what each adds to the place of one of them. */
function pageOf(
  cohort: readonly ScoreRow[],
  rates: readonly (number | null)[],
  index: number,
  { limit, cursor }: Query,
) {
  const own = rates[index] ?? null;
  if (own === null) return noPage;
  const sorted = cohort
    .flatMap(({ ad_id }, place) => {
      const figure = rates[place] ?? null;
      if (figure === null) return [];
      const standing: Standing = figure < own ? 'below' : figure === own ? 'equal' : 'above';
      return [{ ad_id, figure, standing, contributes: worth[standing] }];
    })
    .sort((a, b) => b.figure - a.figure || (a.ad_id < b.ad_id ? -1 : 1));
  const from = cursor === undefined ? 0 : placeAfter(sorted, cursor);
  const rows = sorted.slice(from, from + limit);
  const last = rows.at(-1);
  return {
    rows,
    rowCount: sorted.length,
    contributes: sumAmounts(sorted.map(({ contributes }) => contributes)),
    pagination: { has_next: from + limit < sorted.length, cursor: last ? writeCursor(last.ad_id) : null },
  };
}

function placeAfter(sorted: readonly { readonly ad_id: string }[], cursor: string): number {
  const [id] = readCursor(cursor, [isId]);
  const place = sorted.findIndex(({ ad_id }) => ad_id === id);
  if (place < 0)
    refuse('invalid_parameter', 'The ads were scored anew since the page before: begin again.', {
      fields: { field: 'cursor' },
    });
  return place + 1;
}

async function findNames(ids: readonly string[], { caller, ledger }: Services): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const ads = await ledger.transaction((tx) => findLookedAt(tx, caller.profileId, ids), { readOnly: true });
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

/** What the ad is like, and who says so: what an analysis found is laid over what the platform says. */
async function findTraits({ ad_id: id, cohort_key: key }: Scored['score'], { caller, ledger }: Services) {
  const { profileId } = caller;
  const { ad, found } = await ledger.transaction(
    async (tx) => ({
      ad: (await findLookedAt(tx, profileId, [id])).get(id),
      found: (await findFindings(tx, profileId, [id])).get(id),
    }),
    { readOnly: true },
  );
  if (!ad) return [];
  const creative = readCreative(ad.creative);
  const kept: ReadonlySet<string> = keptDimensions(key);
  const source = (value: string | null, looked: unknown): TraitSource =>
    value === null ? 'nobody' : looked ? 'analysis' : 'platform';
  const line = (trait: CreativeTrait, value: string | null, looked?: unknown) => ({
    trait,
    value,
    said_by: source(value, looked),
    is_compared: kept.has(trait),
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
