import {
  excludedKinds,
  exclusionReasons,
  explainedReports,
  figureUnits,
  leftOutReasons,
  limits,
} from '@tributary/vocabulary';
import { z } from 'zod';
import {
  CalendarDate,
  CurrencyCode,
  DateRange,
  DecimalString,
  data,
  dateRangeFaults,
  ExactDecimal,
  IsoTimestamp,
  limitParameter,
  Pagination,
  page,
  Uuid,
} from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import {
  AttributionModel,
  AttributionModelParameter,
  EntityLevel,
  ExplainedField,
  Freshness,
  LearningStage,
  RevenueType,
} from '../vocabulary.ts';

/** What campaigns, ad sets and ads cost and earned. Days are the profile's, money is in its reporting currency. */

const chapter = 'Campaigns';
const access = {
  credentials: ['api_key', 'app', 'session', 'mcp'],
  scopes: anyOf('campaigns:read'),
  grain: 'profile',
} as const;

const Count = z.int().min(0);
/** Rounded to the minor unit of the reporting currency, and only here. */
const Money = z.number();
/** Nothing is 0; what is there and cannot be told is null. */
const Amount = Money.nullable().describe(
  'Null: there is some, and none of it could be converted; `meta.exclusions` says how much.',
);
const Ratio = z.number().nullable();

const Stage = z.strictObject({
  state: Freshness.describe(
    `\`behind\` where something has waited longer than ${limits.freshness.behindAfterMinutes} minutes.`,
  ),
  waiting_since: IsoTimestamp.nullable().describe(
    'Of the oldest change that is not in the figures yet. Null: nothing waits.',
  ),
});
const DeliveryMeta = {
  date_from: CalendarDate,
  date_to: CalendarDate,
  currency: CurrencyCode.describe('The reporting currency: that of every amount here.'),
  exclusions: z
    .array(
      z
        .strictObject({
          of: z.enum(excludedKinds).describe('`payments`, or days of `spend`.'),
          reason: z.enum(exclusionReasons),
          currency: CurrencyCode,
          count: Count.describe(`Of payments, up to ${limits.exclusions.counted.toLocaleString('en')}.`),
          amount: DecimalString.describe('In that currency.'),
        })
        .meta({ id: 'Exclusion' }),
    )
    .describe(
      'Money of these days, of the whole profile, that is in no amount here. Payments among it are counted all the same.',
    ),
  freshness: z
    .strictObject({ attribution: Stage, delivery: Stage })
    .describe('How far the figures are: credit of conversions, and what platforms delivered and charged.'),
};
const ReportMeta = { ...DeliveryMeta, model: AttributionModel };

const ByType = z
  .record(z.string(), z.int().min(1))
  .describe('attributed_outcome_count by conversion type. A type with nothing credited is absent.');

