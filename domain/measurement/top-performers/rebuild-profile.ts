import type { AdScoreRow, Row } from '@tributary/clickhouse';
import type { StoredAd } from '@tributary/domain/advertising/campaigns';
import { listValidTests } from '@tributary/domain/measurement/experiments';
import { findProfile, type ProfileFacts } from '@tributary/domain/tenancy/tenants';
import type { Postgres } from '@tributary/postgres';
import {
  type AdFigures,
  type AdScore,
  cohortKey,
  creativeFormatOf,
  type Dimension,
  daysOf,
  fromMinorUnits,
  isVideo,
  maturityStage,
  objectiveOf,
  primaryOutcomeKind,
  scoreAds,
  toMinorUnits,
  truthGrade,
} from '@tributary/rules';
import { defaultScoreWindow, nilUuid } from '@tributary/vocabulary';
import { type Creative, readCreative } from './creative.ts';
import { findAnalysedAds } from './find-ads.ts';
import { liftTested } from './lift-tested.ts';
import { type Engines, readFigures, type WindowFigures } from './read-figures.ts';
import { markRebuilt, type RebuiltWindow } from './store.ts';
import { type WindowOfDays, windowsOf } from './windows.ts';

/** Scores all ads of a profile in every window. Returns the number of ads per window; undefined if the profile does not exist. */
export async function rebuildProfile(
  engines: Engines,
  profileId: string,
  now: Date,
  signal: AbortSignal,
): Promise<Record<string, number> | undefined> {
  const { app, clickhouse } = engines;
  const profile = await app.forProfile(profileId).transaction((tx) => findProfile(tx, profileId), { readOnly: true });
  if (!profile) return undefined;
  const counts: Record<string, number> = {};
  const windows = windowsOf(now, profile.timeZone);
  const tested = await findTested(engines, profileId, profile, windows, now, signal);
  const rebuilt: Record<string, RebuiltWindow> = {};
  for (const window of windows) {
    signal.throwIfAborted();
    const figures = await readFigures(engines, profileId, profile, window, signal);
    const rows = await scoreWindow(engines, profileId, profile, window, figures, tested, now);
    counts[window.name] = rows.length;
    const { name, firstDay, lastDay } = window;
    rebuilt[name] = { firstDay, lastDay, currency: profile.currency, exclusions: await figures.findExclusions() };
    await clickhouse.insert('ad_scores', [...rows, markerOf(profileId, window, now)], { signal });
  }
  await markRebuilt(app, profileId, now, rebuilt);
  return counts;
}

/** Ads measured by experiments, at about the spend of the default window. */
async function findTested(
  engines: Engines,
  profileId: string,
  profile: ProfileFacts,
  windows: readonly WindowOfDays[],
  now: Date,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const ledger = engines.app.forProfile(profileId);
  const tests = await ledger.transaction((tx) => listValidTests(tx, profileId, now), { readOnly: true });
  const window = windows.find(({ name }) => name === defaultScoreWindow);
  if (tests.length === 0 || !window) return new Set();
  const { figures } = await readFigures(engines, profileId, profile, window, signal);
  const ids = figures.map(({ ad_id }) => ad_id);
  const ads = await readAds(engines.app, profileId, ids);
  return liftTested(tests, figures, ads, daysOf(window.firstDay, window.lastDay).length);
}

async function scoreWindow(
  engines: Engines,
  profileId: string,
  profile: ProfileFacts,
  window: WindowOfDays,
  { figures }: WindowFigures,
  tested: ReadonlySet<string>,
  now: Date,
): Promise<AdScoreRow[]> {
  const adById = await readAds(
    engines.app,
    profileId,
    figures.map(({ ad_id }) => ad_id),
  );
  const ads = figures.flatMap((row) => {
    const ad = adById.get(row.ad_id);
    return ad ? [figuresOf(row, ad, profile.currency, tested.has(row.ad_id))] : [];
  });
  const scores = scoreAds(ads);
  return ads.map((ad) => ({
    profile_id: profileId,
    score_window: window.name,
    version: now.getTime(),
    ...scoreRow(ad, scores.get(ad) as AdScore<ScoredAd>, profile.currency),
  }));
}

const adsPerQuery = 5_000;

async function readAds(app: Postgres, profileId: string, ids: readonly string[]): Promise<Map<string, StoredAd>> {
  const ads = new Map<string, StoredAd>();
  for (let from = 0; from < ids.length; from += adsPerQuery) {
    const found = await app
      .forProfile(profileId)
      .transaction((tx) => findAnalysedAds(tx, profileId, ids.slice(from, from + adsPerQuery)), { readOnly: true });
    for (const [id, ad] of found) ads.set(id, ad);
  }
  return ads;
}

interface ScoredAd extends AdFigures {
  readonly figures: Row<'ad_list_figures'>;
  readonly hasVideo: boolean;
}

