import { namesOf } from './names-of.ts';
import type { ScoredRate } from './scoring.ts';

/** The learning stage of an ad set, as the platform reports it. */
export const learningStages = ['LEARNING', 'SUCCESS', 'FAIL'] as const;
export type LearningStage = (typeof learningStages)[number];
export const isLearningStage = (word: string): word is LearningStage =>
  (learningStages as readonly string[]).includes(word);

/** The result of an imported spend row. */
export const spendStatuses = ['recorded', 'updated', 'unchanged'] as const;
export type SpendStatus = (typeof spendStatuses)[number];

/** Reports whose figures can be explained. */
export const explainedReports = ['campaigns', 'platform_comparison', 'overview', 'top_performers'] as const;
export type ExplainedReport = (typeof explainedReports)[number];

/** The sums on every row of a report. */
export const rowFields = [
  'spend',
  'outcome_count',
  'outcome_value',
  'outcome_count_first_payment',
  'attributed_outcome_count',
] as const;

/** All sums in campaign reports: the change of one is the sum of the changes by cause. */
export const summedFields = [...rowFields, 'platform_conversions', 'platform_conversion_value'] as const;
export type SummedField = (typeof summedFields)[number];

/** Additional fields of the platform comparison: our figures, the gaps, and paid clicks that named no ad. */
export const comparedFields = [
  'atribu_conversions',
  'atribu_cash_conversions',
  'atribu_cash_revenue',
  'atribu_roas',
  'platform_roas',
  'conversion_gap',
  'conversion_gap_pct',
  'payment_gap',
  'value_gap',
  'unassigned_conversions',
  'unassigned_cash_revenue',
] as const;
export type ComparedField = (typeof comparedFields)[number];

/**
 * The daily delivery fields that can be summed. For always reported fields a missing row means zero; for others it
 * means unknown.
 */
export const deliveryColumns = {
  spend: { isMoney: true, isAlwaysTold: true },
  impressions: { isMoney: false, isAlwaysTold: true },
  clicks: { isMoney: false, isAlwaysTold: true },
  platform_conversions: { isMoney: false, isAlwaysTold: false },
  platform_conversion_value: { isMoney: true, isAlwaysTold: false },
  messaging_conversations_started: { isMoney: false, isAlwaysTold: false },
  messaging_first_replies: { isMoney: false, isAlwaysTold: false },
} as const;
export type DeliveryColumn = keyof typeof deliveryColumns;

/** Delivery fields besides money. */
export const deliveredFields = ['impressions', 'clicks', 'ctr', 'cpc'] as const;
export type DeliveredField = (typeof deliveredFields)[number];

/** Figures that only the top ads report has. */
export const topAdFields = [
  'attributed_cash_outcomes',
  'attributed_revenue',
  'attributed_outcomes_total',
  'attributed_pipeline_outcomes',
  'attributed_pipeline_value',
  'meta_reported_conversions',
  'meta_reported_conversion_value',
  'messaging_conversations_started',
  'messaging_first_replies',
  'cost_per_conversation',
  'first_reply_rate',
] as const;
export type TopAdField = (typeof topAdFields)[number];

/** Percentiles of an ad within its cohort. */
export const percentileFields = [
  'efficiency_percentile',
  'return_percentile',
  'click_rate_percentile',
  'hook_rate_percentile',
  'stability_percentile',
  'volume_percentile',
] as const satisfies readonly `${ScoredRate}_percentile`[];
export type PercentileField = (typeof percentileFields)[number];

/** An ad's score and its components. */
export const scoreFields = [
  'composite_score',
  'top_performer_likelihood',
  'avg_engagement_score',
  ...percentileFields,
] as const;
export type ScoreField = (typeof scoreFields)[number];

/** The fields of a row that can be explained. Ratios are explained by the two figures they divide. */
export const explainedFields = [
  ...summedFields,
  'roas',
  'cac',
  'cac_first_payment',
  ...comparedFields,
  ...deliveredFields,
  ...topAdFields,
  ...scoreFields,
] as const;
export type ExplainedField = (typeof explainedFields)[number];

/** Causes of a changed figure besides the causes of conversions. */
export const figureCauses = {
  delivery: 'Platforms told of more days, or restated some.',
  entity_moved: 'An ad or ad set turned out to belong to another campaign, or to one at all.',
  exchange_rate: 'Another rate became known for what was spent.',
  settings: 'The profile’s days are those of another time zone.',
} as const;

export const figureUnits = ['money', 'count', 'ratio', 'points'] as const;
export type FigureUnit = (typeof figureUnits)[number];

/** A boolean in a query string. */
export const flagWords = ['true', 'false'] as const;

/** The kinds of changelog entries. */
export const changeKinds = ['Added', 'Changed', 'Fixed', 'Breaking', 'Deprecated'] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** What a report may leave out, and why. */
export const excludedKinds = ['payments', 'spend', 'platform_value'] as const;
export type ExcludedKind = (typeof excludedKinds)[number];
export const exclusionReasons = ['no_exchange_rate', 'pending', 'duplicate', 'excluded'] as const;
export type ExclusionReason = (typeof exclusionReasons)[number];

/**
 * The console pages that are sent by e-mail, and how often. The figures are those of the previous day, week or month.
 */
export const mailedPages = ['overview', 'campaigns'] as const;
export type MailedPage = (typeof mailedPages)[number];
export const mailRhythms = ['day', 'week', 'month'] as const;
export type MailRhythm = (typeof mailRhythms)[number];

/** Why a mail was not delivered, or may not have been. */
export const mailFailures = {
  not_set_up: 'The operator has set no mail server.',
  unreachable: 'The mail server could not be reached, or asked to try again later.',
  refused: 'The mail server refused the address, the sender or the mail.',
  unclear: 'The connection broke after the mail had been handed over: it may have arrived, so it is not sent again.',
  left: 'Whoever it was for is no member of the workspace any more.',
  healthcare: 'The profile belongs to the healthcare family now, whose figures are not sent.',
  fault: 'The report could not be read.',
} as const;
export type MailFailure = keyof typeof mailFailures;
export const mailFailureNames = namesOf(mailFailures);
/** Failures caused by the mail server. */
export type MailFault = Extract<MailFailure, 'unreachable' | 'refused' | 'unclear'>;

/** The state of the mail to one member. */
export const mailStates = ['waiting', 'sending', 'sent', 'failed'] as const;
export type MailState = (typeof mailStates)[number];
