import { accessResults, auditResults, limits } from '@tributary/vocabulary';
import { z } from 'zod';
import { LeftOut, shownOnce } from '../one-time-secrets.ts';
import {
  CreatedBy,
  Deleted,
  data,
  IsoTimestamp,
  IsoTimestampInput,
  limitParameter,
  Name,
  page,
  Uuid,
  workspacePage,
} from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { OAuthScope, Scope } from '../scopes.ts';
import { CurrentPassword, passwordRefusals } from './sign-in.ts';
import { governed, profileInPath } from './workspaces.ts';

/** Access: grants, keys, tokens, and the data access log. */

const { apiKey } = limits.ratePerMinute;

export const updateGrant = route({
  id: 'updateGrant',
  method: 'PUT',
  path: '/api/v1/profiles/{profileId}/grant',
  summary: 'Set what this app is granted on a profile that it created',
  description: 'An empty list revokes the grant, and with it every key that was minted under it.',
  chapter: 'Credentials',
  audit: { action: 'grant.updated', of: 'profile:{params.profileId}' },
  access: governed,
  ...profileInPath,
  refusedAs: { profileId: 'not_found' },
  body: { schema: z.strictObject({ scopes: z.array(OAuthScope).max(20) }) },
  idempotency: 'natural',
  answers: {
    200: {
      schema: data(z.strictObject({ scopes: z.array(OAuthScope), effective_scopes: z.array(Scope) })),
      bare: true,
    },
  },
  refusals: ['healthcare_scope_forbidden'],
});

export const ApiKey = z.strictObject({
  id: Uuid,
  name: z.string(),
  prefix: z.string(),
  last4: z.string(),
  scopes: z.array(Scope),
  rate_limit_per_minute: z
    .int()
    .nullable()
    .describe(
      `On every route. Null: ${apiKey.default}, and ${limits.ratePerMinute.ingest} on the routes that take data in.`,
    ),
  created_by: CreatedBy,
  created_at: IsoTimestamp,
  last_used_at: IsoTimestamp.nullable(),
  expires_at: IsoTimestamp.nullable(),
});

const keys = {
  credentials: ['app', 'session'],
  roles: ['owner', 'admin'],
  grain: 'profile',
  entitlement: 'not needed',
} as const;

export const createKey = route({
  id: 'createKey',
  method: 'POST',
  path: '/api/v1/keys',
  summary: 'Mint an API key',
  description:
    'The key is in this answer and nowhere else: only a hash of it is kept. A member who lets a key read people sends `current_password`.',
  chapter: 'Credentials',
  audit: { action: 'key.created', of: 'api_key:{data.id}' },
  access: keys,
  body: {
    schema: z.strictObject({
      name: Name.default('API key'),
      scopes: z
        .array(Scope)
        .min(1, 'must name at least one scope')
        .max(50)
        .optional()
        .describe(
          'Default: for apps all that the grant allows; for members all but those that read people or change live ads.',
        ),
      rate_limit_per_minute: z
        .int()
        .min(apiKey.min)
        .max(apiKey.max)
        .optional()
        .describe(
          `Holds on every route. Default: ${apiKey.default}, and ${limits.ratePerMinute.ingest} on the routes that take data in.`,
        ),
      expires_at: IsoTimestampInput.optional(),
      current_password: CurrentPassword,
    }),
    optional: true,
  },
  idempotency: 'accepted',
  answers: { 201: { schema: data(ApiKey.extend({ key: shownOnce(z.string()) }), LeftOut) } },
  refusals: ['healthcare_scope_forbidden', ...passwordRefusals],
});

export const listKeys = route({
  id: 'listKeys',
  method: 'GET',
  path: '/api/v1/keys',
  summary: 'The live API keys of this app, or of the profile for its members',
  chapter: 'Credentials',
  access: keys,
  query: z.object({ limit: limitParameter(limits.keys.pageSize), cursor: Uuid.optional() }),
  answers: { 200: { schema: page(ApiKey) } },
});

export const deleteKey = route({
  id: 'deleteKey',
  method: 'DELETE',
  path: '/api/v1/keys/{id}',
  summary: 'Revoke an API key at once',
  chapter: 'Credentials',
  audit: { action: 'key.revoked', of: 'api_key:{params.id}' },
  access: keys,
  params: z.object({ id: Uuid }),
  refusedAs: { id: 'not_found' },
  ids: { id: 'api_key' },
  answers: { 200: { schema: data(Deleted) } },
});

