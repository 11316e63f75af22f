import { z } from 'zod';
import { ScopeList } from '../scopes.ts';
import { type ErrorTable, reason } from './entry.ts';

/** Access: credentials, scopes, plans, workspaces and console accounts. */
export const accessErrors = {
  unauthorized: {
    status: 401,
    title: 'Credential not accepted',
    meaning: 'The request carries no credential, or one that is misspelt, has run out or was withdrawn.',
    whatToDo: 'Send a live key as `Authorization: Bearer <key>`. If it used to work, mint a new key or sign in again.',
    retry: 'after_change',
    fields: reason,
  },
  forbidden: {
    status: 403,
    title: 'Not allowed',
    meaning: 'We know who is asking, and they may not do this; most often a role in the workspace is too low.',
    whatToDo: 'Ask an owner or admin of the workspace to do it, or to raise the role.',
    retry: 'after_change',
    fields: reason,
  },
  insufficient_scope: {
    status: 403,
    title: 'Scope missing',
    meaning: 'The credential is good but does not hold a scope that this route asks for.',
    whatToDo: 'Get a grant with the scopes in `required_scopes`, mint a key under it and use that key.',
    retry: 'after_change',
    fields: { required_scopes: ScopeList.optional().describe('What was missing, when we can tell.') },
  },
  api_key_required: {
    status: 403,
    title: 'API key needed',
    meaning: 'Only the API key of a partner app may call this route. A console session or an assistant token may not.',
    whatToDo:
      'Call it with an API key. To erase a customer as a person, use POST /api/v1/workspaces/{workspaceId}/customer-erasures.',
    retry: 'after_change',
  },
  healthcare_scope_forbidden: {
    status: 403,
    title: 'No people on healthcare profiles',
    meaning: 'The profile counts as healthcare, and there no partner app may be granted sight of people.',
    whatToDo:
      'Ask for `analytics` in place of `analytics_pii`. Journeys without the person stay readable with conversions:read.',
    retry: 'after_change',
  },
  entitlement_required: {
    status: 409,
    title: 'Attribution is switched off',
    meaning:
      'The app that created this profile has not switched attribution on for it. Reading works; writing does not.',
    whatToDo:
      'Have that app call PUT /api/v1/profiles/{profileId}/entitlements/atribu_attribution with {"enabled": true}, then repeat the request.',
    retry: 'after_change',
  },
  app_provisioned_workspace: {
    status: 403,
    title: 'Workspace provisioned by an app',
    meaning:
      'An app provisioned this workspace, so Tributary sends no e-mail to its members. No credential changes this.',
    whatToDo: 'Send your own e-mail to the members, with figures from the API.',
    retry: 'never',
  },
  profile_limit_reached: {
    status: 403,
    title: 'No profile left in the plan',
    meaning: 'The workspace already has as many active profiles as its plan includes.',
    whatToDo: 'Have the owner of the workspace move it to the plan named in `upgrade.plan`, then repeat the request.',
    retry: 'after_change',
    fields: { upgrade_required: z.literal(true), upgrade: z.strictObject({ plan: z.string().min(1) }) },
  },
  plan_upgrade_required: {
    status: 402,
    title: 'Not in the plan',
    meaning: 'This change to the workspace is not part of the plan it is on.',
    whatToDo: 'Ask the owner of the workspace to move to the plan named in `upgrade.plan`, then repeat the request.',
    retry: 'after_change',
    fields: { upgrade: z.strictObject({ plan: z.string().min(1) }) },
  },
  workspace_archived: {
    status: 410,
    title: 'Workspace closed',
    meaning: 'The invitation leads to a workspace that has since been archived, for good.',
    whatToDo: 'Stop here: this invitation can no longer be used. Ask whoever sent it for one to another workspace.',
    retry: 'never',
  },
  weak_password: {
    status: 422,
    title: 'Password too short',
    meaning: 'The new password has fewer characters than we require.',
    whatToDo: 'Choose a longer one. A few unrelated words are easy to remember and hard to guess.',
    retry: 'after_change',
  },
  compromised_password: {
    status: 422,
    title: 'Password is known to attackers',
    meaning: 'The new password appears in a published collection of leaked passwords, or is the product name.',
    whatToDo: 'Choose another, and change it wherever else it is in use.',
    retry: 'after_change',
  },
  current_password_required: {
    status: 400,
    title: 'Old password missing',
    meaning: 'This change is only made for someone who also gives the password they have now, and it was not sent.',
    whatToDo: 'Send the present password along with the change.',
    retry: 'after_change',
  },
  current_password_invalid: {
    status: 400,
    title: 'Old password wrong',
    meaning: 'What was given as the present password is not it.',
    whatToDo: 'Type it again, or reset the password if it is forgotten.',
    retry: 'after_change',
  },
} as const satisfies ErrorTable;
