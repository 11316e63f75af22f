import {
  connectionStatuses,
  crmChannels,
  languages,
  stageMappingSources,
  stageNextSteps,
  stageOutcomes,
} from '@tributary/vocabulary';
import { z } from 'zod';
import { data, IsoTimestamp, Uuid } from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { Connection, chapter, connectionIds, credentials, inPath } from './connections.ts';

/** Details of a connection: pixels, pages and stages, fetched live from the provider; and its removal. */

const read = { credentials, scopes: anyOf('connections:read'), grain: 'profile' } as const;
const write = { credentials, scopes: anyOf('connections:write'), grain: 'profile' } as const;
const namedConnection = Uuid.optional().describe(
  'Of this connection. Absent: of the newest one that works; the response names it.',
);
const live = ['connection_not_ready', 'provider_error', 'not_implemented'] as const;

export const disconnectConnection = route({
  id: 'disconnectConnection',
  method: 'POST',
  path: '/api/v1/connections/{id}/disconnect',
  summary: 'Disconnect an account',
  description:
    'The consent is withdrawn at the provider where it offers that, our credentials are deleted, and nothing more is read. What was read stays. Connecting again is a new connect.',
  chapter,
  audit: { action: 'connection.disconnected', of: 'connection:{params.id}' },
  access: write,
  ...inPath,
  ids: connectionIds,
  idempotency: 'natural',
  answers: {
    200: {
      schema: data(
        Connection.extend({
          withdrawn_at_provider: z
            .boolean()
            .describe(
              'Whether the provider was told. False: it offers no way, or did not answer; remove the app there.',
            ),
        }),
      ),
    },
  },
});

export const deleteConnection = route({
  id: 'deleteConnection',
  method: 'DELETE',
  path: '/api/v1/connections/{id}',
  summary: 'Revoke the calling app’s authorization on the profile',
  description:
    'Every API key that the app minted for the profile is revoked, usually the calling one among them, and its grant ends. The connection itself stays for others: to end that, disconnect it.',
  chapter,
  audit: { action: 'app.authorization_revoked', of: 'connection:{params.id}' },
  access: { credentials: ['api_key'], scopes: anyOf('connections:write'), grain: 'profile' },
  ...inPath,
  ids: connectionIds,
  answers: {
    200: {
      schema: data(
        z.strictObject({
          id: Uuid,
          revoked_keys: z
            .int()
            .min(0)
            .describe('Live keys of the app that ended, whatever authorization they were minted under.'),
        }),
      ),
    },
  },
});

const Pixel = z
  .strictObject({
    id: z.string(),
    name: z.string().nullable(),
    created_at: IsoTimestamp.nullable(),
    last_fired_at: IsoTimestamp.nullable().describe('Null usually means that it never fired.'),
    is_unavailable: z.boolean().nullable().describe('Null: the platform gave no verdict. That is not healthy.'),
    owner_business: z.strictObject({ id: z.string(), name: z.string().nullable() }).nullable(),
  })
  .describe('Null where the platform did not say.')
  .meta({ id: 'Pixel' });

export const listPixels = route({
  id: 'listPixels',
  method: 'GET',
  path: '/api/v1/connections/{id}/pixels',
  summary: 'The pixels of an ad account',
  description: 'Asked of the platform at each request, and never kept.',
  reveals: { days: 'any', people: 'none', costs: false },
  chapter,
  access: { credentials, scopes: anyOf('exports:read'), grain: 'profile' },
  ...inPath,
  ids: connectionIds,
  answers: { 200: { schema: data(z.strictObject({ pixels: z.array(Pixel) })) } },
  refusals: ['invalid_state', ...live],
});

const Stage = z
  .strictObject({
    definition_id: Uuid.describe('What PATCH /api/v1/outcome-definitions/{id} takes.'),
    pipeline: z.strictObject({ id: z.string(), name: z.string() }),
    id: z.string(),
    name: z.string(),
    position: z.int(),
    suggested: z.enum(stageOutcomes).nullable().describe('What its name suggests, in Spanish or English.'),
    current: z.strictObject({ event_key: z.enum(stageOutcomes), source: z.enum(stageMappingSources) }),
    can_write: z.boolean(),
  })
  .meta({ id: 'PipelineStage' });

