import { actionOutcomes, datasetSwitchModes, exportDatasets, exportRunStatuses, limits } from '@tributary/vocabulary';
import { z } from 'zod';
import {
  CurrencyCode,
  DecimalString,
  data,
  IsoTimestamp,
  IsoTimestampInput,
  limitParameter,
  page,
  Uuid,
} from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { Channel, PrivacyMode } from '../vocabulary.ts';
import { Count } from './report-parts.ts';

/** Export of outcomes to ad platforms. */

const chapter = 'Conversion exports';
const credentials = ['api_key', 'app', 'session', 'mcp'] as const;
const write = { credentials, scopes: anyOf('exports:write'), grain: 'profile' } as const;
const read = { credentials, scopes: anyOf('exports:read'), grain: 'profile' } as const;

const { everyMinutes, mostEvents } = limits.exports;
const PlatformId = z
  .string()
  .regex(/^[\w-]{1,64}$/, 'must be an id of the platform')
  .meta({ examples: ['120998877665544'] });

const Target = {
  connection_id: Uuid.describe('The connection of the ad account through which it is told.'),
  dataset: PlatformId.describe('The platform’s id of where events go: a pixel or dataset, a conversion action.'),
  messaging: z
    .strictObject({ account_id: PlatformId, dataset: PlatformId })
    .nullable()
    .describe('The messaging business account and its dataset: events of chats that an ad opened go there.'),
  events: z
    .record(z.string().max(100), z.string().min(1).max(50))
    .refine((events) => Object.keys(events).length <= mostEvents, `may name up to ${mostEvents} definitions`)
    .describe('By the key of a definition, what the platform calls such a conversion. What is not listed is not told.')
    .meta({ examples: [{ payment_received: 'Purchase', lead_created: 'Lead' }] }),
  every_minutes: z
    .int()
    .min(everyMinutes.min)
    .max(everyMinutes.max)
    .describe('A run begins so often, where there is something to tell.'),
  is_enabled: z.boolean(),
};

const ShownTarget = z
  .strictObject({
    id: Uuid,
    ...Target,
    clean_dataset: PlatformId.nullable(),
    target: z.enum(exportDatasets).describe('Which of the two datasets is told.'),
  })
  .meta({ id: 'ExportTarget' });

const Catalog = z.strictObject({ privacy_mode: PrivacyMode, exports: z.array(ShownTarget) });

const readExportCatalog = route({
  id: 'readExportCatalog',
  method: 'GET',
  path: '/api/v1/conversion-sync/catalog',
  summary: 'Which conversions each ad platform receives',
  reveals: { days: 'any', people: 'none', costs: false },
  chapter,
  access: read,
  answers: { 200: { schema: data(Catalog) } },
});

const updateExportCatalog = route({
  id: 'updateExportCatalog',
  method: 'PUT',
  path: '/api/v1/conversion-sync/catalog',
  summary: 'What ad platforms are told of outcomes, and how private the profile is',
  description:
    '`privacy_mode` makes the profile more private, never less: that is an owner’s or admin’s in the console. `exports` is the whole list: a target that is not in it ends. ' +
    'What is left out of the body stays as it is. Outcomes are told from the moment on at which their target is there.',
  chapter,
  access: write,
  audit: { action: 'exports.catalog_changed', of: 'profile:{caller.profileId}' },
  body: {
    example: { privacy_mode: 'platform_safe' },
    schema: z
      .strictObject({
        privacy_mode: PrivacyMode.optional(),
        exports: z
          .array(
            z.strictObject({
              ...Target,
              messaging: Target.messaging.default(null),
              every_minutes: Target.every_minutes.default(everyMinutes.default),
              is_enabled: Target.is_enabled.default(true),
            }),
          )
          .max(limits.exports.mostTargets)
          .optional(),
      })
      .refine(({ privacy_mode, exports }) => privacy_mode || exports, {
        path: ['privacy_mode'],
        message: 'is required, or exports in its place',
      }),
  },
  refusals: ['forbidden', 'not_found', 'invalid_state'],
  idempotency: 'natural',
  answers: {
    200: { schema: data(Catalog) },
  },
});

