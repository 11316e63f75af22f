import { namesOf } from './names-of.ts';

export const scoreWindows = ['7d', '14d', '28d', 'lifetime'] as const;
export type ScoreWindow = (typeof scoreWindows)[number];
export const defaultScoreWindow = '28d' satisfies ScoreWindow;

/** What an ad is to bring, in the five words that platforms' many mean. */
export const objectives = ['messaging', 'sales', 'leads', 'traffic', 'awareness'] as const;
export type Objective = (typeof objectives)[number];

/** What a creative can be, and whether it moves. A platform's other words become `other`. */
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

/** What an ad is looked at for. packages/rules/scoring/weights.ts says how much each is worth. */
export const scoreLayers = ['efficiency', 'return', 'engagement', 'stability', 'volume'] as const;
export type ScoreLayer = (typeof scoreLayers)[number];

/** What ads of a cohort are put in order by. Engagement is the mean of two places, every other layer is one. */
export const scoredRates = ['efficiency', 'return', 'click_rate', 'hook_rate', 'stability', 'volume'] as const;
export type ScoredRate = (typeof scoredRates)[number];

/** The outcome that ads of a cohort are for. */
export const scoredOutcomes = ['cash', 'pipeline', 'messaging', 'all', 'platform', 'none'] as const;
export type ScoredOutcome = (typeof scoredOutcomes)[number];

/** How well those know the shop that an ad is shown to: not at all, not but like people who do, or well. */
export const audienceWarmths = ['cold', 'lookalike', 'warm'] as const;
export type AudienceWarmth = (typeof audienceWarmths)[number];

/** What ads are compared by. Where too few are alike, these are let go from the last to the first. */
export const cohortDimensions = ['channel', 'objective', 'format', 'warmth', 'geo', 'placement'] as const;
export type CohortDimension = (typeof cohortDimensions)[number];

/** What is known of a creative and its audience, and who said it. */
export const creativeTraits = [...cohortDimensions, 'hook_type', 'cta_type', 'primary_angle'] as const;
export type CreativeTrait = (typeof creativeTraits)[number];
export const traitSources = ['analysis', 'platform', 'nobody'] as const;
export type TraitSource = (typeof traitSources)[number];

/** Where an ad stands in a list beside another. */
export const standings = ['below', 'equal', 'above'] as const;
export type Standing = (typeof standings)[number];

/** What a reason says of a layer, and how sure it is. */
export const reasonPolarities = ['strength', 'weakness'] as const;
export type ReasonPolarity = (typeof reasonPolarities)[number];
export const sampleConfidences = ['low', 'medium', 'high'] as const;
export type SampleConfidence = (typeof sampleConfidences)[number];

export const truthGrades = ['predicted', 'attributed', 'lift'] as const;
export type TruthGrade = (typeof truthGrades)[number];

/** `meta` is a wire name for the ad platform's own count, whichever platform it is. */
export const outcomeKinds = ['cash', 'pipeline', 'messaging', 'meta', 'none'] as const;
export type OutcomeKind = (typeof outcomeKinds)[number];

export const maturityStages = ['cold', 'early', 'mature', 'calibrated'] as const;
export type MaturityStage = (typeof maturityStages)[number];

export const scoreSources = ['model', 'rules'] as const;
export type ScoreSource = (typeof scoreSources)[number];
