import type { Row } from '@tributary/clickhouse';
import type { ReportField } from '@tributary/domain/measurement/reports';
import { ratio } from '@tributary/rules';

type Score = Row<'ad_read_score'>;

export const numberOrNull = (value: string | null): number | null => (value === null ? null : Number(value));

/** All figures of an ad in the list that are not scores. */
export function shownFigures(score: Score) {
  const [spend, revenue, cash] = [Number(score.spend), Number(score.revenue), Number(score.cash_outcomes)];
  const [clicks, impressions] = [Number(score.clicks), Number(score.impressions)];
  const [conversations, replies] = [numberOrNull(score.conversations), numberOrNull(score.first_replies)];
  const figures = {
    spend,
    impressions,
    clicks,
    ctr: ratio(clicks, impressions, 100),
    cpc: ratio(spend, clicks),
    attributed_cash_outcomes: cash,
    attributed_revenue: revenue,
    roas: ratio(revenue, spend),
    cac: ratio(spend, cash),
    attributed_outcomes_total: Number(score.outcomes),
    attributed_pipeline_outcomes: Number(score.pipeline_outcomes),
    attributed_pipeline_value: Number(score.pipeline_value),
    meta_reported_conversions: numberOrNull(score.platform_conversions),
    meta_reported_conversion_value: numberOrNull(score.platform_value),
    messaging_conversations_started: conversations,
    messaging_first_replies: replies,
    cost_per_conversation: ratio(spend, conversations),
    first_reply_rate: ratio(replies, conversations),
    // The operands of the ratios, under the names that all reports use.
    outcome_value: revenue,
    outcome_count: cash,
  };
  return figures satisfies Partial<Record<ReportField, number | null>> as typeof figures &
    Partial<Record<ReportField, number | null>>;
}
