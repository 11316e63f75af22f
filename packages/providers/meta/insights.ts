import { z } from 'zod';
import type { DeliveryRecord } from '../provider.ts';
import { count, dayText, decimalText } from '../read-answer.ts';

const Actions = z.array(z.object({ action_type: z.string(), value: decimalText })).default([]);

export const Insight = z.object({
  date_start: dayText,
  account_currency: z.string(),
  campaign_id: z.string(),
  adset_id: z.string(),
  ad_id: z.string(),
  spend: decimalText,
  impressions: count.default(0),
  clicks: count.default(0),
  reach: count.optional(),
  objective: z.string().optional(),
  actions: Actions,
  action_values: Actions,
  video_p100_watched_actions: Actions,
});
type Insight = z.infer<typeof Insight>;

export const insightFields =
  'date_start,date_stop,account_id,account_currency,campaign_id,adset_id,ad_id,impressions,clicks,inline_link_clicks,spend,reach,actions,action_values,video_p100_watched_actions,attribution_setting,objective,optimization_goal';

/** Action types for the same event, the broadest first. Only one is used, because their sum would count a purchase three times. */
const purchases = ['omni_purchase', 'purchase', 'offsite_conversion.fb_pixel_purchase'];
const leads = ['lead', 'onsite_conversion.lead_grouped', 'offsite_conversion.fb_pixel_lead'];
const leadObjectives = ['OUTCOME_LEADS', 'LEAD_GENERATION'];

export function parseInsight(row: Insight): DeliveryRecord {
  const actionTypes = leadObjectives.includes(row.objective ?? '') ? leads : purchases;
  const videoViews = findValue(row.actions, ['video_view']);
  const completions = findValue(row.video_p100_watched_actions, ['video_view']);
  const started = findValue(row.actions, ['onsite_conversion.messaging_conversation_started_7d']);
  const replies = findValue(row.actions, ['onsite_conversion.messaging_first_reply']);
  return {
    kind: 'delivery',
    level: 'ad',
    externalId: row.ad_id,
    campaignId: row.campaign_id,
    adSetId: row.adset_id,
    day: row.date_start,
    currency: row.account_currency,
    spend: row.spend,
    impressions: row.impressions,
    clicks: row.clicks,
    ...(row.reach !== undefined && { reach: row.reach }),
    // Meta omits zeros.
    conversions: findValue(row.actions, actionTypes) ?? '0',
    conversionValue: findValue(row.action_values, actionTypes) ?? '0',
    ...(videoViews !== undefined && { videoViews3s: Number(videoViews) }),
    ...(completions !== undefined && { videoCompletions: Number(completions) }),
    ...(started !== undefined && { messagingConversationsStarted: Number(started) }),
    ...(replies !== undefined && { messagingFirstReplies: Number(replies) }),
  };
}

const findValue = (actions: Insight['actions'], names: readonly string[]): string | undefined =>
  names
    .map((name) => actions.find(({ action_type }) => action_type === name)?.value)
    .find((value) => value !== undefined);
