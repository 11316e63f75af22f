import { namesOf } from './names-of.ts';

export const scoreWindows = ['7d', '14d', '28d', 'lifetime'] as const;
export type ScoreWindow = (typeof scoreWindows)[number];
export const defaultScoreWindow = '28d' satisfies ScoreWindow;

/** What an ad should achieve; the platforms' many values are mapped to these five. */
export const objectives = ['messaging', 'sales', 'leads', 'traffic', 'awareness'] as const;
export type Objective = (typeof objectives)[number];

/** Creative formats, and whether each is a video. Other values of a platform become `other`. */
export const creativeFormats = {
  ugc_video: { isVideo: true },
  talking_head: { isVideo: true },
  video: { isVideo: true },
  static: { isVideo: false },
  carousel: { isVideo: false },
  collection: { isVideo: false },
  other: { isVideo: false },
} as const satisfies Record<string, { isVideo: boolean }>;
export type CreativeFormat = keyof typeof creativeFormats;
export const creativeFormatNames = namesOf(creativeFormats);

/** The aspects in which an ad is scored. packages/rules/scoring/weights.ts has the weight of each. */
export const scoreLayers = ['efficiency', 'return', 'engagement', 'stability', 'volume'] as const;
export type ScoreLayer = (typeof scoreLayers)[number];

/** The rates by which ads of a cohort are ranked. Engagement is the mean of two ranks, every other layer is one. */
export const scoredRates = ['efficiency', 'return', 'click_rate', 'hook_rate', 'stability', 'volume'] as const;
export type ScoredRate = (typeof scoredRates)[number];

/** The outcome by which ads of a cohort are scored. */
export const scoredOutcomes = ['cash', 'pipeline', 'messaging', 'all', 'platform', 'none'] as const;
export type ScoredOutcome = (typeof scoredOutcomes)[number];

/** How well the audience of an ad knows the shop: not at all, not but similar to people who do, or well. */
export const audienceWarmths = ['cold', 'lookalike', 'warm'] as const;
export type AudienceWarmth = (typeof audienceWarmths)[number];

/** The traits by which ads are compared. If a cohort is too small, traits are dropped from the last to the first. */
export const cohortDimensions = ['channel', 'objective', 'format', 'warmth', 'geo', 'placement'] as const;
export type CohortDimension = (typeof cohortDimensions)[number];

/** The known traits of a creative and its audience, and their source. */
export const creativeTraits = [...cohortDimensions, 'hook_type', 'cta_type', 'primary_angle'] as const;
export type CreativeTrait = (typeof creativeTraits)[number];
export const traitSources = ['analysis', 'platform', 'nobody'] as const;
export type TraitSource = (typeof traitSources)[number];

/** The rank of an ad relative to another in a list. */
export const relativeRanks = ['below', 'equal', 'above'] as const;
export type LayerPercentiles = (typeof relativeRanks)[number];

/** Whether a layer is a strength or weakness, and the confidence of that. */
export const reasonPolarities = ['strength', 'weakness'] as const;
export type ReasonPolarity = (typeof reasonPolarities)[number];
export const sampleConfidences = ['low', 'medium', 'high'] as const;
export type SampleConfidence = (typeof sampleConfidences)[number];

export const truthGrades = ['predicted', 'attributed', 'lift'] as const;
export type TruthGrade = (typeof truthGrades)[number];

/** `meta` is the wire name for the ad platform's own count, for every platform. */
export const outcomeKinds = ['cash', 'pipeline', 'messaging', 'meta', 'none'] as const;
export type OutcomeKind = (typeof outcomeKinds)[number];

export const maturityStages = ['cold', 'early', 'mature', 'calibrated'] as const;
export type MaturityStage = (typeof maturityStages)[number];

export const scoreSources = ['model', 'rules'] as const;
export type ScoreSource = (typeof scoreSources)[number];
