import type { CreditOwners } from '@tributary/clickhouse';
import {
  type DeliveryColumn,
  type ExplainedField,
  type FigureUnit,
  nilUuid,
  type ScoreField,
} from '@tributary/vocabulary';

interface Explained {
  readonly unit: FigureUnit;
  readonly formula: string;
}

/** A sum over conversions: each adds 1 or its credit. */
export interface ConversionSum extends Explained {
  readonly rows: 'conversions';
  readonly adds: 'one' | 'credit';
  readonly of: 'any' | 'cash' | 'first_purchases' | 'pipeline';
  /** Set when the figure belongs neither to an entity nor to a whole platform. */
  readonly owners?: CreditOwners;
}

/** A sum over delivery days. */
interface DeliverySum extends Explained {
  readonly rows: 'delivery';
  readonly column: DeliveryColumn;
}

/** A sum over one kind of rows. */
export type Sum = ConversionSum | DeliverySum;

/** The first sum minus the second: rows of the first count as positive, rows of the second as negative. */
interface Difference extends Explained {
  readonly rows: 'both';
  readonly parts: readonly [ReportField, ReportField];
}

/** Has no rows: it is explained by the two figures that it divides. */
interface Ratio extends Explained {
  readonly rows: 'none';
  readonly parts: readonly [ReportField, ReportField];
  readonly times?: number;
  /** Rounded to the digits of the currency. */
  readonly isCost?: true;
}

/** Figures computed from conversions and delivery; score figures are explained by domain/measurement/top-performers. */
export type ReportField = Exclude<ExplainedField, ScoreField>;

const payments = { unit: 'count', rows: 'conversions', adds: 'one', of: 'cash' } as const;
const revenue = { unit: 'money', rows: 'conversions', adds: 'credit', of: 'cash' } as const;
const conversions = { unit: 'count', rows: 'conversions', adds: 'one', of: 'any' } as const;
const claims = { unit: 'count', rows: 'delivery', column: 'platform_conversions' } as const;
const claimedValue = { unit: 'money', rows: 'delivery', column: 'platform_conversion_value' } as const;
const reportedCount = 'The sum of what the platform says of each day.';
const reportedMoney =
  'The sum of what the platform says of each day times that day’s exchange rate, rounded once at the end.';

