import type { RequestOf, Routes } from '@tributary/sdk';
import type { FigureUnit } from '@tributary/vocabulary';
import { count, money, ratio, signed, signedMoney } from './format.ts';
import { t } from './messages/index.ts';

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

const { ofRow } = t.formulas;
const percentile = (title: string, about: string): FieldEntry => ({ title, unit: 'points', about });

export const fields: Readonly<Record<Field, FieldEntry>> = {
  spend: {
    title: t.metrics.spend,
    unit: 'money',
    about: t.metrics.spendAbout,
  },
  outcome_count: {
    title: t.metrics.payments,
    unit: 'count',
    about: t.metrics.paymentsAbout,
  },
  outcome_value: {
    title: t.metrics.revenue,
    unit: 'money',
    about: t.metrics.revenueAbout,
  },
  outcome_count_first_payment: {
    title: t.metrics.firstPurchases,
    unit: 'count',
    about: t.metrics.firstPurchasesAbout,
  },
  attributed_outcome_count: {
    title: t.metrics.conversions,
    unit: 'count',
    about: t.metrics.conversionsAbout,
  },
  roas: {
    title: t.metrics.roas,
    unit: 'ratio',
    about: t.metrics.roasAbout,
  },
  cac: {
    title: t.metrics.cac,
    unit: 'money',
    about: t.metrics.cacAbout,
  },
  cac_first_payment: {
    title: t.metrics.newCustomerCac,
    unit: 'money',
    about: t.metrics.newCustomerCacAbout,
  },
  platform_conversions: {
    title: t.metrics.platformConversions,
    unit: 'count',
    about: t.metrics.platformConversionsAbout,
  },
  platform_conversion_value: {
    title: t.metrics.platformValue,
    unit: 'money',
    about: t.metrics.platformValueAbout,
  },
  atribu_conversions: { title: t.comparison.ourConversions, unit: 'count', about: ofRow.atribu_conversions },
  atribu_cash_conversions: { title: t.comparison.ourPayments, unit: 'count', about: ofRow.atribu_cash_conversions },
  atribu_cash_revenue: { title: t.comparison.ourRevenue, unit: 'money', about: ofRow.atribu_cash_revenue },
  atribu_roas: { title: t.metrics.ourRoas, unit: 'ratio', about: ofRow.atribu_roas },
  platform_roas: { title: t.metrics.platformRoas, unit: 'ratio', about: ofRow.platform_roas },
  conversion_gap: { title: t.metrics.conversionGap, unit: 'count', about: ofRow.conversion_gap, isSigned: true },
  conversion_gap_pct: { title: t.metrics.conversionGapShare, unit: 'ratio', about: ofRow.conversion_gap_pct },
  payment_gap: { title: t.comparison.gap, unit: 'count', about: t.comparison.gapAbout, isSigned: true },
  value_gap: { title: t.comparison.gapInMoney, unit: 'money', about: ofRow.value_gap, isSigned: true },
  unassigned_conversions: { title: t.metrics.unassigned, unit: 'count', about: ofRow.unassigned_conversions },
  unassigned_cash_revenue: {
    title: t.metrics.unassignedRevenue,
    unit: 'money',
    about: ofRow.unassigned_cash_revenue,
  },
  impressions: { title: t.metrics.impressions, unit: 'count', about: t.metrics.impressionsAbout },
  clicks: { title: t.metrics.clicks, unit: 'count', about: t.metrics.clicksAbout },
  ctr: { title: t.metrics.ctr, unit: 'ratio', about: t.metrics.ctrAbout },
  cpc: { title: t.metrics.cpc, unit: 'money', about: t.metrics.cpcAbout },
  attributed_cash_outcomes: { title: t.metrics.payments, unit: 'count', about: ofRow.attributed_cash_outcomes },
  attributed_revenue: { title: t.metrics.revenue, unit: 'money', about: ofRow.attributed_revenue },
  attributed_outcomes_total: { title: t.metrics.conversions, unit: 'count', about: ofRow.attributed_outcomes_total },
  attributed_pipeline_outcomes: {
    title: t.metrics.pipeline,
    unit: 'count',
    about: ofRow.attributed_pipeline_outcomes,
  },
  attributed_pipeline_value: {
    title: t.metrics.pipelineValue,
    unit: 'money',
    about: ofRow.attributed_pipeline_value,
  },
  meta_reported_conversions: {
    title: t.metrics.platformConversions,
    unit: 'count',
    about: t.metrics.platformConversionsAbout,
  },
  meta_reported_conversion_value: {
    title: t.metrics.platformValue,
    unit: 'money',
    about: t.metrics.platformValueAbout,
  },
  messaging_conversations_started: {
    title: t.metrics.conversations,
    unit: 'count',
    about: ofRow.messaging_conversations_started,
  },
  messaging_first_replies: { title: t.metrics.firstReplies, unit: 'count', about: ofRow.messaging_first_replies },
  cost_per_conversation: { title: t.metrics.conversationCost, unit: 'money', about: ofRow.cost_per_conversation },
  first_reply_rate: { title: t.metrics.replyRate, unit: 'ratio', about: ofRow.first_reply_rate },
  composite_score: percentile(t.metrics.score, ofRow.composite_score),
  top_performer_likelihood: {
    title: t.metrics.likelihood,
    unit: 'ratio',
    about: ofRow.top_performer_likelihood,
  },
  avg_engagement_score: percentile(t.metrics.engagement, ofRow.avg_engagement_score),
  efficiency_percentile: percentile(t.metrics.efficiencyPlace, ofRow.efficiency_percentile),
  return_percentile: percentile(t.metrics.returnPlace, ofRow.return_percentile),
  click_rate_percentile: percentile(t.metrics.clickPlace, ofRow.click_rate_percentile),
  hook_rate_percentile: percentile(t.metrics.hookPlace, ofRow.hook_rate_percentile),
  stability_percentile: percentile(t.metrics.stabilityPlace, ofRow.stability_percentile),
  volume_percentile: percentile(t.metrics.volumePlace, ofRow.volume_percentile),
};

/** Figures without an explanation, or with another name when they are totals. */
export const definitions = {
  blendedRoas: t.metrics.blendedRoasAbout,
  blendedCpa: t.metrics.blendedCpaAbout,
  adsRoas: t.metrics.adsRoasAbout,
  ctr: t.metrics.ctrAbout,
  cpc: t.metrics.cpcAbout,
  cpm: t.metrics.cpmAbout,
  impressions: t.metrics.impressionsAbout,
  clicks: t.metrics.clicksAbout,
  window: t.metrics.windowAbout,
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
