import { accessResults, limits } from '@tributary/vocabulary';
import { z } from 'zod';
import {
  CurrencyCode,
  Deleted,
  data,
  IsoTimestamp,
  IsoTimestampInput,
  limitParameter,
  page,
  Uuid,
  workspaceData,
  workspacePage,
} from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { OAuthScope, Scope } from '../scopes.ts';
import { LeftOut, shownOnce } from '../shown-once.ts';
import { PrivacyMode } from '../vocabulary.ts';

/** Who may do what: workspaces, profiles, grants, keys, tokens, and the log of who read people. */

const { apiKey } = limits.ratePerMinute;

const Name = z.string().trim().min(1, 'must not be empty').max(200, 'may have up to 200 characters');

const TimeZone = z.string().refine(isTimeZone, 'must be a time zone of the IANA database, like America/Santiago');

function isTimeZone(name: string): boolean {
  try {
    return Intl.DateTimeFormat(undefined, { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

export const Workspace = z.strictObject({
  id: Uuid,
  name: z.string(),
  plan: z.string(),
  is_healthcare_agency: z.boolean(),
  created_at: IsoTimestamp,
});

export const Profile = z.strictObject({
  id: Uuid,
  workspace_id: Uuid,
  name: z.string(),
  privacy_mode: PrivacyMode,
  is_healthcare_family: z.boolean(),
  time_zone: z.string(),
  reporting_currency: CurrencyCode,
  is_attribution_enabled: z.boolean(),
  created_at: IsoTimestamp,
});

export const createWorkspace = route({
  id: 'createWorkspace',
  method: 'POST',
  path: '/api/v1/workspaces',
  summary: 'Create a workspace',
  chapter: 'Workspaces and profiles',
  audit: { action: 'workspace.created', of: 'workspace:{data.id}' },
  access: { credentials: ['app', 'mcp', 'session'], scopes: anyOf('workspaces:write'), grain: 'workspace' },
  body: { schema: z.object({ name: Name, is_healthcare_agency: z.boolean().default(false) }) },
  idempotency: 'accepted',
  answers: { 201: { schema: workspaceData(Workspace), bare: true } },
});

export const createProfile = route({
  id: 'createProfile',
  method: 'POST',
  path: '/api/v1/profiles',
  summary: 'Create a profile in a workspace',
  description: 'A profile that an app creates is governed by it: writes wait until that app enables attribution.',
  chapter: 'Workspaces and profiles',
  audit: { action: 'profile.created', of: 'profile:{data.id}' },
  access: { credentials: ['app', 'mcp', 'session'], scopes: anyOf('profiles:write'), grain: 'workspace' },
  body: {
    schema: z.object({
      workspace_id: Uuid,
      name: Name,
      privacy_mode: PrivacyMode.default('standard'),
      time_zone: TimeZone.default('UTC'),
      reporting_currency: CurrencyCode.default('USD'),
    }),
  },
  ids: { workspace_id: 'workspace' },
  idempotency: 'accepted',
  answers: { 201: { schema: data(Profile), bare: true } },
  refusals: ['profile_limit_reached'],
});

export const readProfile = route({
  id: 'readProfile',
  method: 'GET',
  path: '/api/v1/profile',
  summary: 'The profile that the credential speaks for, and what is left to set up',
  chapter: 'Workspaces and profiles',
  access: {
    credentials: ['api_key', 'session', 'mcp', 'app'],
    scopes: anyOf('campaigns:read', 'conversions:read', 'analytics:read', 'attribution:write', 'connections:read'),
    grain: 'profile',
  },
  answers: {
    200: {
      schema: data(
        Profile.extend({
          readiness: z.array(z.strictObject({ step: z.string(), is_done: z.boolean() })),
        }),
      ),
    },
  },
});

const governed = { credentials: ['app'], grain: 'profile', entitlement: 'not needed' } as const;
const profileInPath = { params: z.object({ profileId: Uuid }), ids: { profileId: 'profile' } } as const;

export const updateEntitlement = route({
  id: 'updateEntitlement',
  method: 'PUT',
  path: '/api/v1/profiles/{profileId}/entitlements/atribu_attribution',
  summary: 'Enable or disable attribution for a profile that this app created',
  chapter: 'Workspaces and profiles',
  audit: { action: 'entitlement.updated', of: 'profile:{params.profileId}' },
  access: governed,
  ...profileInPath,
  // An id that is not a UUID names no profile either.
  refusedAs: { profileId: 'not_found' },
  body: {
    schema: z.object({
      enabled: z.boolean(),
      privacy_mode: PrivacyMode.optional().describe('At least as private as the profile is.'),
    }),
  },
  idempotency: 'natural',
  answers: { 200: { schema: data(z.strictObject({ enabled: z.boolean(), privacy_mode: PrivacyMode })), bare: true } },
});

export const updatePrivacy = route({
  id: 'updatePrivacy',
  method: 'PUT',
  path: '/api/v1/profile/privacy',
  summary: 'Set how private the profile is',
  description:
    'More private or less. A partner app makes a profile more private only. When it becomes healthcare-family, the bundle that shows people leaves the grants of all apps for good: after it was loosened again they ask for it anew.',
  chapter: 'Workspaces and profiles',
  audit: { action: 'profile.privacy_changed', of: 'profile:{caller.profileId}' },
  access: { credentials: ['session'], roles: ['owner', 'admin'], grain: 'profile', entitlement: 'not needed' },
  body: { schema: z.object({ privacy_mode: PrivacyMode }) },
  idempotency: 'natural',
  answers: { 200: { schema: data(z.strictObject({ privacy_mode: PrivacyMode })) } },
});

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
  body: { schema: z.object({ scopes: z.array(OAuthScope).max(20) }) },
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
  description: 'The key is in this answer and nowhere else: only a hash of it is kept.',
  chapter: 'Credentials',
  audit: { action: 'key.created', of: 'api_key:{data.id}' },
  access: keys,
  body: {
    schema: z.object({
      name: Name.default('API key'),
      scopes: z
        .array(Scope)
        .min(1, 'must name at least one scope')
        .max(50)
        .optional()
        .describe('Default: all that the grant allows.'),
      rate_limit_per_minute: z
        .int()
        .min(apiKey.min)
        .max(apiKey.max)
        .optional()
        .describe(
          `Holds on every route. Default: ${apiKey.default}, and ${limits.ratePerMinute.ingest} on the routes that take data in.`,
        ),
      expires_at: IsoTimestampInput.optional(),
    }),
    optional: true,
  },
  idempotency: 'accepted',
  answers: { 201: { schema: data(ApiKey.extend({ key: shownOnce(z.string()) }), LeftOut) } },
  refusals: ['healthcare_scope_forbidden'],
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
          route: z.string().describe('Method and path. Empty: one that is not there any more.'),
          people: z.int(),
          result: z.enum(accessResults),
          request_id: z.string(),
        }),
      ),
      bare: true,
    },
  },
});

