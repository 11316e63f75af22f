import type { RequestOf, Routes } from '@tributary/sdk';
import type { FigureUnit } from '@tributary/vocabulary';
import { count, money, ratio, signed, signedMoney } from './format.ts';
import { say } from './messages/index.ts';

/** Every figure that can be explained, with its display name. */
export type Field = RequestOf<Routes['explain']>['query']['field'];

interface FieldEntry {
  readonly title: string;
  readonly unit: FigureUnit;
  /** The definition and the formula. */
  readonly about: string;
  /** Formatted with a plus or minus sign. */
  readonly isSigned?: true;
}

const { ofRow } = say.formulas;
const percentile = (title: string, about: string): FieldEntry => ({ title, unit: 'points', about });

export const fields: Readonly<Record<Field, FieldEntry>> = {
  spend: {
    title: say.metrics.spend,
    unit: 'money',
    about: say.metrics.spendAbout,
  },
  outcome_count: {
    title: say.metrics.payments,
    unit: 'count',
    about: say.metrics.paymentsAbout,
  },
  outcome_value: {
    title: say.metrics.revenue,
    unit: 'money',
    about: say.metrics.revenueAbout,
  },
  outcome_count_first_payment: {
    title: say.metrics.firstPurchases,
    unit: 'count',
    about: say.metrics.firstPurchasesAbout,
  },
  attributed_outcome_count: {
    title: say.metrics.conversions,
    unit: 'count',
    about: say.metrics.conversionsAbout,
  },
  roas: {
    title: say.metrics.roas,
    unit: 'ratio',
    about: say.metrics.roasAbout,
  },
  cac: {
    title: say.metrics.cac,
    unit: 'money',
    about: say.metrics.cacAbout,
  },
  cac_first_payment: {
    title: say.metrics.newCustomerCac,
    unit: 'money',
    about: say.metrics.newCustomerCacAbout,
  },
  platform_conversions: {
    title: say.metrics.platformConversions,
    unit: 'count',
    about: say.metrics.platformConversionsAbout,
  },
  platform_conversion_value: {
    title: say.metrics.platformValue,
    unit: 'money',
    about: say.metrics.platformValueAbout,
  },
  atribu_conversions: { title: say.comparison.ourConversions, unit: 'count', about: ofRow.atribu_conversions },
  atribu_cash_conversions: { title: say.comparison.ourPayments, unit: 'count', about: ofRow.atribu_cash_conversions },
  atribu_cash_revenue: { title: say.comparison.ourRevenue, unit: 'money', about: ofRow.atribu_cash_revenue },
  atribu_roas: { title: say.metrics.ourRoas, unit: 'ratio', about: ofRow.atribu_roas },
  platform_roas: { title: say.metrics.platformRoas, unit: 'ratio', about: ofRow.platform_roas },
  conversion_gap: { title: say.metrics.conversionGap, unit: 'count', about: ofRow.conversion_gap, isSigned: true },
  conversion_gap_pct: { title: say.metrics.conversionGapShare, unit: 'ratio', about: ofRow.conversion_gap_pct },
  payment_gap: { title: say.comparison.gap, unit: 'count', about: say.comparison.gapAbout, isSigned: true },
  value_gap: { title: say.comparison.gapInMoney, unit: 'money', about: ofRow.value_gap, isSigned: true },
  unassigned_conversions: { title: say.metrics.unassigned, unit: 'count', about: ofRow.unassigned_conversions },
  unassigned_cash_revenue: {
    title: say.metrics.unassignedRevenue,
    unit: 'money',
    about: ofRow.unassigned_cash_revenue,
  },
  impressions: { title: say.metrics.impressions, unit: 'count', about: say.metrics.impressionsAbout },
  clicks: { title: say.metrics.clicks, unit: 'count', about: say.metrics.clicksAbout },
  ctr: { title: say.metrics.ctr, unit: 'ratio', about: say.metrics.ctrAbout },
  cpc: { title: say.metrics.cpc, unit: 'money', about: say.metrics.cpcAbout },
  attributed_cash_outcomes: { title: say.metrics.payments, unit: 'count', about: ofRow.attributed_cash_outcomes },
  attributed_revenue: { title: say.metrics.revenue, unit: 'money', about: ofRow.attributed_revenue },
  attributed_outcomes_total: { title: say.metrics.conversions, unit: 'count', about: ofRow.attributed_outcomes_total },
  attributed_pipeline_outcomes: {
    title: say.metrics.pipeline,
    unit: 'count',
    about: ofRow.attributed_pipeline_outcomes,
  },
  attributed_pipeline_value: {
    title: say.metrics.pipelineValue,
    unit: 'money',
    about: ofRow.attributed_pipeline_value,
  },
  meta_reported_conversions: {
    title: say.metrics.platformConversions,
    unit: 'count',
    about: say.metrics.platformConversionsAbout,
  },
  meta_reported_conversion_value: {
    title: say.metrics.platformValue,
    unit: 'money',
    about: say.metrics.platformValueAbout,
  },
  messaging_conversations_started: {
    title: say.metrics.conversations,
    unit: 'count',
    about: ofRow.messaging_conversations_started,
  },
  messaging_first_replies: { title: say.metrics.firstReplies, unit: 'count', about: ofRow.messaging_first_replies },
  cost_per_conversation: { title: say.metrics.conversationCost, unit: 'money', about: ofRow.cost_per_conversation },
  first_reply_rate: { title: say.metrics.replyRate, unit: 'ratio', about: ofRow.first_reply_rate },
  composite_score: percentile(say.metrics.score, ofRow.composite_score),
  top_performer_likelihood: {
    title: say.metrics.likelihood,
    unit: 'ratio',
    about: ofRow.top_performer_likelihood,
  },
  avg_engagement_score: percentile(say.metrics.engagement, ofRow.avg_engagement_score),
  efficiency_percentile: percentile(say.metrics.efficiencyPlace, ofRow.efficiency_percentile),
  return_percentile: percentile(say.metrics.returnPlace, ofRow.return_percentile),
  click_rate_percentile: percentile(say.metrics.clickPlace, ofRow.click_rate_percentile),
  hook_rate_percentile: percentile(say.metrics.hookPlace, ofRow.hook_rate_percentile),
  stability_percentile: percentile(say.metrics.stabilityPlace, ofRow.stability_percentile),
  volume_percentile: percentile(say.metrics.volumePlace, ofRow.volume_percentile),
};

/** Figures without an explanation, or with another name when they are totals. */
export const definitions = {
  blendedRoas: say.metrics.blendedRoasAbout,
  blendedCpa: say.metrics.blendedCpaAbout,
  adsRoas: say.metrics.adsRoasAbout,
  ctr: say.metrics.ctrAbout,
  cpc: say.metrics.cpcAbout,
  cpm: say.metrics.cpmAbout,
  impressions: say.metrics.impressionsAbout,
  clicks: say.metrics.clicksAbout,
  window: say.metrics.windowAbout,
};

export function formatFigure(field: Field, value: number | string | null | undefined, currency: string): string {
  const { unit, isSigned } = fields[field];
  switch (unit) {
    case 'money':
      return isSigned ? signedMoney(value, currency) : money(value, currency);
    case 'count':
      return isSigned ? signed(value) : count(value);
    case 'points':
      return count(value);
    case 'ratio':
      return ratio(value);
  }
}
