import { limits } from '@tributary/vocabulary';
import { z } from 'zod';
import {
  CalendarDate,
  CurrencyCode,
  DateRange,
  data,
  dateRangeFaults,
  limitParameter,
  page,
  Uuid,
} from '../primitives.ts';
import { route } from '../route.ts';
import { AttributionModelParameter, EntityLevel, LearningStage } from '../vocabulary.ts';
import {
  Amount,
  AsOf,
  Closed,
  ClosedMeta,
  Count,
  chapter,
  DeliveryMeta,
  Money,
  Outcomes,
  Ratio,
  ReportMeta,
  sharedAccess,
} from './report-parts.ts';

/** Costs and results of campaigns, ad sets and ads. Days are in the profile's time zone, money is in its reporting currency. */
const CampaignRow = z
  .strictObject({
    campaign_id: Uuid.describe('Our id of the row’s campaign, ad set or ad, whatever the level.'),
    campaign_name: z.string().describe('Its name on the platform; its platform id while nobody has told the name.'),
    external_id: z
      .string()
      .nullable()
      .describe('Its id on the platform, as somebody told it or a click named it. Null: neither is kept any more.'),
    platform: z.string(),
    spend: Amount,
    ...Outcomes,
    roas: Ratio.describe('outcome_value / spend. Null without spend.'),
    cac_first_payment: Ratio.describe('spend / outcome_count_first_payment.'),
    ...Closed,

    entity_level: EntityLevel.optional(),
    parent_name: z.string().nullable().optional().describe('Of its ad set or campaign. Null: unknown, or a campaign.'),
    impressions: Count.optional(),
    clicks: Count.optional(),
    reach: Count.nullable().optional().describe('The sum of the days’ reach: no more people than this were reached.'),
    ctr: Ratio.optional().describe('Clicks in a hundred impressions.'),
    avg_cpm: Ratio.optional().describe('Spend for a thousand impressions.'),
    avg_cpc: Ratio.optional(),
    cac: Ratio.optional().describe('spend / outcome_count.'),
    status: z
      .string()
      .nullable()
      .optional()
      .meta({ examples: ['ACTIVE', 'PAUSED'] }),
    objective: z.string().nullable().optional().describe('Of ad sets and ads: their campaign’s.'),
    daily_budget: Money.nullable().optional().describe('In budget_currency, if one is set.'),
    budget_currency: CurrencyCode.nullable()
      .optional()
      .describe('The ad account’s own currency. Null without a budget.')
      .meta({ examples: ['USD'] }),
    campaign_external_id: z.string().nullable().optional(),
    ad_set_external_id: z.string().nullable().optional(),
    messaging_conversations_started_7d: Count.nullable().optional().describe('As the platform reports it.'),
    connection_id: Uuid.nullable()
      .optional()
      .describe('The connection of the account that reported it. Null: a file or the API did.'),
    account_name: z.string().nullable().optional().describe('The name of that account.'),
  })
  .meta({
    id: 'CampaignRow',
    description: 'From entity_level on, fields are there only when `level` was asked for.',
  });

export const listCampaigns = route({
  id: 'listCampaigns',
  method: 'GET',
  path: '/api/v1/campaigns',
  summary: 'What campaigns, ad sets or ads cost and earned',
  description:
    'Ranked by outcome_value, then by id. An entity counts a conversion when it earned a share of it under the model. Under ' +
    'last_touch, first_touch and last_non_direct the rows and GET /campaigns/unattributed add up to all conversions; under the ' +
    'other models a conversion counts under each entity that it credits. Compare counts within one model only.',
  reveals: { days: 'requested', people: 'none', costs: true },
  chapter,
  access: sharedAccess,
  query: DateRange.safeExtend({
    model: AttributionModelParameter,
    limit: limitParameter(limits.campaigns.pageSize),
    level: EntityLevel.optional().describe('Rows of this level, with its further fields. Absent: campaigns, in short.'),
    parent_id: z
      .string()
      .min(1, 'must not be empty')
      .max(200)
      .optional()
      .describe(
        'Only what belongs to this campaign, or of ads to this ad set: our id, or the platform’s. Without `level`: the one below.',
      ),
    connection_id: Uuid.optional().describe(
      'Only what the account of this connection reported, also under its earlier connections.',
    ),
    cursor: z.string().max(200).optional().describe('From the page before.'),
    ...AsOf,
  }),
  ids: { parent_id: 'ad_entity', connection_id: 'connection' },
  refusals: ['not_found'],
  refusedAs: dateRangeFaults,
  answers: { 200: { schema: page(CampaignRow, { ...ReportMeta, ...ClosedMeta }) } },
});

