import { limits, spendStatuses } from '@tributary/vocabulary';
import { z } from 'zod';
import { placeOf } from '../fault-messages.ts';
import { ItemFault } from '../item-fault.ts';
import { CalendarDate, CurrencyCode, data, Platform, Uuid } from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { EntityLevel, LearningStage } from '../vocabulary.ts';

/** Ad spend from sources other than connections: files, scripts, unsupported platforms. */

const { maxRows } = limits.spend;

const ExternalId = z
  .string()
  .trim()
  .regex(/^[^\s\p{C}]{1,200}$/u, 'must have 1 to 200 characters and no space')
  .meta({ examples: ['120210987654321', 'urn:li:sponsoredCampaign:1'] });
const Label = z
  .string()
  .trim()
  .regex(/^[^\p{Cc}]{0,400}$/u, 'may have up to 400 characters and no control character')
  .meta({ examples: ['Winter sale', 'Invierno 2026 | vídeo'] })
  .nullish();
const Word = z
  .string()
  .trim()
  .regex(/^[\w.-]{0,60}$/, 'may have up to 60 letters, digits, "_", "." and "-"')
  .meta({ examples: ['ACTIVE', 'PAUSED', 'OUTCOME_SALES'] })
  .nullish();
const Count = z
  .union([z.int().min(0), z.string().regex(/^\d{1,15}$/)], { error: 'must be a whole number, 0 or more' })
  .meta({ examples: [0, 1250, '48210'] });
const Amount = z
  .union([z.number(), z.string().max(60)], { error: 'must be a number, or one written as text' })
  .meta({ examples: ['1250.50', '0', 12.5, '990'] });

const SpendRow = z
  .strictObject({
    line: z.int().min(1).optional().describe('Where the row stands in your file. Its result says it again.'),
    platform: Platform,
    level: EntityLevel,
    external_id: ExternalId.describe('The platform’s own id of the campaign, ad set or ad.'),
    name: Label.describe('Its name; a later day may bring another.'),
    status: Word,
    objective: Word,
    format: Word,
    daily_budget: Amount.nullish().describe('What the platform may spend on it in a day, in the same currency.'),
    learning_stage_status: LearningStage.nullish().describe('Of an ad set.'),
    campaign_external_id: ExternalId.nullish().describe('Of an ad set or ad. The campaign need not be known yet.'),
    campaign_name: Label,
    ad_set_external_id: ExternalId.nullish().describe('Of an ad. The ad set need not be known yet.'),
    ad_set_name: Label,
    date: CalendarDate.describe('The day in the time zone of the ad account, from 2000-01-01 to today.'),
    currency: CurrencyCode,
    spend: Amount.describe('In that currency, exact when sent as text.'),
    impressions: Count.nullish().describe('0 when absent.'),
    clicks: Count.nullish().describe('0 when absent.'),
    reach: Count.nullish(),
    conversions: Amount.nullish().describe('What the platform itself claims, also in fractions.'),
    conversion_value: Amount.nullish().describe('What the platform says they were worth.'),
    video_views_3s: Count.nullish().describe('Video plays of at least three seconds.'),
    video_completions: Count.nullish().describe('Video plays to the end, or of at least 15 seconds.'),
    messaging_conversations_started: Count.nullish(),
    messaging_first_replies: Count.nullish(),
  })
  .meta({
    id: 'SpendRow',
    description:
      'All figures of one campaign, ad set or ad on one day. Sent again, it takes the place of the earlier one.',
  });

export interface SpendFault {
  readonly field: string;
  readonly message: string;
}

/** A sent row: valid, or with its fault. */
export type JudgedSpendRow =
  | { readonly row: z.output<typeof SpendRow>; readonly line?: number | undefined }
  | { readonly fault: SpendFault; readonly line?: number | undefined };

// An invalid row does not reject the others. JSON Schema generation calls this without an issue, and gets a value without a
// fault.
const JudgedRow = SpendRow.transform((row): JudgedSpendRow => ({ row, line: row.line })).catch(
  (refused) =>
    (refused && {
      fault: faultOf(refused.error.issues[0], refused.input),
      line: lineOf(refused.input),
    }) as JudgedSpendRow,
);

function faultOf(issue: z.core.$ZodIssue | undefined, input: unknown): SpendFault {
  if (input instanceof ItemFault) return { field: input.field, message: input.message };
  const [field = ''] = issue ? placeOf(issue) : [];
  if (!issue || field === '') return { field, message: 'must be a row with the fields of SpendRow' };
  // All forms of a figure share one message, also if the figure is missing.
  if ((input as Record<string, unknown>)[field] === undefined) return { field, message: 'is required' };
  return { field, message: issue.message };
}

const Line = z.object({ line: z.int().min(1) });
const lineOf = (input: unknown): number | undefined => Line.safeParse(input).data?.line;

const SpendResult = z.union([
  z.strictObject({
    index: z.int(),
    line: z.int().optional(),
    status: z.enum(spendStatuses),
    entity_id: Uuid.describe('Our id of the campaign, ad set or ad.'),
  }),
  z.strictObject({
    index: z.int(),
    line: z.int().optional(),
    status: z.literal('rejected'),
    code: z.string(),
    field: z.string(),
    message: z.string(),
  }),
]);

const Total = z.int().min(0);

export const importSpend = route({
  id: 'importSpend',
  method: 'POST',
  path: '/api/v1/spend',
  summary: 'Record what was spent on ads, by day',
  description:
    'Up to 1,000 rows, each with a result of its own. A row is known by platform, level, external_id and date: the same again is ' +
    '`unchanged`, other figures are a restatement (`updated`), and what was said before is kept. Reports show it within seconds. ' +
    'As text/csv the first line names the fields, and an empty cell says nothing.',
  chapter: 'Campaigns',
  audit: 'not needed: a restated day keeps its earlier figures in a history',
  access: { credentials: ['api_key', 'app', 'session', 'mcp'], scopes: anyOf('attribution:write'), grain: 'profile' },
  rate: 'ingest',
  idempotency: 'accepted',
  body: {
    example: {
      rows: [
        {
          platform: 'social_ads',
          level: 'ad',
          external_id: '120210000000000044',
          name: 'Video, 15 s',
          campaign_external_id: '120210000000000042',
          campaign_name: 'Winter sale',
          ad_set_external_id: '120210000000000043',
          date: '2026-11-02',
          currency: 'USD',
          spend: '48.20',
          impressions: 12500,
          clicks: 310,
        },
      ],
    },
    items: 'rows',
    csv: true,
    schema: z.strictObject({
      rows: z.array(JudgedRow).min(1, `must hold 1 to ${maxRows} rows`).max(maxRows, `must hold 1 to ${maxRows} rows`),
    }),
    maxBytes: 2 * 1024 * 1024,
  },
  answers: {
    200: {
      schema: data(
        z.strictObject({
          results: z.array(SpendResult).describe('One for each row, in the order of the request.'),
          summary: z.strictObject({ total: Total, recorded: Total, updated: Total, unchanged: Total, rejected: Total }),
        }),
      ),
    },
  },
});

/** Validates a row from outside a request, for example from a file. */
export const judgeSpendRow = (candidate: unknown): JudgedSpendRow => JudgedRow.parse(candidate);

/** The allowed columns of a file. */
export const spendColumns: readonly string[] = Object.keys(SpendRow.shape).filter((name) => name !== 'line');