const updateExportDataset = route({
  id: 'updateExportDataset',
  method: 'POST',
  path: '/api/v1/conversion-sync/platform-safe/target',
  summary: 'Tell the clean dataset of a platform-safe profile, or go back to the existing one',
  description:
    'A clean dataset never heard of a person. Going back is refused while ad sets deliver on it, unless `confirm_live_ad_sets` is true. ' +
    '`mode: duplicate_and_swap` returns 501 `not_implemented`, because no connected platform duplicates ads for an app. Where one does, it needs consent to the current text.',
  chapter,
  access: write,
  audit: {
    action: 'exports.dataset_switched',
    of: 'profile:{caller.profileId}',
    unchanged: { outcome: ['no_change'] },
  },
  body: {
    schema: z.strictObject({
      connection_id: Uuid.optional().describe('Needed where more than one connection is told.'),
      target: z.enum(exportDatasets).default('clean'),
      dataset: PlatformId.optional().describe('The clean dataset; needed the first time.'),
      mode: z.enum(datasetSwitchModes).default('switch'),
      confirm_live_ad_sets: z.boolean().default(false),
      consent: z
        .strictObject({
          version: z.string().max(20),
          text_hash: z.string().max(128),
          accepted_by: z.string().min(1).max(200),
          accepted_at: IsoTimestampInput,
        })
        .optional()
        .describe('Who agreed to which text, and when. See the error `consent_required`.'),
    }),
  },
  refusals: [
    'platform_safe_required',
    'clean_dataset_has_live_ad_sets',
    'consent_required',
    'connection_not_ready',
    'provider_error',
    'not_implemented',
    'not_found',
    'invalid_state',
  ],
  idempotency: 'natural',
  answers: {
    200: {
      schema: data(
        z.strictObject({
          outcome: z.enum(actionOutcomes).exclude(['dry_run']),
          export: ShownTarget,
          live_ad_sets: Count.nullable().describe('How many deliver on the clean dataset. Null: nobody had to ask.'),
        }),
      ),
    },
  },
});

const ExportRun = z
  .strictObject({
    id: Uuid,
    connection_id: Uuid,
    provider: Channel,
    status: z.enum(exportRunStatuses),
    scheduled_at: IsoTimestamp,
    settled_at: IsoTimestamp.nullable(),
    conversions: Count.describe('Outcomes that the run was to send.'),
    sent: Count.describe('Those that the platform took.'),
    refused: Count.describe('Those that it did not, or that we know it would not.'),
    withheld: Count.describe(
      'Those that were not to be told: no definition in the catalog lists them, or the person was erased.',
    ),
    unknown: Count.describe('Those of which the platform’s answer was lost for too long: it may have them.'),
    reasons: z.record(z.string(), Count).describe('Why some were not sent, by reason.'),
  })
  .meta({ id: 'ExportRun' });

const listExports = route({
  id: 'listExports',
  method: 'GET',
  path: '/api/v1/exports',
  summary: 'Runs of conversion exports',
  description: 'Newest first, page by page.',
  reveals: { days: 'any', people: 'none', costs: false },
  chapter,
  access: read,
  query: z.object({
    limit: limitParameter(limits.exports.pageSize),
    cursor: Uuid.optional(),
    status: z.enum(exportRunStatuses).optional(),
  }),
  answers: { 200: { schema: page(ExportRun) } },
});

const WouldSend = z
  .strictObject({
    outcome_event_id: Uuid,
    event_id: z
      .string()
      .describe(
        'The same at every attempt, so that a copy counts once. A pixel in the browser that uses it is one, too.',
      ),
    event_name: z.string(),
    occurred_at: IsoTimestamp,
    action_source: z.string(),
    dataset: z.string(),
    value: DecimalString.nullable(),
    currency: CurrencyCode.nullable(),
    click_ids: z.array(z.string()).describe('Which click ids go with it.'),
    person_fields: z
      .array(z.string())
      .describe('Which fields of the person go with it, hashed as the platform wants; never what they hold.'),
    refused_because: z.string().nullable().describe('Why the platform would not take it.'),
  })
  .meta({ id: 'ExportPreview' });

const previewExports = route({
  id: 'previewExports',
  method: 'GET',
  path: '/api/v1/exports/preview',
  summary: 'What the next run would send',
  description: `A dry run: the next ${limits.exports.previewed} that wait, as they would be told. Nothing is sent.`,
  reveals: { days: 'any', people: 'none', costs: false },
  chapter,
  access: read,
  query: z.object({ connection_id: Uuid }),
  ids: { connection_id: 'connection' },
  refusals: ['not_found', 'connection_not_ready', 'not_implemented', 'provider_error'],
  answers: { 200: { schema: data(z.array(WouldSend)) } },
});

export const exportRoutes = {
  readExportCatalog,
  updateExportCatalog,
  updateExportDataset,
  listExports,
  previewExports,
};