/** What was credited, the same on a row, on one entity and on the rest that no entity earned. */
const Outcomes = {
  outcome_count: Count.describe('Payments credited under the model. Cost figures divide by it.'),
  outcome_value: Amount.describe('Cash credited, refunds subtracted. Null: none of it could be converted.'),
  outcome_count_first_payment: Count.describe('Of outcome_count, first purchases; deposit and balance are one.'),
  attributed_outcome_count: Count.describe('Conversions of every kind credited. Not cash: never divide by it.'),
  attributed_outcomes_by_type: ByType,
};

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
    objective: z.string().nullable().optional(),
    daily_budget: Money.nullable().optional().describe('In the ad account’s own currency, if one is set.'),
    campaign_external_id: z.string().nullable().optional(),
    ad_set_external_id: z.string().nullable().optional(),
    messaging_conversations_started_7d: Count.nullable().optional().describe('As the platform reports it.'),
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
  chapter,
  access,
  query: DateRange.safeExtend({
    model: AttributionModelParameter,
    limit: limitParameter(limits.campaigns.pageSize),
    level: EntityLevel.optional().describe('Rows of this level, with its further fields. Absent: campaigns, in short.'),
    cursor: z.string().max(200).optional().describe('From the page before.'),
  }),
  refusedAs: dateRangeFaults,
  answers: { 200: { schema: page(CampaignRow, ReportMeta) } },
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
  chapter,
  access,
  query: DateRange.safeExtend({ model: AttributionModelParameter, level: EntityLevel.default('campaign') }),
  refusedAs: dateRangeFaults,
  answers: {
    200: {
      schema: data(
        z.strictObject({
          entity_level: EntityLevel,
          ...Outcomes,
          partly_credited_count: Count.describe(
            'Payments that share outcome_value with an entity. 0 under the models of one credit.',
          ),
        }),
        ReportMeta,
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
  chapter,
  access,
  query: DateRange.safeExtend({
    entity_ids: z
      .string()
      .max(1_000)
      .meta({ examples: ['0d1f9c3e-6f1e-5b5a-8f0a-1c2d3e4f5a6b'] })
      .transform((ids) => ids.split(',').map((id) => id.trim()))
      .pipe(z.array(Uuid).max(maxEntities, `may hold up to ${maxEntities} ids`))
      .describe(`Our ids (campaign_id), up to ${maxEntities}, with commas between.`),
    level: EntityLevel.default('campaign'),
  }),
  refusedAs: dateRangeFaults,
  answers: { 200: { schema: data(z.array(TrendRow), DeliveryMeta) } },
});

const Entity = CampaignRow.required().extend({
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
  chapter,
  access,
  params: z.object({ id: z.string().max(200).describe('Our id or the platform’s.') }),
  query: DateRange.safeExtend({ model: AttributionModelParameter, level: EntityLevel.default('ad') }),
  ids: { id: 'ad' },
  refusals: ['campaign_not_found'],
  refusedAs: dateRangeFaults,
  answers: { 200: { schema: data(Entity, ReportMeta) } },
});

const PathTouch = z
  .strictObject({
    occurred_at: IsoTimestamp,
    channel: z.string(),
    source: z.string(),
    campaign_external_id: z.string().nullable(),
    ad_set_external_id: z.string().nullable(),
    ad_external_id: z.string().nullable(),
    credit: DecimalString.describe('What the touch earned under the model, exactly.'),
    is_of_entity: z.boolean().describe('Whether the entity asked for earned it.'),
  })
  .meta({ id: 'PathTouch' });

const CampaignConversion = z
  .strictObject({
    conversion_id: Uuid,
    outcome_event_id: Uuid.nullable().describe(
      'The id that was given when it was sent in. Another than conversion_id.',
    ),
    conversion_type: z.string(),
    revenue_type: RevenueType,
    conversion_time: IsoTimestamp,
    value: DecimalString.nullable().describe('In the reporting currency. Null: there is no rate for its own.'),
    credited_value: DecimalString.describe('The part of it that the entity earned.'),
    currency: CurrencyCode,
    is_first_payment: z.boolean().nullable().describe('Null when it is not a payment.'),
    touch_count: Count.describe('Of the window, also where the path shows fewer.'),
    path: z.array(PathTouch).describe(`The first touch and the last ${limits.path.touches - 1}.`),
  })
  .meta({ id: 'CampaignConversion' });

export const listCampaignConversions = route({
  id: 'listCampaignConversions',
  method: 'GET',
  path: '/api/v1/campaigns/{id}/conversions',
  summary: 'The conversions behind a row',
  description:
    'Newest first. `unattributed` in place of the id gives those of GET /campaigns/unattributed. Pages end early when paths are ' +
    'long: follow the cursor while has_next is true.',
  chapter,
  access,
  params: z.object({ id: z.string().max(200).describe('Our id or the platform’s, or `unattributed`.') }),
  query: DateRange.safeExtend({
    model: AttributionModelParameter,
    level: EntityLevel.default('campaign'),
    limit: limitParameter(limits.campaignConversions.pageSize),
    cursor: z.string().max(200).optional(),
  }),
  ids: { id: 'ad_entity' },
  refusals: ['campaign_not_found'],
  refusedAs: dateRangeFaults,
  answers: { 200: { schema: page(CampaignConversion, ReportMeta) } },
});

const Sides = {
  spend: Amount,
  platform_conversions: z.number().nullable().describe('Null: the platform reported nothing.'),
  platform_conversion_value: DecimalString.nullable(),
  atribu_conversions: Count.describe('Conversions that we credit.'),
  atribu_cash_conversions: Count.describe('The payments among them.'),
  atribu_cash_revenue: DecimalString.nullable().describe(
    'Cash that we credit, refunds subtracted. Null as outcome_value.',
  ),
  conversion_gap: z.number().nullable().describe('Ours minus the platform’s. Negative: the platform claims more.'),
  conversion_gap_pct: z.number().nullable().describe('The gap in percent of the platform’s count.'),
  value_gap: DecimalString.nullable().describe('Our cash minus the platform’s value.'),
  platform_roas: Ratio,
  atribu_roas: Ratio,
};

export const readPlatformComparison = route({
  id: 'readPlatformComparison',
  method: 'GET',
  path: '/api/v1/campaigns/platform-comparison',
  summary: 'What platforms claim, beside what we credit',
  description: `The two sides count differently and are never added together. Of more than ${limits.platformComparison.maxEntities.toLocaleString('en')} entities, those that earned most.`,
  chapter,
  access,
  query: DateRange.safeExtend({ model: AttributionModelParameter, level: EntityLevel.default('campaign') }),
  refusedAs: dateRangeFaults,
  answers: {
    200: {
      schema: data(
        z.strictObject({
          platforms: z.array(
            z
              .strictObject({
                platform: z.string(),
                ...Sides,
                reported_basis: z.string().describe('What the platform’s count means.'),
                has_delivery: z.boolean(),
                delivery_through: CalendarDate.nullable().describe('The last day that was told.'),
                unassigned_conversions: Count.describe(
                  'Credit of paid clicks that named no ad; the same at every level.',
                ),
                unassigned_cash_revenue: DecimalString,
              })
              .meta({ id: 'PlatformTotal' }),
          ),
          rows: z.array(
            z
              .strictObject({
                entity_id: Uuid,
                external_id: z.string().nullable(),
                name: z.string(),
                platform: z.string(),
                ...Sides,
              })
              .meta({ id: 'PlatformRow' }),
          ),
        }),
        ReportMeta,
      ),
    },
  },
});

const Totals = {
  spend: Amount,
  outcome_count: Count.describe('Payments.'),
  outcome_value: Amount,
  attributed_outcome_count: Count.describe('Conversions of every kind, whoever earned them.'),
};

export const readOverview = route({
  id: 'readOverview',
  method: 'GET',
  path: '/api/v1/overview',
  summary: 'All spend and all conversions, in total and by day',
  description: 'Every conversion once, credited or not; so it is the same under every model.',
  chapter,
  access,
  query: DateRange,
  refusedAs: dateRangeFaults,
  answers: {
    200: {
      schema: data(
        z.strictObject({
          totals: z.strictObject({
            ...Totals,
            roas: Ratio,
            cac: Ratio,
            outcomes_by_type: z.record(z.string(), z.int().min(1)),
          }),
          days: z.array(z.strictObject({ date: CalendarDate, ...Totals })).describe('Every day, also those of zeros.'),
          channels: z
            .array(
              z.strictObject({
                channel: z.string(),
                outcome_count: Count,
                outcome_value: Amount,
                attributed_outcome_count: Count,
              }),
            )
            .describe('By the channel of the last touch; they add up to the totals.'),
        }),
        { ...DeliveryMeta, time_zone: z.string() },
      ),
    },
  },
});

// ── Explain ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

const ExplainedConversion = CampaignConversion.extend({
  contributes: DecimalString.describe('What it adds to the figure: 1 to a count, credit to an amount.'),
  original_amount: DecimalString.nullable().describe('As it was paid, refunds subtracted.'),
  original_currency: CurrencyCode.nullable(),
  rate: DecimalString.nullable().describe('Reporting currency for one unit of its own.'),
  rate_date: CalendarDate.nullable(),
  lookback_days: Count,
  left_out: z
    .array(
      z.strictObject({
        occurred_at: IsoTimestamp,
        channel: z.string(),
        reason: z.enum(leftOutReasons),
      }),
    )
    .describe(
      `Touches of the person that have no part in it, and why; the nearest ${limits.campaignConversions.leftOutTouches}.`,
    ),
}).meta({ id: 'ExplainedConversion' });

const ExplainedDelivery = z
  .strictObject({
    date: CalendarDate,
    entity_id: Uuid,
    name: z.string(),
    amount: DecimalString.describe('As the platform told it, in its account’s currency.'),
    currency: CurrencyCode,
    rate: DecimalString.nullable().describe('Null: there is none for that day, so it adds nothing.'),
    rate_date: CalendarDate.nullable(),
    contributes: ExactDecimal.describe('Not rounded.'),
  })
  .meta({ id: 'ExplainedDelivery' });

export const explain = route({
  id: 'explain',
  method: 'GET',
  path: '/api/v1/explain',
  summary: 'What a figure of a report is made of',
  description:
    'Names a figure as a report shows it, and gives the rows that the report read for it: conversions with their paths, shares and ' +
    'rates, or days of delivery. Over all pages their `contributes` add up to `value` exactly.',
  chapter,
  access,
  query: DateRange.safeExtend({
    report: z.enum(explainedReports).default('campaigns'),
    field: ExplainedField,
    entity_id: z
      .string()
      .max(200)
      .optional()
      .describe('The row’s campaign_id or entity_id, or `unattributed`. Absent: everything (the overview).'),
    level: EntityLevel.default('campaign'),
    model: AttributionModelParameter,
    type: z.string().max(64).optional().describe('Only conversions of this type, as in attributed_outcomes_by_type.'),
    limit: limitParameter(limits.campaignConversions.pageSize),
    cursor: z.string().max(200).optional(),
  }),
  ids: { entity_id: 'ad_entity' },
  refusals: ['not_found'],
  refusedAs: dateRangeFaults,
  answers: {
    200: {
      schema: z.strictObject({
        data: z.strictObject({
          field: ExplainedField,
          value: DecimalString.nullable().describe('The figure. Null where the report says null.'),
          unit: z.enum(figureUnits),
          formula: z.string().describe('In words.'),
          parts: z
            .array(z.strictObject({ field: ExplainedField, value: DecimalString.nullable() }))
            .describe('Of a ratio: what is divided by what. Ask for each to see its rows.'),
          conversions: z.array(ExplainedConversion),
          delivery: z.array(ExplainedDelivery),
          row_count: Count.describe('Rows in all, over all pages.'),
          contributes: ExactDecimal.describe('The sum over all pages, before rounding.'),
          exclusions: z
            .array(z.strictObject({ reason: z.string(), count: Count, meaning: z.string() }))
            .describe('What could have counted and did not: conversions without a rate, days without a rate.'),
        }),
        pagination: Pagination,
        meta: z.strictObject({
          profile_id: Uuid,
          ...ReportMeta,
          level: EntityLevel,
          time_zone: z.string(),
          from: IsoTimestamp.describe('The first moment that counts.'),
          until: IsoTimestamp.describe('The first that does not.'),
        }),
      }),
    },
  },
});
