import {
  type ReasonPolarity,
  type SampleConfidence,
  type ScoredOutcome,
  type ScoredRate,
  type ScoreLayer,
  scoredRates,
  scoreLayers,
} from '@tributary/vocabulary';
import { type Cohort, cohortsOf, type Traits } from './cohort.ts';
import type { EarnedOutcomes } from './outcomes.ts';
import { percentiles } from './percentile.ts';
import { clicksPerOutcome, confidenceFrom, halfEvidence, layers, likelihood, reasonFrom } from './weights.ts';

/** The figures of an ad over a window. Money is in the reporting currency. */
export interface AdFigures {
  readonly traits: Traits;
  readonly spend: number;
  readonly impressions: number;
  readonly clicks: number;
  /** Null: not reported, or no video. */
  readonly videoViews: number | null;
  readonly earned: EarnedOutcomes;
  readonly revenue: number;
  readonly pipelineValue: number;
  /** The number of outcomes on the day with the most outcomes. */
  readonly outcomesOfBestDay: number;
}

export interface ReasonCode {
  readonly layer: ScoreLayer;
  readonly polarity: ReasonPolarity;
  readonly percentile: number;
  readonly sample_confidence: SampleConfidence;
}

export interface AdScore<Ad> {
  readonly cohort: Cohort<Ad>;
  /** 0 to 100; null if the cohort is too small. */
  readonly composite: number | null;
  readonly likelihood: number;
  /** 0 to 100; null if unknown. */
  readonly engagement: number | null;
  /** The layers that stand out, most first. */
  readonly reasons: readonly ReasonCode[];
}

/** Scores ads within the list; ads outside it have no influence. */
export function scoreAds<Ad extends AdFigures>(ads: readonly Ad[]): Map<Ad, AdScore<Ad>> {
  const percentilesByCohort = new Map<Cohort<Ad>, Map<Ad, AdPercentiles>>();
  const scores = new Map<Ad, AdScore<Ad>>();
  for (const [ad, cohort] of cohortsOf(ads)) {
    if (!cohort.isEnough) {
      scores.set(ad, { cohort, composite: null, likelihood: likelihoodOf(null), engagement: null, reasons: [] });
      continue;
    }
    let ofCohort = percentilesByCohort.get(cohort);
    if (!ofCohort) {
      ofCohort = percentilesOf(cohort.ads);
      percentilesByCohort.set(cohort, ofCohort);
    }
    scores.set(ad, { cohort, ...scoreOf(ofCohort.get(ad) as AdPercentiles) });
  }
  return scores;
}

interface AdPercentiles {
  readonly places: Readonly<Record<ScoreLayer, number | null>>;
  /** The reliability of the evidence: 0 none, 1 full. */
  readonly trust: number;
}

/** The layers with a known percentile, each with its share of the blend. */
export function weighLayers({ places }: Pick<AdPercentiles, 'places'>) {
  const layersWithData = scoreLayers.flatMap((layer) => {
    const place = places[layer];
    return place === null ? [] : [{ layer, place, weight: layers[layer].weight }];
  });
  const weight = layersWithData.reduce((sum, one) => sum + one.weight, 0);
  return layersWithData.map((one) => ({ ...one, share: one.weight / weight }));
}

function scoreOf(percentilesOfAd: AdPercentiles): Omit<AdScore<never>, 'cohort'> {
  const { places, trust } = percentilesOfAd;
  const layersWithData = weighLayers(percentilesOfAd);
  const weight = layersWithData.reduce((sum, one) => sum + one.weight, 0);
  const blend = weight === 0 ? 50 : layersWithData.reduce((sum, one) => sum + one.weight * one.place, 0) / weight;
  // Rounded here, so that the likelihood is derived from the displayed score.
  const composite = round(50 + (blend - 50) * trust, 2);
  const confidence = trust >= confidenceFrom.high ? 'high' : trust >= confidenceFrom.medium ? 'medium' : 'low';
  const reasons = layersWithData
    .filter(({ place }) => place >= reasonFrom.strength || place <= reasonFrom.weakness)
    .sort((a, b) => b.weight * Math.abs(b.place - 50) - a.weight * Math.abs(a.place - 50))
    .map(
      ({ layer, place }): ReasonCode => ({
        layer,
        polarity: place >= reasonFrom.strength ? 'strength' : 'weakness',
        percentile: round(place, 1),
        sample_confidence: confidence,
      }),
    );
  const engagement = places.engagement === null ? null : round(places.engagement, 1);
  return { composite, likelihood: likelihoodOf(composite), engagement, reasons };
}

