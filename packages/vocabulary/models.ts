import { namesOf } from './names-of.ts';
import type { MarketingChannel } from './tracking.ts';

/**
 * Models that are fitted to a profile's own data. They are asked for by routes of their own: the attribution models of every report
 * are the specification's, hold for every conversion at once and can be replayed; these need a fit, may be refused, and leave a rest that would have come anyway.
 */
export const fittedModels = {
  data_driven: {
    description:
      'Visits and purchases have causes: credit passes from a visit to what led to it. What nothing led to would have come anyway.',
  },
  markov: { description: 'By what is lost when a source leads nowhere, in a chain from touch to touch.' },
  shapley: { description: 'By what a source adds to every set of the others that people met.' },
} as const satisfies Record<string, { description: string }>;
export type FittedModel = keyof typeof fittedModels;
export const fittedModelNames = namesOf(fittedModels);

/** What can be asked for: the fitted models, and `calibrated`, which is data_driven moved by experiments. */
export const estimatingModels = {
  ...fittedModels,
  calibrated: {
    description:
      'data_driven, moved by what experiments measured: of what was tested, and a little of other campaigns of its tactic.',
  },
} as const satisfies Record<string, { description: string }>;
export type EstimatingModel = keyof typeof estimatingModels;
export const estimatingModelNames = namesOf(estimatingModels);

export const fitStates = ['queued', 'running', 'done', 'refused', 'failed'] as const;
export type FitState = (typeof fitStates)[number];

/** Why there is no figure: of a fit, and of an answer from one. */
export const fitRefusals = {
  too_thin: 'There are too few purchases to learn from.',
  too_little_seen: 'Too little of what was bought has any known touch.',
} as const;
export type FitRefusal = keyof typeof fitRefusals;
export const estimateRefusals = [...namesOf(fitRefusals), 'no_fit', 'stale', 'outside_fit', 'no_test'] as const;
export type EstimateRefusal = (typeof estimateRefusals)[number];

/** What an interval is of: of chance alone, or of the truth as far as tests tell. */
export const intervalBases = ['sampling', 'calibrated'] as const;
export type IntervalBasis = (typeof intervalBases)[number];

/**
 * What a campaign does, in the words of whoever runs it, and how much of the credit of such campaigns is taken to be caused before any test. Of brand search it is
 * little: most would have found the shop anyway (Blake, Nosko and Tadelis 2015). It is shown with every figure that it changes, and a test replaces it.
 */
export const tactics = {
  push: { factor: 1, channels: [] },
  search: { factor: 1, channels: ['paid_search', 'shopping'] },
  brand: { factor: 0.15, channels: [] },
  retargeting: { factor: 1, channels: [] },
  coupon: { factor: 1, channels: ['affiliate'] },
  owned: { factor: 1, channels: ['email', 'sms', 'messaging'] },
} as const satisfies Record<string, Tactic>;

interface Tactic {
  readonly factor: number;
  /** What comes by these channels and is not named otherwise seems to be such a campaign. */
  readonly channels: readonly MarketingChannel[];
}

export type TacticName = keyof typeof tactics;
export const tacticNames = namesOf(tactics);

/** What advice says of a budget, and why there is none. */
export const adviceActions = ['raise', 'lower'] as const;
export type AdviceAction = (typeof adviceActions)[number];
export const adviceReasons = [...estimateRefusals, 'nothing_spent', 'nothing_sure'] as const;
export type AdviceReason = (typeof adviceReasons)[number];
