import type { ScoreLayer } from '@tributary/vocabulary';

/** The parameters of ad scores. The rules, the tests and docs/guides/top-performers.md are derived from them. */

/** The layers of a score and their weights. A layer without data leaves its weight to the others. */
export const layers = {
  efficiency: {
    weight: 35,
    meaning: 'outcomes for the money: how many the cohort’s kind of outcome it earned for what it cost',
  },
  return: {
    weight: 25,
    meaning: 'credited value for the money: cash, or the projected value where the cohort earned no cash',
  },
  engagement: {
    weight: 15,
    meaning: 'clicks in a hundred impressions and, of videos, plays of three seconds; the mean of both',
  },
  stability: { weight: 10, meaning: 'the share of its outcomes that did not come on its best day; needs two outcomes' },
  volume: { weight: 15, meaning: 'how many outcomes it earned; where the cohort earned none, how often it was shown' },
} as const satisfies Record<ScoreLayer, { readonly weight: number; readonly meaning: string }>;

/** The minimum number of ads for a comparison within a cohort. */
export const smallestCohort = 20;

/**
 * This many clicks are as much evidence as one outcome: an ad with a thousand clicks and no purchase is not unknown.
 */
export const clicksPerOutcome = 50;

/** With this much evidence, in outcomes, a score is half way between 50 and the blend of its percentiles. */
export const halfEvidence = 10;

/** The likelihood is one half at `middle`, and its odds change by the factor e every `scale` points. */
export const likelihood = { middle: 70, scale: 10 } as const;

/** Percentiles from which a layer is named as a reason. */
export const reasonFrom = { strength: 75, weakness: 25 } as const;

/** The reliability of the evidence from which a reason has medium or high confidence. */
export const confidenceFrom = { medium: 0.5, high: 0.8 } as const;

/** The number of outcomes from which an ad is mature. */
export const matureFrom = 50;
