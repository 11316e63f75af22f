import { namesOf } from './names-of.ts';
import type { ScoredRate } from './scoring.ts';

/** How far the platform's delivery of an ad set has learnt. */
export const learningStages = ['LEARNING', 'SUCCESS', 'FAIL'] as const;
export type LearningStage = (typeof learningStages)[number];
export const isLearningStage = (word: string): word is LearningStage =>
  (learningStages as readonly string[]).includes(word);

/** What became of a row of spend. */
export const spendStatuses = ['recorded', 'updated', 'unchanged'] as const;
export type SpendStatus = (typeof spendStatuses)[number];

/** The reports whose figures can be taken apart. */
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

/** All that are sums in reports of campaigns: the change of one is the sum of its causes. */
export const summedFields = [...rowFields, 'platform_conversions', 'platform_conversion_value'] as const;
export type SummedField = (typeof summedFields)[number];

/** What the comparison with platforms adds: our side, what is between the two, and what paid clicks earned that named no ad. */
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

/** What of a day of delivery can be added up. Of what is always told, nothing told is nothing there; of the others it is not known. */
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

/** What is told of delivery besides money. */
export const deliveredFields = ['impressions', 'clicks', 'ctr', 'cpc'] as const;
export type DeliveredField = (typeof deliveredFields)[number];

/** Figures that only the list of top ads has. */
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

/** Places of an ad among its likes. */
export const percentileFields = [
  'efficiency_percentile',
  'return_percentile',
  'click_rate_percentile',
  'hook_rate_percentile',
  'stability_percentile',
  'volume_percentile',
] as const satisfies readonly `${ScoredRate}_percentile`[];
export type PercentileField = (typeof percentileFields)[number];

/** What an ad's score is, and what it is made of. */
export const scoreFields = [
  'composite_score',
  'top_performer_likelihood',
  'avg_engagement_score',
  ...percentileFields,
] as const;
export type ScoreField = (typeof scoreFields)[number];

/** What can be asked about: a figure of a row. Ratios are explained by the two figures that they divide. */
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

/** What changes a figure besides the causes of conversions. */
export const figureCauses = {
  delivery: 'Platforms told of more days, or restated some.',
  entity_moved: 'An ad or ad set turned out to belong to another campaign, or to one at all.',
  exchange_rate: 'Another rate became known for what was spent.',
  settings: 'The profile’s days are those of another time zone.',
} as const;

export const figureUnits = ['money', 'count', 'ratio', 'points'] as const;
export type FigureUnit = (typeof figureUnits)[number];

/** A yes or no in a query. */
export const flagWords = ['true', 'false'] as const;

/** What a line of the changelog tells of. */
export const changeKinds = ['Added', 'Changed', 'Fixed', 'Breaking', 'Deprecated'] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** What a report may have left out, and why. */
export const excludedKinds = ['payments', 'spend', 'platform_value'] as const;
export type ExcludedKind = (typeof excludedKinds)[number];
export const exclusionReasons = ['no_exchange_rate', 'pending', 'duplicate', 'excluded'] as const;
export type ExclusionReason = (typeof exclusionReasons)[number];

/** The pages of the console whose figures are sent by e-mail, and how often. The figures are those of the day, week or month before. */
export const mailedPages = ['overview', 'campaigns'] as const;
export type MailedPage = (typeof mailedPages)[number];
export const mailRhythms = ['day', 'week', 'month'] as const;
export type MailRhythm = (typeof mailRhythms)[number];

/** Why somebody did not get a mail, or perhaps did not. */
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
/** Those that the mail server is behind. */
export type MailFault = Extract<MailFailure, 'unreachable' | 'refused' | 'unclear'>;

/** How the mail to one member stands. */
export const mailStates = ['waiting', 'sending', 'sent', 'failed'] as const;
export type MailState = (typeof mailStates)[number];
