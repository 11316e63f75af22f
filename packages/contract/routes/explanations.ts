import {
  creativeTraits,
  explainedReports,
  figureUnits,
  leftOutReasons,
  limits,
  outcomeProviders,
  relativeRanks,
  scoredOutcomes,
  scoreLayers,
  traitSources,
} from '@tributary/vocabulary';
import { z } from 'zod';
import {
  CalendarDate,
  CurrencyCode,
  DateRange,
  DecimalString,
  dateRangeFaults,
  ExactDecimal,
  IsoTimestamp,
  limitParameter,
  Pagination,
  page,
  Uuid,
} from '../primitives.ts';
import { route } from '../route.ts';
import {
  AttributionModelParameter,
  EntityLevel,
  ExplainedField,
  RevenueType,
  ScoreWindow,
  ScoreWindowParameter,
} from '../vocabulary.ts';
import { AsOf, access, Count, chapter, ReportMeta } from './report-parts.ts';

/** Breaks a figure down into its components. */

const PathTouch = z
  .strictObject({
    occurred_at: IsoTimestamp,
    channel: z.string(),
    source: z.string(),
    campaign_external_id: z.string().nullable(),
    ad_set_external_id: z.string().nullable(),
    ad_external_id: z.string().nullable(),
    campaign_name: z
      .string()
      .nullable()
      .describe('As the platform names it; null while it told none. So are the next two.'),
    ad_set_name: z.string().nullable(),
    ad_name: z.string().nullable(),
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
  reveals: { days: 'requested', people: 'none', costs: false },
  chapter,
  access,
  params: z.object({ id: z.string().max(200).describe('Our id or the platform’s, or `unattributed`.') }),
  query: DateRange.safeExtend({
    model: AttributionModelParameter,
    level: EntityLevel.default('campaign'),
    limit: limitParameter(limits.campaignConversions.pageSize),
    cursor: z.string().max(200).optional(),
    ...AsOf,
  }),
  ids: { id: 'ad_entity' },
  refusals: ['campaign_not_found'],
  refusedAs: dateRangeFaults,
  answers: { 200: { schema: page(CampaignConversion, ReportMeta) } },
});