function figuresOf(figures: Row<'ad_list_figures'>, ad: StoredAd, currency: string, isLiftTested: boolean): ScoredAd {
  const creative: Creative = readCreative(ad.creative);
  const format = creativeFormatOf(creative.format ?? ad.format);
  const minor = (units: string) => Number(fromMinorUnits(BigInt(units), currency));
  return {
    figures,
    hasVideo: isVideo(format) || creative.videoId !== null,
    traits: {
      channel: ad.platform,
      format,
      objective: objectiveOf(ad.objective),
      warmth: creative.audienceWarmth,
      geo: creative.geo,
      placement: creative.placement,
    },
    // Rounded as displayed, so that the score can be recomputed from the stored figures.
    spend: Number(costText(figures.spend, currency)),
    impressions: Number(figures.impressions),
    clicks: Number(figures.clicks),
    videoViews: numberOrNull(figures.video_views),
    revenue: minor(figures.revenue),
    pipelineValue: minor(figures.pipeline_value),
    outcomesOfBestDay: Number(figures.outcomes_of_best_day),
    earned: {
      total: Number(figures.outcomes),
      cash: Number(figures.cash_outcomes),
      pipeline: Number(figures.pipeline_outcomes),
      messaging: Number(figures.messaging_outcomes),
      platformConversions: numberOrNull(claimsOf(figures)),
      platformConversations: numberOrNull(figures.conversations),
      isLiftTested,
    },
  };
}

const numberOrNull = (value: string | null): number | null => (value === null ? null : Number(value));

function scoreRow(
  { figures, traits, earned, hasVideo }: ScoredAd,
  { cohort, composite, likelihood, engagement, reasons }: AdScore<ScoredAd>,
  currency: string,
): Omit<AdScoreRow, 'profile_id' | 'score_window' | 'version'> {
  const getTrait = (name: Dimension) => (cohort.kept.has(name) ? (traits[name] ?? '') : '');
  const cost = (amount: string) => costText(amount, currency);
  const credit = (units: string) => fromMinorUnits(BigInt(units), currency);
  return {
    ad_id: figures.ad_id,
    objective: traits.objective ?? '',
    format: traits.format,
    has_video: hasVideo,
    composite_score: composite,
    likelihood,
    maturity_stage: maturityStage(earned),
    truth_grade: truthGrade(earned),
    outcome_kind: primaryOutcomeKind(earned),
    cohort_key: cohort.key,
    cohort_objective: getTrait('objective'),
    cohort_format: getTrait('format'),
    cohort_warmth: getTrait('warmth'),
    cohort_size: cohort.ads.length,
    reason_codes: JSON.stringify(reasons),
    engagement,
    spend: cost(figures.spend),
    impressions: figures.impressions,
    clicks: figures.clicks,
    outcomes: figures.outcomes,
    cash_outcomes: figures.cash_outcomes,
    revenue: credit(figures.revenue),
    pipeline_outcomes: figures.pipeline_outcomes,
    pipeline_value: credit(figures.pipeline_value),
    platform_conversions: claimsOf(figures),
    platform_value: figures.platform_value && cost(figures.platform_value),
    conversations: figures.conversations,
    first_replies: figures.first_replies,
    traits_key: cohortKey(traits),
    video_views: figures.video_views,
    messaging_outcomes: figures.messaging_outcomes,
    outcomes_of_best_day: figures.outcomes_of_best_day,
  };
}

const costText = (amount: string, currency: string): string => fromMinorUnits(toMinorUnits(amount, currency), currency);

/** Platforms may report fractions of a conversion. */
const claimsOf = ({ platform_conversions: count }: Row<'ad_list_figures'>): string | null =>
  count && Number(count).toFixed(4);

/** The row without an ad that marks a window as rebuilt, even when it has no ads. */
const markerOf = (profileId: string, window: WindowOfDays, now: Date): AdScoreRow => ({
  profile_id: profileId,
  score_window: window.name,
  ad_id: nilUuid,
  version: now.getTime(),
  objective: '',
  format: '',
  has_video: false,
  composite_score: null,
  likelihood: 0,
  maturity_stage: '',
  truth_grade: '',
  outcome_kind: '',
  cohort_key: '',
  cohort_objective: '',
  cohort_format: '',
  cohort_warmth: '',
  cohort_size: 0,
  reason_codes: '[]',
  engagement: null,
  spend: '0',
  impressions: '0',
  clicks: '0',
  outcomes: '0',
  cash_outcomes: '0',
  revenue: '0',
  pipeline_outcomes: '0',
  pipeline_value: '0',
  platform_conversions: null,
  platform_value: null,
  conversations: null,
  first_replies: null,
  traits_key: '',
  video_views: null,
  messaging_outcomes: '0',
  outcomes_of_best_day: '0',
});
