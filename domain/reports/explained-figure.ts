import type { ExplainedField } from '@tributary/contract';
import { type FigureUnit, nilUuid } from '@tributary/vocabulary';

interface Explained {
  readonly unit: FigureUnit;
  readonly formula: string;
  /** What its rows are. A ratio has none: it is explained by the two figures that it divides. */
  readonly rows: 'conversions' | 'delivery' | 'none';
}

/** What each figure of a report is made of, in words and as a choice of rows. */
export const explainedFigures = {
  spend: {
    unit: 'money',
    rows: 'delivery',
    formula: 'The sum of each day’s spend times that day’s exchange rate, rounded once at the end.',
  },
  outcome_count: {
    unit: 'count',
    rows: 'conversions',
    formula: 'One for each payment in which it has a share; unattributed, in which no entity has one.',
  },
  outcome_value: {
    unit: 'money',
    rows: 'conversions',
    formula: 'The sum of what it earned of each payment under the model, refunds subtracted.',
  },
  outcome_count_first_payment: {
    unit: 'count',
    rows: 'conversions',
    formula: 'One for the earliest payment of each first purchase in which it has a share.',
  },
  attributed_outcome_count: {
    unit: 'count',
    rows: 'conversions',
    formula: 'One for each conversion of any kind in which it has a share.',
  },
  roas: { unit: 'ratio', rows: 'none', formula: 'outcome_value / spend' },
  cac: { unit: 'ratio', rows: 'none', formula: 'spend / outcome_count' },
  cac_first_payment: { unit: 'ratio', rows: 'none', formula: 'spend / outcome_count_first_payment' },
  platform_conversions: {
    unit: 'count',
    rows: 'delivery',
    formula: 'The sum of what the platform says of each day.',
  },
  platform_conversion_value: {
    unit: 'money',
    rows: 'delivery',
    formula: 'The sum of what the platform says of each day times that day’s exchange rate, rounded once at the end.',
  },
} as const satisfies Record<ExplainedField, Explained>;

/** Of a ratio, what is divided by what. */
export const ratios = {
  roas: ['outcome_value', 'spend'],
  cac: ['spend', 'outcome_count'],
  cac_first_payment: ['spend', 'outcome_count_first_payment'],
} as const satisfies Partial<Record<ExplainedField, readonly [ExplainedField, ExplainedField]>>;

export type RatioField = keyof typeof ratios;

export const isRatio = (field: ExplainedField): field is RatioField => field in ratios;

/** Which conversions count for a figure. What an entity has a share of is not counted as nobody's; the value that is left of it is. */
export const conversionsCounted = (field: ExplainedField, entityId: string) => ({
  isWhole: entityId === nilUuid && field !== 'outcome_value',
  isCash: field !== 'attributed_outcome_count',
  isNewPurchase: field === 'outcome_count_first_payment',
});