/** The formula of each report figure and the rows it is made of. */
export const explainedFigures = {
  spend: {
    unit: 'money',
    rows: 'delivery',
    column: 'spend',
    formula: 'The sum of each day’s spend times that day’s exchange rate, rounded once at the end.',
  },
  outcome_count: {
    ...payments,
    formula: 'One for each payment in which it has a share; unattributed, in which no entity has one.',
  },
  outcome_value: {
    ...revenue,
    formula: 'The sum of what it earned of each payment under the model, refunds subtracted.',
  },
  outcome_count_first_payment: {
    ...payments,
    of: 'first_purchases',
    formula: 'One for the earliest payment of each first purchase in which it has a share.',
  },
  attributed_outcome_count: {
    ...conversions,
    formula: 'One for each conversion of any kind in which it has a share.',
  },
  roas: { unit: 'ratio', rows: 'none', formula: 'outcome_value / spend', parts: ['outcome_value', 'spend'] },
  cac: {
    unit: 'ratio',
    rows: 'none',
    formula: 'spend / outcome_count',
    parts: ['spend', 'outcome_count'],
    isCost: true,
  },
  cac_first_payment: {
    unit: 'ratio',
    rows: 'none',
    formula: 'spend / outcome_count_first_payment',
    parts: ['spend', 'outcome_count_first_payment'],
    isCost: true,
  },
  platform_conversions: { ...claims, formula: reportedCount },
  platform_conversion_value: { ...claimedValue, formula: reportedMoney },

  atribu_conversions: {
    ...conversions,
    formula: 'One for each conversion of any kind in which it has a share under the model.',
  },
  atribu_cash_conversions: { ...payments, formula: 'One for each payment in which it has a share under the model.' },
  atribu_cash_revenue: {
    ...revenue,
    formula: 'The sum of what it earned of each payment under the model, refunds subtracted.',
  },
  atribu_roas: {
    unit: 'ratio',
    rows: 'none',
    formula: 'atribu_cash_revenue / spend',
    parts: ['atribu_cash_revenue', 'spend'],
  },
  platform_roas: {
    unit: 'ratio',
    rows: 'none',
    formula: 'platform_conversion_value / spend',
    parts: ['platform_conversion_value', 'spend'],
  },
  conversion_gap: {
    unit: 'count',
    rows: 'both',
    formula:
      'atribu_conversions − platform_conversions: one for each conversion, less what the platform says of each day.',
    parts: ['atribu_conversions', 'platform_conversions'],
  },
  conversion_gap_pct: {
    unit: 'ratio',
    rows: 'none',
    formula: '100 × conversion_gap / platform_conversions',
    parts: ['conversion_gap', 'platform_conversions'],
    times: 100,
  },
  payment_gap: {
    unit: 'count',
    rows: 'both',
    formula:
      'atribu_cash_conversions − platform_conversions: one for each payment, less what the platform says of each day.',
    parts: ['atribu_cash_conversions', 'platform_conversions'],
  },
  value_gap: {
    unit: 'money',
    rows: 'both',
    formula:
      'atribu_cash_revenue − platform_conversion_value: what was earned of each payment, less what the platform says of each day.',
    parts: ['atribu_cash_revenue', 'platform_conversion_value'],
  },
  unassigned_conversions: {
    ...conversions,
    owners: 'unassigned',
    formula: 'One for each conversion in which paid clicks of the platform that named no ad have a share.',
  },
  unassigned_cash_revenue: {
    ...revenue,
    owners: 'unassigned',
    formula: 'The sum of what paid clicks of the platform that named no ad earned of each payment, refunds subtracted.',
  },

  impressions: { unit: 'count', rows: 'delivery', column: 'impressions', formula: reportedCount },
  clicks: { unit: 'count', rows: 'delivery', column: 'clicks', formula: reportedCount },
  ctr: {
    unit: 'ratio',
    rows: 'none',
    formula: '100 × clicks / impressions',
    parts: ['clicks', 'impressions'],
    times: 100,
  },
  cpc: { unit: 'ratio', rows: 'none', formula: 'spend / clicks', parts: ['spend', 'clicks'], isCost: true },

  attributed_cash_outcomes: { ...payments, formula: 'One for each payment that it earned under last_touch.' },
  attributed_revenue: {
    ...revenue,
    formula: 'The sum of the payments that it earned under last_touch, refunds subtracted.',
  },
  attributed_outcomes_total: {
    ...conversions,
    formula: 'One for each conversion of any kind that it earned under last_touch.',
  },
  attributed_pipeline_outcomes: {
    ...conversions,
    of: 'pipeline',
    formula: 'One for each lead, appointment, deal and the like that it earned under last_touch.',
  },
  attributed_pipeline_value: {
    ...revenue,
    of: 'pipeline',
    formula: 'The sum of what leads, appointments, deals and the like that it earned under last_touch may become.',
  },
  meta_reported_conversions: { ...claims, formula: reportedCount },
  meta_reported_conversion_value: { ...claimedValue, formula: reportedMoney },
  messaging_conversations_started: {
    unit: 'count',
    rows: 'delivery',
    column: 'messaging_conversations_started',
    formula: reportedCount,
  },
  messaging_first_replies: {
    unit: 'count',
    rows: 'delivery',
    column: 'messaging_first_replies',
    formula: reportedCount,
  },
  cost_per_conversation: {
    unit: 'ratio',
    rows: 'none',
    formula: 'spend / messaging_conversations_started',
    parts: ['spend', 'messaging_conversations_started'],
    isCost: true,
  },
  first_reply_rate: {
    unit: 'ratio',
    rows: 'none',
    formula: 'messaging_first_replies / messaging_conversations_started',
    parts: ['messaging_first_replies', 'messaging_conversations_started'],
  },
} as const satisfies Record<ReportField, Sum | Difference | Ratio>;

export const figureOf = (field: ReportField): Sum | Difference | Ratio => explainedFigures[field];

/**
 * Filter of the conversions that count for a figure. A partly credited conversion does not count as unattributed; the uncredited rest of
 * its value does.
 */
export const conversionsCounted = (
  { of, adds }: Pick<ConversionSum, 'of' | 'adds'>,
  { entityId, owner }: { readonly entityId: string; readonly owner?: unknown },
) => ({
  isWhole: owner === undefined && entityId === nilUuid && adds === 'one',
  isCash: of === 'cash' || of === 'first_purchases',
  isNewPurchase: of === 'first_purchases',
  isPipeline: of === 'pipeline',
});
