import { namesOf } from './names-of.ts';
import type { MarketingChannel } from './tracking.ts';

/**
 * Models fitted to a profile's own data, with routes of their own. The attribution models of reports are fixed by the
 * specification, apply to every conversion and can be replayed. Fitted models need a fit, may be refused, and
 * attribute a remainder to no touch (organic).
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

/**
 * The models that can be requested: the fitted ones, and `calibrated`, which is data_driven adjusted by experiments.
 */
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

/** Why there is no figure, for a fit and for a response based on one. */
export const fitRefusals = {
  too_thin: 'There are too few purchases to learn from.',
  too_little_seen: 'Too little of what was bought has any known touch.',
} as const;
export type FitRefusal = keyof typeof fitRefusals;
export const estimateRefusals = [...namesOf(fitRefusals), 'no_fit', 'stale', 'outside_fit', 'no_test'] as const;
export type EstimateRefusal = (typeof estimateRefusals)[number];

/** What a confidence interval covers: sampling error only, or the true effect as far as experiments measured it. */
export const intervalBases = ['sampling', 'calibrated'] as const;
export type IntervalBasis = (typeof intervalBases)[number];

/**
 * What a campaign does, as declared by its operator, and the share of its credit assumed to be caused before any
 * test. For brand search it is small: most customers would have found the shop anyway (Blake, Nosko and Tadelis
 * 2015). It is shown with every figure that it changes, and a test replaces it.
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
  /** Undeclared campaigns of these channels are assumed to have this tactic. */
  readonly channels: readonly MarketingChannel[];
}

export type TacticName = keyof typeof tactics;
export const tacticNames = namesOf(tactics);

/** The recommendation for a budget, and why there is none. */
export const adviceActions = ['raise', 'lower'] as const;
export type AdviceAction = (typeof adviceActions)[number];
export const adviceReasons = [...estimateRefusals, 'nothing_spent', 'nothing_sure'] as const;
export type AdviceReason = (typeof adviceReasons)[number];