const ExplainedConversion = CampaignConversion.extend({
  contributes: DecimalString.describe('What it adds to the figure: 1 to a count, credit to an amount.'),
  original_amount: DecimalString.nullable().describe(
    'As it was paid, refunds subtracted. As it stood: null, like its rate, for the ledger has the latest only.',
  ),
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
      `Touches of the person that have no part in it, and why; the nearest ${limits.campaignConversions.leftOutTouches}. As it stood: none.`,
    ),
  duplicates: z
    .array(
      z.strictObject({
        outcome_event_id: Uuid,
        provider: z.enum([...outcomeProviders, 'manual']),
        external_id: z.string().nullable().describe('Null where it could be personal data.'),
        amount: DecimalString,
        currency: CurrencyCode,
        paid_at: IsoTimestamp,
      }),
    )
    .describe('Other records of the same sale, which are not counted. With `as_of`: none.'),
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

const ScoredLayer = z
  .strictObject({
    layer: z.enum(scoreLayers).describe('What the ad is looked at for.'),
    weight: z.number().describe('Of all layers; those of which nothing is known leave theirs to the others.'),
    percentile: z.number().min(0).max(100).describe('Its place in the cohort.'),
    contributes: ExactDecimal.describe('Points of the score.'),
  })
  .meta({ id: 'ScoredLayer' });

const CohortAd = z
  .strictObject({
    ad_id: Uuid.describe('Our id of the ad.'),
    ad_name: z.string(),
    figure: z.number().describe('What it is put in order by.'),
    standing: z.enum(relativeRanks).describe('Beside the ad that was asked for.'),
    contributes: ExactDecimal.describe(
      '1 where it stands below, 0.5 where it is equal, the ad itself among them, 0 above.',
    ),
  })
  .meta({ id: 'CohortAd' });

const Working = z
  .strictObject({
    score_window: ScoreWindow,
    scored_at: IsoTimestamp.describe('When the scores of the window were made.'),
    cohort_key: z.string(),
    cohort_n_ads: Count,
    smallest_cohort: Count.describe('With fewer ads there is no score.'),
    outcome: z.enum(scoredOutcomes).describe('What the cohort is for: it is counted for the money, and as volume.'),
    evidence: z.number().describe('Its outcomes, and one more for every so many clicks.'),
    clicks_per_outcome: Count.describe('So many clicks tell as much as one outcome.'),
    half_evidence: Count.describe('With so much evidence the score is half way between 50 and the blend.'),
    trust: z.number().describe('evidence / (evidence + half_evidence): how much of the way it is.'),
    traits: z
      .array(
        z.strictObject({
          trait: z.enum(creativeTraits).describe('In what ads differ.'),
          value: z.string().nullable().describe('Null: nobody has said.'),
          said_by: z.enum(traitSources).describe('An analysis of the creative, its platform, or nobody.'),
          is_compared: z.boolean().describe('Whether the ads of the cohort are alike in it.'),
        }),
      )
      .describe('What the ad is like, as the ledger knows it now.'),
  })
  .meta({ id: 'ScoreWorking' });

const about = z.string().min(1, 'must not be empty').max(64).optional();

export const explain = route({
  id: 'explain',
  method: 'GET',
  path: '/api/v1/explain',
  summary: 'What a figure of a report is made of',
  description:
    'Names a figure as a report shows it, and gives the rows that the report read for it: conversions with their paths, shares and ' +
    'rates, or days of delivery; of a gap both, the second with a minus. Over all pages their `contributes` add up to `value` exactly. Of a score, the ' +
    'layers that it is made of; of a place in a layer, the ads that stand there beside it.',
  reveals: { days: 'requested', people: 'none', costs: true },
  chapter,
  access,
  query: DateRange.safeExtend({
    report: z.enum(explainedReports).default('campaigns'),
    field: ExplainedField,
    entity_id: z
      .string()
      .max(200)
      .optional()
      .describe(
        'The row’s campaign_id, entity_id or ad_id, or `unattributed`. Absent, like `platform` and `channel`: everything (the overview).',
      ),
    platform: about
      .meta({ examples: ['meta_ads'] })
      .describe('A platform’s total of the comparison, in place of an entity.'),
    channel: about
      .meta({ examples: ['paid_social', 'no_touch'] })
      .describe('A channel of the overview, in place of an entity: conversions by their last touch.'),
    connection_id: Uuid.optional().describe(
      'An account’s total, in place of an entity: what the rows of GET /campaigns with the same connection_id add up to.',
    ),
    window: ScoreWindowParameter.describe(
      'Of top_performers: its window, whose days count in place of those asked for.',
    ),
    level: EntityLevel.default('campaign'),
    model: AttributionModelParameter,
    type: z.string().max(64).optional().describe('Only conversions of this type, as in attributed_outcomes_by_type.'),
    limit: limitParameter(limits.campaignConversions.pageSize),
    cursor: z.string().max(200).optional(),
    ...AsOf,
  }),
  ids: { entity_id: 'ad_entity', connection_id: 'connection' },
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
            .describe(
              'Of a ratio: what is divided by what; of a gap: what is taken from what. Ask for each to see its rows.',
            ),
          conversions: z.array(ExplainedConversion),
          delivery: z.array(ExplainedDelivery),
          layers: z.array(ScoredLayer).describe('Of a score.'),
          cohort: z.array(CohortAd).describe('Of a place among other ads.'),
          working: Working.nullable().describe('Of a score and of what it is made of; null of every other figure.'),
          row_count: Count.describe('Rows in all, over all pages.'),
          contributes: ExactDecimal.describe('The sum over all pages, before rounding.'),
          exclusions: z
            .array(z.strictObject({ reason: z.string(), count: Count, meaning: z.string() }))
            .describe(
              'What could have counted and did not: conversions and days without a rate, what changed since ads were scored.',
            ),
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
