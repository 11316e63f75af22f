import { actionOutcomes, adActionKinds, adActionStages, adActionStates, limits } from '@tributary/vocabulary';
import { z } from 'zod';
import { CurrencyCode, DecimalString, data, IsoTimestamp, limitParameter, page, Uuid } from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { EntityLevel } from '../vocabulary.ts';
import { Count } from './report-parts.ts';

/** The ledger of changes at ad platforms. */

export const chapter = 'Ad operations';

export const access = {
  credentials: ['api_key', 'app', 'session'],
  scopes: anyOf('campaigns:apply'),
  grain: 'profile',
} as const;

export const MinorUnits = z.int().min(0).max(Number.MAX_SAFE_INTEGER);

export const AdState = z
  .strictObject({
    status: z.string().meta({ examples: ['ACTIVE', 'PAUSED'] }),
    currency: CurrencyCode,
    daily_budget: DecimalString.nullable().describe('Null: it has none of its own.'),
    daily_budget_minor: MinorUnits.nullable().describe('The same in minor units of ISO 4217.'),
    url_tags: z.string().nullable(),
    creative_id: z.string().nullable(),
  })
  .meta({ id: 'AdState' });

export const Undo = z
  .strictObject({ method: z.string(), path: z.string(), body: z.record(z.string(), z.unknown()) })
  .meta({ id: 'AdUndo' });

export const AdActionAnswer = z
  .strictObject({
    outcome: z.enum(actionOutcomes).describe('`no_change`: all was so already. `dry_run`: nothing was sent or kept.'),
    action_id: Uuid.nullable().describe('In the ledger, GET /ad-actions. Null for a dry run.'),
    platform: z.string(),
    external_id: z.string(),
    before: AdState.describe('As the platform said it just before.'),
    after: AdState,
    undo: Undo.nullable().describe(
      'The request that takes it back; give it an Idempotency-Key of its own. Null where nothing was changed.',
    ),
    undoes_action_id: Uuid.nullable().describe('The action of ours that this one took back.'),
    affected_ads_count: Count.describe('Running ads that this stopped or let run again.'),
    may_restart_learning: z
      .boolean()
      .describe('Platforms may begin to learn anew after such a change. They give no threshold.'),
    applied_by: Uuid.nullable().describe('The member of the workspace for whom it was done.'),
  })
  .meta({ id: 'AdActionAnswer' });

const ActionEntry = z.strictObject({
  stage: z.enum(adActionStages),
  at: IsoTimestamp,
  reason: z.string().nullable(),
  provider_code: z.string().nullable(),
  request_id: z.string(),
});

const AdAction = z
  .strictObject({
    id: Uuid,
    kind: z.enum(adActionKinds),
    state: z
      .enum(adActionStates)
      .describe(
        '`sent`: the platform’s answer is awaited, or was lost and is looked up. `unknown`: it could not be looked up for a day.',
      ),
    platform: z.string(),
    level: EntityLevel,
    external_id: z.string(),
    name: z.string().nullable().describe('As the platform calls it. Null: nobody has told.'),
    connection_id: Uuid,
    before: AdState.nullable(),
    after: AdState.nullable(),
    reason: z.string().nullable(),
    affected_ads_count: Count.nullable(),
    undo: Undo.nullable().describe('Null where nothing was changed.'),
    undoes_action_id: Uuid.nullable(),
    applied_by: Uuid.nullable(),
    actor: z.strictObject({ kind: z.string(), id: Uuid }),
    created_at: IsoTimestamp,
    entries: z.array(ActionEntry).describe('In the order in which they were written; the last 20.'),
  })
  .meta({ id: 'AdAction' });

const { pageSize } = limits.adActions;

export const readUrlTags = route({
  id: 'readUrlTags',
  method: 'GET',
  path: '/api/v1/quality/ad-ids/url-tags',
  summary: 'Whether URL tags can be written here, and what was changed lately',
  reveals: { days: 'any', people: 'none', costs: true },
  chapter,
  access: { ...access, credentials: ['api_key', 'app', 'session', 'mcp'] },
  answers: {
    200: {
      schema: data(
        z.strictObject({
          can_apply: z.boolean(),
          reason: z.string().nullable().describe('Why not: the code that url-tags/apply would answer.'),
          url_tags: z.string().nullable().describe('What an ad without tags of its own would get.'),
          recent: z.array(AdAction).describe(`The last ${limits.adActions.recent} changes of tags.`),
        }),
      ),
    },
  },
});

export const listAdActions = route({
  id: 'listAdActions',
  method: 'GET',
  path: '/api/v1/ad-actions',
  summary: 'The ledger of changes at ad platforms',
  description: 'Newest first, with every attempt and refusal, and the request that takes a change back.',
  reveals: { days: 'any', people: 'none', costs: true },
  chapter,
  access: {
    credentials: ['api_key', 'app', 'session', 'mcp'],
    scopes: anyOf('campaigns:apply', 'campaigns:read'),
    grain: 'profile',
  },
  query: z.object({
    kind: z.enum(adActionKinds).optional(),
    state: z.enum(adActionStates).optional(),
    external_id: z.string().min(1).max(200).optional().describe('Of one campaign, ad set or ad.'),
    limit: limitParameter(pageSize),
    cursor: Uuid.optional().describe('From the page before.'),
  }),
  answers: { 200: { schema: page(AdAction) } },
});