export const readUnattributed = route({
  id: 'readUnattributed',
  method: 'GET',
  path: '/api/v1/campaigns/unattributed',
  summary: 'The conversions that no campaign, ad set or ad earned',
  description:
    'What is left beside the rows of GET /campaigns at the same level: at level ad, also what earned a campaign whose ad nobody named. ' +
    'Counts are of conversions of which no entity of the level has a share; outcome_value is all that none of them got, also of ' +
    'payments that an entity has a share of.',
  reveals: { days: 'requested', people: 'none', costs: false },
  chapter,
  access: sharedAccess,
  query: DateRange.safeExtend({
    model: AttributionModelParameter,
    level: EntityLevel.default('campaign'),
    ...AsOf,
  }),
  refusedAs: dateRangeFaults,
  answers: {
    200: {
      schema: data(
        z.strictObject({
          entity_level: EntityLevel,
          ...Outcomes,
          ...Closed,
          partly_credited_count: Count.describe(
            'Payments that share outcome_value with an entity. 0 under the models of one credit.',
          ),
        }),
        { ...ReportMeta, ...ClosedMeta },
      ),
    },
  },
});

const TrendRow = z
  .strictObject({ entity_id: Uuid, date: CalendarDate, spend: Amount, impressions: Count, clicks: Count })
  .meta({ id: 'TrendRow' });

const { maxEntities } = limits.campaignTrend;

export const readCampaignTrend = route({
  id: 'readCampaignTrend',
  method: 'GET',
  path: '/api/v1/campaigns/trend',
  summary: 'Spend, impressions and clicks by day',
  description: 'A row for every entity and day, zero where nothing was delivered. An unknown id gives no rows.',
  reveals: { days: 'requested', people: 'none', costs: true },
  chapter,
  access: sharedAccess,
  query: DateRange.safeExtend({
    entity_ids: z
      .string()
      .max(1_000)
      .meta({ examples: ['0d1f9c3e-6f1e-5b5a-8f0a-1c2d3e4f5a6b'] })
      .transform((ids) => ids.split(',').map((id) => id.trim()))
      .pipe(z.array(Uuid).max(maxEntities, `may hold up to ${maxEntities} ids`))
      .describe(`Our ids (campaign_id), up to ${maxEntities}, with commas between.`),
    level: EntityLevel.default('campaign'),
    ...AsOf,
  }),
  refusedAs: dateRangeFaults,
  answers: { 200: { schema: data(z.array(TrendRow), DeliveryMeta) } },
});

const Entity = CampaignRow.omit({ closed_value: true, changed_since: true })
  .required()
  .extend({
    learning_stage_status: LearningStage.nullable().describe(
      'Of an ad set, from the nightly copy. Null at other levels.',
    ),
    campaign_objective: z.string().nullable().describe('Of an ad set, from the nightly copy. Null at other levels.'),
  });

export const readAd = route({
  id: 'readAd',
  method: 'GET',
  path: '/api/v1/ads/{id}',
  summary: 'What one ad, ad set or campaign cost and earned',
  reveals: { days: 'requested', people: 'none', costs: true },
  chapter,
  access: sharedAccess,
  params: z.object({ id: z.string().max(200).describe('Our id or the platform’s.') }),
  query: DateRange.safeExtend({ model: AttributionModelParameter, level: EntityLevel.default('ad'), ...AsOf }),
  ids: { id: 'ad' },
  refusals: ['campaign_not_found'],
  refusedAs: dateRangeFaults,
  answers: { 200: { schema: data(Entity, ReportMeta) } },
});
