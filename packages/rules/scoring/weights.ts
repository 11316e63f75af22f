import type { ScoreLayer } from '@tributary/vocabulary';

/**
 * How ads are scored, in numbers. Change one here and the rules, the tests and docs/guides/top-performers.md follow; nothing else knows them.
 */

/** What an ad is looked at for, and how much of the blend each is. A layer that nothing is known of leaves its part to the others. */
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

/** A cohort is compared with itself only if it has this many ads. */
export const smallestCohort = 20;

/** So many clicks tell as much of an ad as one outcome: one that nobody bought from after a thousand clicks is not unknown. */
export const clicksPerOutcome = 50;

/** With so much evidence, in outcomes, a score stands half way between 50 and what the figures say. */
export const halfEvidence = 10;

/** The likelihood is one half at `middle`, and changes e-fold in odds every `scale` points. */
export const likelihood = { middle: 70, scale: 10 } as const;

/** Percentiles from which a layer is worth naming. */
export const reasonFrom = { strength: 75, weakness: 25 } as const;

/** How much of the way from 50 the evidence carries, from which a reason is called medium or high. */
export const confidenceFrom = { medium: 0.5, high: 0.8 } as const;

/** Outcomes from which an ad is mature. */
export const matureFrom = 50;
