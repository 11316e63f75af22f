import type { AdScoreRow, Row } from '@tributary/clickhouse';
import type { KnownAd } from '@tributary/domain/campaigns';
import { listValidTests } from '@tributary/domain/experiments';
import { findProfile, type ProfileFacts } from '@tributary/domain/tenants';
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
import { findLookedAt } from './find-ads.ts';
import { liftTested } from './lift-tested.ts';
import { type Engines, readFigures, type WindowFigures } from './read-figures.ts';
import { markRebuilt, type RebuiltWindow } from './store.ts';
import { type WindowOfDays, windowsOf } from './windows.ts';

/** Scores all ads of a profile in every window, and resolves to how many there are in each; undefined where there is no such profile. */
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

/** Ads that experiments have measured, at about the spend of the usual window. */
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
  const { told } = await readFigures(engines, profileId, profile, window, signal);
  const ids = told.map(({ ad_id }) => ad_id);
  const known = await readAds(engines.app, profileId, ids);
  return liftTested(tests, told, known, daysOf(window.firstDay, window.lastDay).length);
}

async function scoreWindow(
  engines: Engines,
  profileId: string,
  profile: ProfileFacts,
  window: WindowOfDays,
  { told }: WindowFigures,
  tested: ReadonlySet<string>,
  now: Date,
): Promise<AdScoreRow[]> {
  const known = await readAds(
    engines.app,
    profileId,
    told.map(({ ad_id }) => ad_id),
  );
  const ads = told.flatMap((row) => {
    const ad = known.get(row.ad_id);
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

const adsOfQuery = 5_000;

async function readAds(app: Postgres, profileId: string, ids: readonly string[]): Promise<Map<string, KnownAd>> {
  const known = new Map<string, KnownAd>();
  for (let from = 0; from < ids.length; from += adsOfQuery) {
    const found = await app
      .forProfile(profileId)
      .transaction((tx) => findLookedAt(tx, profileId, ids.slice(from, from + adsOfQuery)), { readOnly: true });
    for (const [id, ad] of found) known.set(id, ad);
  }
  return known;
}

interface ScoredAd extends AdFigures {
  readonly told: Row<'ad_list_figures'>;
  readonly hasVideo: boolean;
}

function figuresOf(told: Row<'ad_list_figures'>, ad: KnownAd, currency: string, isLiftTested: boolean): ScoredAd {
  const creative: Creative = readCreative(ad.creative);
  const format = creativeFormatOf(creative.format ?? ad.format);
  const minor = (units: string) => Number(fromMinorUnits(BigInt(units), currency));
  return {
    told,
    hasVideo: isVideo(format) || creative.videoId !== null,
    traits: {
      channel: ad.platform,
      format,
      objective: objectiveOf(ad.objective),
      warmth: creative.audienceWarmth,
      geo: creative.geo,
      placement: creative.placement,
    },
    // As it is shown, so that the score can be worked out again from what is kept.
    spend: Number(costText(told.spend, currency)),
    impressions: Number(told.impressions),
    clicks: Number(told.clicks),
    videoViews: numberOrNull(told.video_views),
    revenue: minor(told.revenue),
    pipelineValue: minor(told.pipeline_value),
    outcomesOfBestDay: Number(told.outcomes_of_best_day),
    earned: {
      total: Number(told.outcomes),
      cash: Number(told.cash_outcomes),
      pipeline: Number(told.pipeline_outcomes),
      messaging: Number(told.messaging_outcomes),
      platformConversions: numberOrNull(claimsOf(told)),
      platformConversations: numberOrNull(told.conversations),
      isLiftTested,
    },
  };
}

const numberOrNull = (value: string | null): number | null => (value === null ? null : Number(value));

function scoreRow(
  { told, traits, earned, hasVideo }: ScoredAd,
  { cohort, composite, likelihood, engagement, reasons }: AdScore<ScoredAd>,
  currency: string,
): Omit<AdScoreRow, 'profile_id' | 'score_window' | 'version'> {
  const kept = (name: Dimension) => (cohort.kept.has(name) ? (traits[name] ?? '') : '');
  const cost = (amount: string) => costText(amount, currency);
  const credit = (units: string) => fromMinorUnits(BigInt(units), currency);
  return {
    ad_id: told.ad_id,
    objective: traits.objective ?? '',
    format: traits.format,
    has_video: hasVideo,
    composite_score: composite,
    likelihood,
    maturity_stage: maturityStage(earned),
    truth_grade: truthGrade(earned),
    outcome_kind: primaryOutcomeKind(earned),
    cohort_key: cohort.key,
    cohort_objective: kept('objective'),
    cohort_format: kept('format'),
    cohort_warmth: kept('warmth'),
    cohort_size: cohort.ads.length,
    reason_codes: JSON.stringify(reasons),
    engagement,
    spend: cost(told.spend),
    impressions: told.impressions,
    clicks: told.clicks,
    outcomes: told.outcomes,
    cash_outcomes: told.cash_outcomes,
    revenue: credit(told.revenue),
    pipeline_outcomes: told.pipeline_outcomes,
    pipeline_value: credit(told.pipeline_value),
    platform_conversions: claimsOf(told),
    platform_value: told.platform_value && cost(told.platform_value),
    conversations: told.conversations,
    first_replies: told.first_replies,
    traits_key: cohortKey(traits),
    video_views: told.video_views,
    messaging_outcomes: told.messaging_outcomes,
    outcomes_of_best_day: told.outcomes_of_best_day,
  };
}

const costText = (amount: string, currency: string): string => fromMinorUnits(toMinorUnits(amount, currency), currency);

/** A platform may count in parts of a conversion. */
const claimsOf = ({ platform_conversions: count }: Row<'ad_list_figures'>): string | null =>
  count && Number(count).toFixed(4);

/** Stands for no ad: the row that says that a window was rebuilt, also when it holds no ads. */
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