export const listStages = route({
  id: 'listStages',
  method: 'GET',
  path: '/api/v1/connections/{provider}/stages',
  summary: 'The stages of the CRM’s pipelines, and what they count as',
  description:
    'Asked of the CRM at each request. A new stage is kept as its name suggests, else as `unmapped`. A deal in a stage that is `unmapped` or `ignored` is no outcome; won, lost and abandoned deals are recorded whatever their stage.',
  reveals: { days: 'any', people: 'none', costs: false },
  chapter,
  access: { credentials, scopes: anyOf('connections:read', 'analytics:read'), grain: 'profile' },
  params: z.object({ provider: z.enum(crmChannels) }),
  query: z.object({
    locale: z.enum(languages).default('en').describe('In which language labels come.'),
    connection_id: namedConnection,
  }),
  ids: { connection_id: 'connection' },
  answers: {
    200: {
      schema: data(
        z.strictObject({
          connection_id: Uuid.nullable().describe('The account whose stages these are. Null: no CRM is connected.'),
          status: z.enum(connectionStatuses).nullable().describe('Null: no CRM is connected.'),
          can_write: z.boolean().describe('Whether this caller may map stages.'),
          next_step: z.enum(stageNextSteps).nullable().describe('What is missing, if anything.'),
          outcomes: z.array(z.strictObject({ key: z.enum(stageOutcomes), label: z.string() })),
          stages: z.array(Stage),
        }),
      ),
    },
  },
  refusals: live,
});

export const readOutcomesPrefill = route({
  id: 'readOutcomesPrefill',
  method: 'GET',
  path: '/api/v1/integrations/crm/outcomes/prefill',
  summary: 'What the CRM’s stages could count as',
  description: 'Suggestions by the names of the stages, in Spanish and English. Nothing is stored.',
  reveals: { days: 'any', people: 'none', costs: false },
  chapter,
  access: { credentials, scopes: anyOf('connections:read', 'goals:write'), grain: 'profile' },
  query: z.object({ connection_id: namedConnection }),
  ids: { connection_id: 'connection' },
  answers: {
    200: {
      schema: data(
        z.strictObject({
          connection_id: Uuid.nullable().describe('The account whose stages these are. Null: no CRM is connected.'),
          provider: z.enum(crmChannels).nullable().describe('Null: no CRM is connected.'),
          suggestions: z.array(
            z.strictObject({
              pipeline_id: z.string(),
              stage_id: z.string(),
              name: z.string(),
              event_key: z.enum(stageOutcomes).nullable().describe('Null: its name says nothing.'),
            }),
          ),
        }),
      ),
    },
  },
  refusals: live,
});

const TrackedPages = z.strictObject({
  connection_id: Uuid,
  pages: z.array(z.strictObject({ id: z.string(), name: z.string(), is_tracked: z.boolean() })),
});

export const listTrackedPages = route({
  id: 'listTrackedPages',
  method: 'GET',
  path: '/api/v1/integrations/adplatform/pages',
  summary: 'The pages of the connected ad account, and which are tracked',
  reveals: { days: 'any', people: 'none', costs: false },
  chapter,
  access: read,
  query: z.object({ connection_id: namedConnection }),
  ids: { connection_id: 'connection' },
  answers: { 200: { schema: data(TrackedPages) } },
  refusals: ['meta_connection_required', ...live],
});

export const selectTrackedPages = route({
  id: 'selectTrackedPages',
  method: 'POST',
  path: '/api/v1/integrations/adplatform/pages',
  summary: 'Choose the pages to track',
  description:
    'All that shall be tracked from now on: one that is not named is tracked no longer. The choice is stored and returned; nothing is read from the pages themselves yet.',
  chapter,
  audit: { action: 'connection.pages_selected', of: 'profile:{caller.profileId}' },
  access: write,
  body: {
    schema: z.strictObject({
      page_ids: z
        .array(z.string().min(1).max(100))
        .max(200)
        .meta({ examples: [['104857600123456'], []] }),
      connection_id: Uuid.optional().describe('Required where several ad accounts are connected.'),
    }),
  },
  ids: { connection_id: 'connection' },
  idempotency: 'natural',
  answers: { 200: { schema: data(TrackedPages) } },
  refusals: ['meta_connection_required', ...live],
});