export const createToken = route({
  id: 'createToken',
  method: 'POST',
  path: '/oauth/token',
  summary: 'Get a token for an app: OAuth 2.0, client credentials',
  description:
    'The client id and secret go into an HTTP Basic header or into the form. With `profile_id` the token speaks for that profile within the app’s grant; without, it can create workspaces and profiles.',
  chapter: 'Credentials',
  audit: 'not needed: a token lives for an hour and holds no more than the grant, which is in the log',
  access: { credentials: ['client_secret'], grain: 'profile', entitlement: 'not needed' },
  rate: 'token',
  body: {
    // Client id, secret and scopes fit easily; a larger body is abuse.
    maxBytes: 8 * 1024,
    contentType: 'application/x-www-form-urlencoded',
    schema: z.object({
      grant_type: z
        .string()
        .max(200)
        .describe('Must be client_credentials.')
        .meta({ examples: ['client_credentials'] }),
      client_id: z.string().max(200).optional(),
      client_secret: z.string().max(200).optional(),
      scope: z.string().max(500).optional().describe('OAuth scopes, separated by spaces. Default: the whole grant.'),
      profile_id: z.string().max(200).optional(),
    }),
  },
  ids: { profile_id: 'profile' },
  errors: 'oauth',
  answers: {
    200: {
      schema: z.strictObject({
        access_token: z.string(),
        token_type: z.literal('Bearer'),
        expires_in: z.int(),
        scope: z.string(),
      }),
      bare: true,
    },
  },
  refusals: ['unauthorized', 'not_found', 'insufficient_scope', 'healthcare_scope_forbidden', 'invalid_parameter'],
});

export const readPiiAccessLog = route({
  id: 'readPiiAccessLog',
  method: 'GET',
  path: '/api/v1/workspaces/{workspaceId}/pii-access-log',
  summary: 'Who read personal data, when, through which route, with what result',
  description: `Newest first. Entries are kept for ${limits.piiAccessLog.keptDays} days.`,
  reveals: { days: 'any', people: 'none', costs: false },
  chapter: 'Workspaces and profiles',
  access: {
    credentials: ['session', 'app', 'mcp'],
    roles: ['owner', 'admin'],
    scopes: anyOf('workspaces:write'),
    grain: 'workspace',
  },
  params: z.object({ workspaceId: Uuid }),
  refusedAs: { workspaceId: 'not_found' },
  ids: { workspaceId: 'workspace' },
  query: z.object({ limit: limitParameter(limits.piiAccessLog.pageSize), cursor: z.string().max(200).optional() }),
  answers: {
    200: {
      schema: workspacePage(
        z.strictObject({
          at: IsoTimestamp,
          actor: z.strictObject({ kind: z.string(), id: Uuid }),
          profile_id: Uuid,
          operation: z.string(),
          route: z
            .string()
            .describe('Method and path, or the event of a webhook. Empty: one that is not there any more.'),
          people: z.int(),
          result: z.enum(accessResults),
          request_id: z.string(),
        }),
      ),
      bare: true,
    },
  },
});

export const readAuditLog = route({
  id: 'readAuditLog',
  method: 'GET',
  path: '/api/v1/workspaces/{workspaceId}/audit-log',
  summary: 'Who changed what, when, and with what result',
  description:
    'Newest first. Entries form a chain in which none can be changed or left out unnoticed; `tributary audit verify` walks it.',
  reveals: { days: 'any', people: 'none', costs: false },
  chapter: 'Workspaces and profiles',
  access: readPiiAccessLog.access,
  params: z.object({ workspaceId: Uuid }),
  refusedAs: { workspaceId: 'not_found' },
  ids: { workspaceId: 'workspace' },
  query: z.object({
    limit: limitParameter(limits.auditLog.pageSize),
    cursor: z
      .string()
      .regex(/^\d{1,18}$/, 'is not one that this route gave out')
      .optional()
      .describe('From the page before.'),
  }),
  answers: {
    200: {
      schema: workspacePage(
        z.strictObject({
          sequence: z.int().positive().describe('Its place in the chain.'),
          at: IsoTimestamp,
          actor: z.strictObject({ kind: z.string(), id: z.string() }),
          action: z.string().meta({ examples: ['campaign.paused'] }),
          target: z.string().describe('What was changed: its kind and its id.'),
          result: z.enum(auditResults),
          request_id: z.string(),
        }),
      ),
      bare: true,
    },
  },
});