const owner = { credentials: ['session'], roles: ['owner'], grain: 'workspace' } as const;

export const deleteProfile = route({
  id: 'deleteProfile',
  method: 'DELETE',
  path: '/api/v1/workspaces/{workspaceId}/profiles/{profileId}',
  summary: 'Delete a profile and everything in it, receipts included',
  description: 'It is out of reach at once; its rows are removed from every store in the background.',
  chapter: 'Workspaces and profiles',
  audit: { action: 'profile.deleted', of: 'profile:{params.profileId}' },
  access: owner,
  params: z.object({ workspaceId: Uuid, profileId: Uuid }),
  refusedAs: { workspaceId: 'not_found', profileId: 'not_found' },
  ids: { workspaceId: 'workspace', profileId: 'profile' },
  answers: { 200: { schema: workspaceData(Deleted), bare: true } },
});

export const deleteWorkspace = route({
  id: 'deleteWorkspace',
  method: 'DELETE',
  path: '/api/v1/workspaces/{workspaceId}',
  summary: 'Delete a workspace and all of its profiles',
  chapter: 'Workspaces and profiles',
  audit: { action: 'workspace.deleted', of: 'workspace:{params.workspaceId}' },
  access: owner,
  params: z.object({ workspaceId: Uuid }),
  refusedAs: { workspaceId: 'not_found' },
  ids: { workspaceId: 'workspace' },
  answers: { 200: { schema: workspaceData(Deleted), bare: true } },
});
