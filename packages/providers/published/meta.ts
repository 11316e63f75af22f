import { createMeta } from '../meta/index.ts';
import { asProvider } from '../registry.ts';
import type { PublishedExamples } from './example.ts';

const insights =
  'developers.facebook.com/documentation/ads-commerce/marketing-api/insights; facebook-nodejs-business-sdk src/objects/ads-insights.js';
const nodes =
  'developers.facebook.com/documentation/ads-commerce/marketing-api/reference: campaign, ad-set, adgroup; facebook-nodejs-business-sdk src/objects';
const budgets = 'developers.facebook.com/documentation/ads-commerce/marketing-api/currencies';

const cursors = { before: 'MAZDZD', after: 'MAZDZD' };
const page = (row: unknown) => ({ data: [row], paging: { cursors } });
const row = (over: object) => ({
  account_id: '1234567890',
  account_currency: 'USD',
  campaign_id: '23840000000000001',
  adset_id: '23840000000000002',
  ad_id: '23840000000000003',
  date_start: '2026-03-01',
  date_stop: '2026-03-01',
  impressions: '361324',
  spend: '5339.5',
  ...over,
});
const day = (over: object) => ({
  kind: 'delivery',
  level: 'ad',
  externalId: '23840000000000003',
  campaignId: '23840000000000001',
  adSetId: '23840000000000002',
  day: '2026-03-01',
  currency: 'USD',
  spend: '5339.5',
  impressions: 361_324,
  clicks: 0,
  conversions: '0',
  conversionValue: '0',
  ...over,
});
const ofDay = (name: string, over: object, said: object) => ({
  name,
  source: insights,
  answers: { '/insights': page(row(over)) },
  said: [day(said)],
});
const entity = (over: object) => ({ kind: 'entity', currency: 'USD', ...over });

export const metaExamples: PublishedExamples = {
  provider: asProvider(
    createMeta({
      clientId: 'c',
      clientSecret: 's',
      apiUrl: 'https://graph.facebook.com',
      dialogUrl: 'https://www.facebook.com',
      apiVersion: 'v26.0',
    }),
  ),
  account: {
    externalId: 'act_1234567890',
    credentials: { accessToken: 't', expiresAt: null, granted: [] },
    details: { currency: 'USD', timeZone: 'UTC' },
  },
  // All days but today have been read before.
  position: { stage: 'done', restatedOn: '2026-03-01' },
  empty: () => ({ data: [], paging: {} }),
  examples: [
    ofDay('a day without actions', {}, {}),
    ofDay(
      'a day with purchases under all their names',
      {
        clicks: '912',
        reach: '200001',
        actions: [
          { action_type: 'link_click', value: '900' },
          { action_type: 'purchase', value: '9' },
          { action_type: 'omni_purchase', value: '12' },
          { action_type: 'offsite_conversion.fb_pixel_purchase', value: '9' },
          { action_type: 'web_in_store_purchase', value: '9' },
        ],
        action_values: [
          { action_type: 'purchase', value: '451.1' },
          { action_type: 'omni_purchase', value: '601.47' },
        ],
        objective: 'OUTCOME_SALES',
      },
      { clicks: 912, reach: 200_001, conversions: '12', conversionValue: '601.47' },
    ),
    ofDay(
      'a day of a campaign for leads',
      {
        objective: 'OUTCOME_LEADS',
        actions: [
          { action_type: 'lead', value: '31' },
          { action_type: 'purchase', value: '2' },
        ],
      },
      { conversions: '31' },
    ),
    ofDay(
      'a day of videos and chats',
      {
        actions: [
          { action_type: 'video_view', value: '5400' },
          { action_type: 'onsite_conversion.messaging_conversation_started_7d', value: '17' },
          { action_type: 'onsite_conversion.messaging_first_reply', value: '11' },
          { action_type: 'some_action_that_is_new', value: '3', '7d_click': '3' },
        ],
        video_p100_watched_actions: [{ action_type: 'video_view', value: '321' }],
      },
      { videoViews3s: 5_400, videoCompletions: 321, messagingConversationsStarted: 17, messagingFirstReplies: 11 },
    ),
    ofDay(
      'a day in a currency without a smaller unit',
      { account_currency: 'CLP', spend: '120345' },
      { currency: 'CLP', spend: '120345' },
    ),
    {
      name: 'a campaign with a budget',
      source: nodes,
      answers: {
        '/campaigns': page({
          id: '23840000000000001',
          name: 'Winter sale',
          objective: 'OUTCOME_SALES',
          status: 'PAUSED',
          effective_status: 'PAUSED',
          daily_budget: '5000',
          updated_time: '2026-02-01T10:00:00+0000',
        }),
      },
      said: [
        entity({
          level: 'campaign',
          externalId: '23840000000000001',
          name: 'Winter sale',
          status: 'PAUSED',
          objective: 'OUTCOME_SALES',
          dailyBudget: '50.00',
        }),
      ],
    },
    {
      name: 'a campaign with a budget for its whole life',
      source: budgets,
      answers: {
        '/campaigns': page({
          id: '23840000000000001',
          name: 'Launch',
          objective: 'MESSAGES',
          status: 'ACTIVE',
          effective_status: 'WITH_ISSUES',
          lifetime_budget: '900000',
        }),
      },
      said: [
        entity({
          level: 'campaign',
          externalId: '23840000000000001',
          name: 'Launch',
          status: 'ACTIVE',
          objective: 'MESSAGES',
        }),
      ],
    },
    {
      name: 'an ad set whose learning is in a stage that is new',
      source: nodes,
      answers: {
        '/adsets': page({
          id: '23840000000000002',
          name: 'Lookalikes',
          campaign_id: '23840000000000001',
          status: 'ACTIVE',
          effective_status: 'CAMPAIGN_PAUSED',
          daily_budget: '0',
          destination_type: 'WHATSAPP',
          learning_stage_info: { status: 'WAITING', conversions: 3, last_sig_edit_ts: 1_772_000_000 },
        }),
      },
      said: [
        entity({
          level: 'ad_set',
          externalId: '23840000000000002',
          campaignId: '23840000000000001',
          name: 'Lookalikes',
          status: 'ACTIVE',
          learningStage: 'WAITING',
        }),
      ],
    },
    {
      name: 'an archived ad without a creative',
      source: nodes,
      answers: {
        '/ads': page({
          id: '23840000000000003',
          name: 'Film',
          adset_id: '23840000000000002',
          campaign_id: '23840000000000001',
          status: 'ARCHIVED',
          effective_status: 'ARCHIVED',
        }),
      },
      said: [
        entity({
          level: 'ad',
          externalId: '23840000000000003',
          campaignId: '23840000000000001',
          adSetId: '23840000000000002',
          name: 'Film',
          status: 'ARCHIVED',
        }),
      ],
    },
  ],
};
