/** How far the platform's delivery of an ad set has learnt. */
export const learningStages = ['LEARNING', 'SUCCESS', 'FAIL'] as const;
export type LearningStage = (typeof learningStages)[number];
export const isLearningStage = (word: string): word is LearningStage =>
  (learningStages as readonly string[]).includes(word);

/** What became of a row of spend. */
export const spendStatuses = ['recorded', 'updated', 'unchanged'] as const;
export type SpendStatus = (typeof spendStatuses)[number];

/** The reports whose figures can be taken apart. */
export const explainedReports = ['campaigns', 'platform_comparison', 'overview'] as const;
export type ExplainedReport = (typeof explainedReports)[number];

/** What can be asked about: a figure of a row. Ratios are explained by the two figures that they divide. */
export const explainedFields = [
  'spend',
  'outcome_count',
  'outcome_value',
  'outcome_count_first_payment',
  'attributed_outcome_count',
  'roas',
  'cac',
  'cac_first_payment',
  'platform_conversions',
  'platform_conversion_value',
] as const;
export type ExplainedField = (typeof explainedFields)[number];

export const figureUnits = ['money', 'count', 'ratio'] as const;
export type FigureUnit = (typeof figureUnits)[number];

/** A yes or no in a query. */
export const flagWords = ['true', 'false'] as const;

/** What a line of the changelog tells of. */
export const changeKinds = ['Added', 'Changed', 'Fixed', 'Breaking', 'Deprecated'] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** What a report may have left out, and why. */
export const excludedKinds = ['payments', 'spend'] as const;
export type ExcludedKind = (typeof excludedKinds)[number];
export const exclusionReasons = ['no_exchange_rate'] as const;
export type ExclusionReason = (typeof exclusionReasons)[number];