/** Increases with the score. An ad without a score counts as average. */
const likelihoodOf = (composite: number | null): number =>
  round(1 / (1 + Math.exp(-((composite ?? 50) - likelihood.middle) / likelihood.scale)), 6);

/** The rates that are compared within a cohort, and the evidence for each ad. */
export interface ComparedRates {
  readonly outcome: ScoredOutcome;
  /** Null: unknown for the ad. */
  readonly rates: Readonly<Record<ScoredRate, readonly (number | null)[]>>;
  readonly evidence: readonly number[];
}

export function compareAds(ads: readonly AdFigures[]): ComparedRates {
  const [outcome, countOf] = outcomeOf(ads);
  const outcomes = ads.map(countOf);
  const value = ads.map(valueFunction(ads));
  const hasOutcomes = outcomes.some((count) => count !== null && count > 0);
  const perSpend = (amounts: readonly (number | null)[]) =>
    ads.map(({ spend }, index) => ratio(amounts[index] ?? null, spend));
  return {
    outcome,
    rates: {
      efficiency: perSpend(outcomes),
      return: perSpend(value),
      click_rate: ads.map(({ clicks, impressions }) => ratio(clicks, impressions)),
      hook_rate: ads.map(({ videoViews, impressions }) => ratio(videoViews, impressions)),
      stability: ads.map(({ earned, outcomesOfBestDay }) =>
        earned.total < 2 ? null : (earned.total - outcomesOfBestDay) / earned.total,
      ),
      volume: hasOutcomes ? outcomes : ads.map(({ impressions }) => impressions),
    },
    evidence: ads.map(({ clicks }, index) => (outcomes[index] ?? 0) + clicks / clicksPerOutcome),
  };
}

/** An ad's percentile in each layer. */
export function adPercentiles(places: Readonly<Record<ScoredRate, number | null>>, evidence: number): AdPercentiles {
  const { click_rate, hook_rate, ...others } = places;
  return {
    places: { ...others, engagement: meanOf([click_rate, hook_rate]) },
    trust: evidence / (evidence + halfEvidence),
  };
}

function percentilesOf<Ad extends AdFigures>(ads: readonly Ad[]): Map<Ad, AdPercentiles> {
  const { rates, evidence } = compareAds(ads);
  const byRate = scoredRates.map((rate) => [rate, percentiles(rates[rate])] as const);
  return new Map(
    ads.map((ad, index) => {
      const places = Object.fromEntries(byRate.map(([rate, all]) => [rate, all[index] ?? null]));
      return [ad, adPercentiles(places as Record<ScoredRate, number | null>, evidence[index] ?? 0)];
    }),
  );
}

type Count = (ad: AdFigures) => number | null;

/**
 * The outcome by which a cohort is scored: the one its objective aims at; if no ad has it, all credited outcomes; and
 * if there are none, the platform's own count.
 */
function outcomeOf(ads: readonly AdFigures[]): readonly [ScoredOutcome, Count] {
  const byObjective: Record<string, readonly [ScoredOutcome, Count]> = {
    sales: ['cash', ({ earned }) => earned.cash],
    leads: ['pipeline', ({ earned }) => earned.pipeline],
    messaging: ['messaging', ({ earned }) => Math.max(earned.messaging, earned.platformConversations ?? 0)],
  };
  const objective = ads[0]?.traits.objective ?? '';
  const hasOneObjective = ads.every(({ traits }) => traits.objective === ads[0]?.traits.objective);
  const choices: (readonly [ScoredOutcome, Count])[] = [
    ...(hasOneObjective && byObjective[objective] ? [byObjective[objective]] : []),
    ['all', ({ earned }) => earned.total],
    ['platform', ({ earned }) => earned.platformConversions],
  ];
  return choices.find(([, count]) => ads.some((ad) => (count(ad) ?? 0) > 0)) ?? ['none', () => null];
}

/** Cash, or the projected value if no ad in the cohort earned cash; null if there is neither. */
function valueFunction(ads: readonly AdFigures[]): Count {
  const choices: Count[] = [({ revenue }) => revenue, ({ pipelineValue }) => pipelineValue];
  return choices.find((value) => ads.some((ad) => (value(ad) ?? 0) > 0)) ?? (() => null);
}

const round = (value: number, digits: number): number => Number(value.toFixed(digits));

const ratio = (amount: number | null, of: number): number | null => (amount === null || of <= 0 ? null : amount / of);

function meanOf(places: readonly (number | null)[]): number | null {
  const layersWithData = places.filter((place) => place !== null);
  return layersWithData.length === 0
    ? null
    : layersWithData.reduce((sum, place) => sum + place, 0) / layersWithData.length;
}
