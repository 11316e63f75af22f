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

/** Of those, the sums on every row of a report. */
export const rowFields = [
  'spend',
  'outcome_count',
  'outcome_value',
  'outcome_count_first_payment',
  'attributed_outcome_count',
] as const satisfies readonly ExplainedField[];

/** All that are sums: the change of one is the sum of its causes. */
export const summedFields = [
  ...rowFields,
  'platform_conversions',
  'platform_conversion_value',
] as const satisfies readonly ExplainedField[];
export type SummedField = (typeof summedFields)[number];

/** What changes a figure besides the causes of conversions. */
export const figureCauses = {
  delivery: 'Platforms told of more days, or restated some.',
  entity_moved: 'An ad or ad set turned out to belong to another campaign, or to one at all.',
  exchange_rate: 'Another rate became known for what was spent.',
  settings: 'The profile’s days are those of another time zone.',
} as const;

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
