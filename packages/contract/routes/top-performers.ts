import { limits, reasonPolarities, sampleConfidences, scoreLayers } from '@tributary/vocabulary';
import { z } from 'zod';
import { CalendarDate, CurrencyCode, data, IsoTimestamp, limitParameter, Uuid } from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import {
  CreativeFormat,
  Flag,
  MaturityStage,
  Objective,
  OutcomeKind,
  ScoreSource,
  ScoreWindow,
  ScoreWindowParameter,
  TruthGrade,
} from '../vocabulary.ts';
import { DeliveryMeta } from './report-parts.ts';

const Count = z.int().min(0);
const Figure = z.number().nullable();
const Text = z.string().nullable();

/** A notable property of an ad. */
export const ReasonCode = z.strictObject({
  layer: z.string().describe(`${scoreLayers.slice(0, -1).join(', ')} or ${scoreLayers.at(-1)}.`),
  polarity: z.enum(reasonPolarities),
  percentile: z.number().min(0).max(100).describe('Its place in the cohort.'),
  sample_confidence: z.enum(sampleConfidences),
});

export const TopPerformer = z
  .strictObject({
    ad_id: Uuid.describe('Our id, as in the campaign_id of GET /campaigns.'),
    platform: z.string(),
    ad_external_id: z.string(),
    ad_name: z.string(),
    campaign_name: Text,
    ad_set_name: Text,
    creative_thumbnail_url: Text,
    video_id: Text,
    score_window: ScoreWindow,
    composite_score: z.number().min(0).max(100).nullable().describe('The rank. Null until scored.'),
    top_performer_likelihood: z.number().min(0).max(1).describe('A probability: neither ROAS nor lift.'),
    model_version: z.int().nullable().describe('Null when score_source is rules.'),
    score_source: ScoreSource,
    maturity_stage: MaturityStage,
    truth_grade: TruthGrade,
    primary_outcome_kind: OutcomeKind,
    cohort_key: z.string(),
    cohort_objective: Text,
    cohort_format: Text,
    cohort_audience_warmth: Text,
    cohort_n_ads: Count,
    hook_type: Text,
    creative_format: CreativeFormat,
    cta_type: Text,
    primary_angle: Text,
    offers: z.array(z.string()),
    spend: z.number(),
    impressions: Count,
    ctr: Figure,
    cpc: Figure,
    attributed_cash_outcomes: Count,
    attributed_revenue: z.number(),
    roas: Figure,
    cac: Figure,
    attributed_outcomes_total: Count,
    attributed_pipeline_outcomes: Count,
    attributed_pipeline_value: z.number().describe('Projected, not cash.'),
    meta_reported_conversions: Figure.describe('The platform’s own count.'),
    meta_reported_conversion_value: Figure,
    cost_per_conversation: Figure,
    messaging_conversations_started: Count.nullable(),
    first_reply_rate: Figure,
    avg_engagement_score: Figure,
    reason_codes: z.array(ReasonCode),
  })
  .meta({ id: 'TopPerformer' });

/** A comma-separated list of names; unknown names are rejected. */
const some = <const Names extends Record<string, string>>(names: z.ZodEnum<Names>) =>
  z
    .string()
    .max(200)
    .transform((text) => text.split(','))
    .pipe(z.array(names))
    .describe(`Of ${names.options.join(', ')}; commas between.`)
    .meta({ examples: [names.options.slice(0, 2).join(','), String(names.options[0])] })
    .optional();

const { pageSize } = limits.topPerformers;

export const listTopPerformers = route({
  id: 'listTopPerformers',
  method: 'GET',
  path: '/api/v1/top-performers',
  summary: 'The ads that do best, scored against their likes',
  description:
    'Scores are made once a day, each ad against the profile’s own ads of the same kind. No rows: nothing is scored yet. A newly ' +
    'connected ad account needs one sync first.',
  reveals: { days: 'answered', people: 'none', costs: true },
  chapter: 'Campaigns',
  access: {
    credentials: ['api_key', 'app', 'session', 'mcp', 'shared_link'],
    scopes: anyOf('campaigns:read'),
    grain: 'profile',
  },
  query: z.object({
    window: ScoreWindowParameter,
    limit: limitParameter(pageSize),
    min_spend: z
      .string()
      .regex(/^\d{1,12}(\.\d{1,6})?$/, 'must be an amount, 0 or more')
      .transform(Number)
      .optional()
      .describe('In the window, in the reporting currency.'),
    objectives: some(Objective),
    truth_grades: some(TruthGrade),
    outcome_kinds: some(OutcomeKind),
    formats: some(CreativeFormat),
    has_video: Flag.optional().describe('true: only video creatives; false: only others.'),
  }),
  answers: {
    200: {
      schema: data(z.array(TopPerformer), {
        scored_at: IsoTimestamp.nullable().describe(
          'When these scores were made: what became known since is in the next. Null: nothing is scored yet.',
        ),
        date_from: CalendarDate.nullable().describe('Of the window. Null for `lifetime`, and while nothing is scored.'),
        date_to: CalendarDate.nullable(),
        ...{ currency: DeliveryMeta.currency, freshness: DeliveryMeta.freshness },
        exclusions: DeliveryMeta.exclusions.describe(
          'Money of the window’s days that could not be converted when the scores were made: it is in no amount here.',
        ),
      }),
    },
  },
});

const RankedPerformer = z.strictObject({
  profile_id: Uuid.describe('The profile whose ad it is.'),
  profile_name: z.string(),
  currency: CurrencyCode.describe('Of every amount of this ad: each profile reports in its own.'),
  ...TopPerformer.shape,
});

const { profiles } = limits.topPerformers;

/** Only available through the MCP server: over HTTP a credential is limited to one profile. */
export const rankTopPerformers = route({
  ...listTopPerformers,
  id: 'rankTopPerformers',
  path: '/mcp/top-performers',
  summary: 'The ads that do best over all your profiles',
  description:
    'By score, which is the place of an ad among the ads of its own profile; ads without a score are left out. Amounts are in the ' +
    `currency of each profile and are not added up. Up to ${profiles} profiles, by name; \`meta.profiles_left_out\` says how many more there are.`,
  reveals: { days: 'any', people: 'none', costs: true },
  access: { credentials: ['mcp'], scopes: anyOf('campaigns:read'), grain: 'profile' },
  answers: {
    200: {
      schema: data(z.array(RankedPerformer), {
        profiles: Count.describe('How many were looked at.'),
        profiles_left_out: Count,
      }),
    },
  },
});
