import { limits } from '@tributary/vocabulary';
import { z } from 'zod';
import { LeftOut, shownOnce } from '../one-time-secrets.ts';
import {
  CurrencyCode,
  Deleted,
  data,
  IsoTimestamp,
  limitParameter,
  Name,
  Uuid,
  workspaceData,
  workspacePage,
} from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { PrivacyMode } from '../vocabulary.ts';
import { Email } from './accounts.ts';
import { CurrentPassword, passwordRefusals } from './sign-in.ts';

/** Creating, reading, changing and deleting workspaces and profiles. */

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
  is_test: z.boolean().describe('Whether it is for integration tests: its keys start with `trib_test_`.'),
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
  body: {
    example: { name: 'Shop Chile', owner_email: 'ana@example.com', owner_name: 'Ana' },
    schema: z.strictObject({
      name: Name,
      is_healthcare_agency: z.boolean().default(false),
      owner_email: Email.optional().describe(
        'For apps: the merchant who owns the workspace. The response has an invitation link to pass on; no e-mail is sent.',
      ),
      owner_name: Name.optional().describe('For apps: the name of the owner, preset on the invitation page.'),
    }),
  },
  idempotency: 'accepted',
  answers: {
    201: {
      schema: workspaceData(
        Workspace.extend({
          owner_id: Uuid.nullable().describe(
            'The account of the owner. An owner that an app names has it before accepting, so that changes can be attributed to it.',
          ),
          owner_invitation_url: shownOnce(z.url()),
        }),
        LeftOut,
      ),
      bare: true,
    },
  },
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
    schema: z.strictObject({
      workspace_id: Uuid,
      name: Name,
      privacy_mode: PrivacyMode.default('standard'),
      time_zone: TimeZone.default('UTC'),
      reporting_currency: CurrencyCode.default('USD'),
      is_test: z
        .boolean()
        .default(false)
        .describe(
          'For integration tests. Its keys start with `trib_test_`, and the app that created it may delete it.',
        ),
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
  reveals: { days: 'any', people: 'none', costs: false },
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

export const updateProfile = route({
  id: 'updateProfile',
  method: 'PATCH',
  path: '/api/v1/profile',
  summary: 'Change a profile’s name, time zone or reporting currency',
  description:
    'What is left out stays as it is. Under another reporting currency all money is converted anew from its original amount, in the background: until then `freshness` says `behind`, and each changed figure names `currency` as its cause.',
  chapter: 'Workspaces and profiles',
  audit: { action: 'profile.updated', of: 'profile:{caller.profileId}' },
  access: { credentials: ['session'], roles: ['owner', 'admin'], grain: 'profile', entitlement: 'not needed' },
  body: {
    example: { name: 'Shop Chile', time_zone: 'America/Santiago' },
    schema: z
      .strictObject({
        name: Name.optional(),
        time_zone: TimeZone.optional(),
        reporting_currency: CurrencyCode.optional(),
      })
      .refine((body) => Object.keys(body).length > 0, 'must change something'),
  },
  idempotency: 'natural',
  answers: { 200: { schema: data(Profile) } },
});

export const governed = { credentials: ['app'], grain: 'profile', entitlement: 'not needed' } as const;

export const profileInPath = { params: z.object({ profileId: Uuid }), ids: { profileId: 'profile' } } as const;

export const updateEntitlement = route({
  id: 'updateEntitlement',
  method: 'PUT',
  path: '/api/v1/profiles/{profileId}/entitlements/atribu_attribution',
  summary: 'Enable or disable attribution for a profile that this app created',
  chapter: 'Workspaces and profiles',
  audit: { action: 'entitlement.updated', of: 'profile:{params.profileId}' },
  access: governed,
  ...profileInPath,
  // An id that is not a UUID is answered like an unknown one.
  refusedAs: { profileId: 'not_found' },
  body: {
    schema: z.strictObject({
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
    'Only an owner makes it less private, with `current_password`. A partner app makes a profile more private only. When it becomes healthcare-family, the bundle that shows people leaves the grants of all apps for good: after it was loosened again they ask for it anew.',
  chapter: 'Workspaces and profiles',
  audit: { action: 'profile.privacy_changed', of: 'profile:{caller.profileId}' },
  access: { credentials: ['session'], roles: ['owner', 'admin'], grain: 'profile', entitlement: 'not needed' },
  body: { schema: z.strictObject({ privacy_mode: PrivacyMode, current_password: CurrentPassword }) },
  idempotency: 'natural',
  answers: { 200: { schema: data(z.strictObject({ privacy_mode: PrivacyMode })) } },
  refusals: ['invalid_state', ...passwordRefusals],
});

const owner = { credentials: ['session'], roles: ['owner'], grain: 'workspace' } as const;

const byProfile = {
  params: z.object({ workspaceId: Uuid, profileId: Uuid }),
  refusedAs: { workspaceId: 'not_found', profileId: 'not_found' },
  ids: { workspaceId: 'workspace', profileId: 'profile' },
} as const;

export const deleteProfile = route({
  id: 'deleteProfile',
  method: 'DELETE',
  path: '/api/v1/workspaces/{workspaceId}/profiles/{profileId}',
  summary: 'Delete a profile and everything in it, receipts included',
  description:
    'It is out of reach at once, also if it was archived; its rows are removed from every store in the background. A member sends `current_password`. An app deletes test profiles that it created, without a body.',
  chapter: 'Workspaces and profiles',
  audit: { action: 'profile.deleted', of: 'profile:{params.profileId}' },
  access: { ...owner, credentials: ['session', 'app'], scopes: anyOf('profiles:write') },
  ...byProfile,
  body: { schema: z.strictObject({ current_password: CurrentPassword }), optional: true },
  answers: { 200: { schema: workspaceData(Deleted), bare: true } },
  refusals: passwordRefusals,
});

const WorkspaceProfile = z.strictObject({
  id: Uuid,
  name: z.string(),
  time_zone: z.string(),
  reporting_currency: CurrencyCode,
  created_at: IsoTimestamp,
  archived_at: IsoTimestamp.nullable().describe('Null while the profile is active.'),
});

const listWorkspaceProfiles = route({
  id: 'listWorkspaceProfiles',
  method: 'GET',
  path: '/api/v1/workspaces/{workspaceId}/profiles',
  summary: 'The profiles of a workspace, archived ones included',
  chapter: 'Workspaces and profiles',
  access: { credentials: ['session'], grain: 'workspace' },
  params: z.object({ workspaceId: Uuid }),
  refusedAs: { workspaceId: 'not_found' },
  ids: { workspaceId: 'workspace' },
  query: z.object({ limit: limitParameter(limits.profiles.pageSize), cursor: Uuid.optional() }),
  answers: { 200: { schema: workspacePage(WorkspaceProfile) } },
});

const archiveProfile = route({
  id: 'archiveProfile',
  method: 'POST',
  path: '/api/v1/workspaces/{workspaceId}/profiles/{profileId}/archive',
  summary: 'Archive a profile',
  description:
    'All data is kept. Until it is restored, its keys and links are refused, the tracker collects nothing, connections are not synced, and it does not count towards the plan.',
  chapter: 'Workspaces and profiles',
  audit: { action: 'profile.archived', of: 'profile:{params.profileId}' },
  access: owner,
  ...byProfile,
  idempotency: 'natural',
  answers: { 200: { schema: workspaceData(WorkspaceProfile), bare: true } },
});

const restoreProfile = route({
  id: 'restoreProfile',
  method: 'POST',
  path: '/api/v1/workspaces/{workspaceId}/profiles/{profileId}/restore',
  summary: 'Restore an archived profile',
  description: 'Its keys, tracker and connections work again. A sync reads what providers recorded meanwhile.',
  chapter: 'Workspaces and profiles',
  audit: { action: 'profile.restored', of: 'profile:{params.profileId}' },
  access: owner,
  ...byProfile,
  idempotency: 'natural',
  answers: { 200: { schema: workspaceData(WorkspaceProfile), bare: true } },
  refusals: ['profile_limit_reached'],
});

export const workspaceProfileRoutes = { listWorkspaceProfiles, archiveProfile, restoreProfile };

export const deleteWorkspace = route({
  id: 'deleteWorkspace',
  method: 'DELETE',
  path: '/api/v1/workspaces/{workspaceId}',
  summary: 'Delete a workspace and all of its profiles',
  description: `It is out of reach at once: no credential works, nothing is collected, synced or delivered. An owner restores it within ${limits.deletedWorkspaces.restorableDays} days; then its rows are removed from every store. Erasures that were requested before are completed meanwhile.`,
  chapter: 'Workspaces and profiles',
  audit: { action: 'workspace.deleted', of: 'workspace:{params.workspaceId}' },
  access: owner,
  params: z.object({ workspaceId: Uuid }),
  refusedAs: { workspaceId: 'not_found' },
  ids: { workspaceId: 'workspace' },
  body: {
    schema: z.strictObject({
      current_password: CurrentPassword,
      delete_now: z.boolean().default(false).describe('Whether it is removed at once and cannot be restored.'),
    }),
    optional: true,
  },
  answers: {
    200: { schema: workspaceData(Deleted.extend({ restorable_until: IsoTimestamp.nullable() })), bare: true },
  },
  refusals: passwordRefusals,
});
