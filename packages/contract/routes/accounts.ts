import { invitationStatuses, limits } from '@tributary/vocabulary';
import { z } from 'zod';
import { LeftOut, shownOnce } from '../one-time-secrets.ts';
import {
  accountData,
  CreatedBy,
  Deleted,
  IsoTimestamp,
  limitParameter,
  Name,
  Uuid,
  workspaceData,
  workspacePage,
} from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { McpScope, Role } from '../scopes.ts';
import { CurrentPassword, Password, Person, passwordRefusals, SecondStep } from './sign-in.ts';

/** Accounts: signing in, workspace members, invitations and assistants. */

export const Email = z
  .string()
  .trim()
  .toLowerCase()
  .max(254, 'may have up to 254 characters')
  .pipe(z.email('must be an e-mail address'))
  .meta({ examples: ['ana@example.com'] });
export const ofAccount = { credentials: ['session'], grain: 'account' } as const;

export const signIn = route({
  id: 'signIn',
  method: 'POST',
  path: '/api/v1/account/sign-in',
  summary: 'Sign in with e-mail and password',
  description: 'The answer sets the session cookie. Accounts are made by the operator or by accepting an invitation.',
  chapter: 'Accounts',
  audit: { action: 'account.signed_in', of: 'user:{data.id}', unchanged: 202 },
  access: { credentials: ['public'], grain: 'account' },
  rate: 'token',
  body: { schema: z.strictObject({ email: Email, password: Password }) },
  answers: {
    200: { schema: accountData(Person) },
    202: { schema: accountData(SecondStep), description: 'The password is right, and a code is asked for as well.' },
  },
  refusals: ['unauthorized'],
});

export const signOut = route({
  id: 'signOut',
  method: 'POST',
  path: '/api/v1/account/sign-out',
  summary: 'End this session at once, and the assistants that it allowed',
  chapter: 'Accounts',
  audit: { action: 'account.signed_out', of: 'user:{caller.userId}' },
  access: ofAccount,
  answers: { 200: { schema: accountData(z.strictObject({ signed_out: z.literal(true) })) } },
});

export const readAccount = route({
  id: 'readAccount',
  method: 'GET',
  path: '/api/v1/account',
  summary: 'Who is signed in, and where they may act',
  chapter: 'Accounts',
  access: ofAccount,
  answers: {
    200: {
      schema: accountData(
        Person.extend({
          is_two_factor_enabled: z.boolean(),
          memberships: z.array(
            z.strictObject({
              workspace_id: Uuid,
              workspace_name: z.string(),
              role: Role,
              profiles: z.array(z.strictObject({ id: Uuid, name: z.string(), is_healthcare_family: z.boolean() })),
            }),
          ),
        }),
      ),
    },
  },
});

export const updatePassword = route({
  id: 'updatePassword',
  method: 'PUT',
  path: '/api/v1/account/password',
  summary: 'Change the password',
  description: 'Every other session of this person ends at once.',
  chapter: 'Accounts',
  audit: { action: 'account.password_changed', of: 'user:{caller.userId}' },
  access: ofAccount,
  rate: 'token',
  body: { schema: z.strictObject({ current_password: Password.optional(), new_password: Password }) },
  answers: { 200: { schema: accountData(z.strictObject({ changed: z.literal(true) })) } },
  refusals: ['current_password_required', 'current_password_invalid', 'weak_password', 'compromised_password'],
});

export const listAssistants = route({
  id: 'listAssistants',
  method: 'GET',
  path: '/api/v1/account/assistants',
  summary: 'The assistants that may speak for whoever is signed in',
  chapter: 'Accounts',
  access: ofAccount,
  answers: {
    200: {
      schema: accountData(
        z.array(
          z.strictObject({
            id: Uuid,
            name: z.string().nullable(),
            profile_id: Uuid,
            scopes: z.array(McpScope),
            allowed_at: IsoTimestamp,
          }),
        ),
      ),
    },
  },
});

export const deleteAssistant = route({
  id: 'deleteAssistant',
  method: 'DELETE',
  path: '/api/v1/account/assistants/{id}',
  summary: 'Take back, at once, what was allowed to an assistant',
  chapter: 'Accounts',
  audit: { action: 'assistant.revoked', of: 'assistant:{params.id}' },
  access: ofAccount,
  params: z.object({ id: Uuid }),
  refusedAs: { id: 'not_found' },
  ids: { id: 'assistant' },
  answers: { 200: { schema: accountData(Deleted) } },
});

export const managers = { credentials: ['session'], roles: ['owner', 'admin'], grain: 'workspace' } as const;
export const inWorkspace = z.object({ workspaceId: Uuid });
const byInvitation = {
  params: inWorkspace.extend({ invitationId: Uuid }),
  refusedAs: { workspaceId: 'not_found', invitationId: 'not_found' },
  ids: { workspaceId: 'workspace', invitationId: 'invitation' },
} as const;
export const byWorkspace = {
  params: inWorkspace,
  refusedAs: { workspaceId: 'not_found' },
  ids: { workspaceId: 'workspace' },
} as const;
export const paged = z.object({ limit: limitParameter(limits.members.pageSize), cursor: Uuid.optional() });

export const Invitation = z.strictObject({
  id: Uuid,
  role: Role,
  email: z.string().nullable(),
  status: z.enum(invitationStatuses),
  created_by: CreatedBy,
  created_at: IsoTimestamp,
  expires_at: IsoTimestamp,
});

export const createInvitation = route({
  id: 'createInvitation',
  method: 'POST',
  path: '/api/v1/workspaces/{workspaceId}/invitations',
  summary: 'Invite somebody to a workspace by a link',
  description: `The link is in this answer and nowhere else, and no e-mail is sent: pass it on yourself. It works once, for ${limits.invitation.lifeDays} days. Only an owner invites an owner, with their password. The app that provisioned the workspace invites its owner, until a member has joined: each new link replaces the previous one.`,
  chapter: 'Members',
  audit: { action: 'invitation.created', of: 'invitation:{data.id}' },
  access: { ...managers, credentials: ['session', 'app'], scopes: anyOf('workspaces:write') },
  ...byWorkspace,
  body: {
    schema: z.strictObject({
      role: Role,
      email: Email.optional().describe('When given, only the person with this address may accept.'),
      current_password: CurrentPassword,
    }),
  },
  idempotency: 'accepted',
  answers: {
    201: {
      schema: workspaceData(Invitation.extend({ token: shownOnce(z.string()), url: shownOnce(z.url()) }), LeftOut),
      bare: true,
    },
  },
  refusals: ['plan_upgrade_required', 'invalid_state', ...passwordRefusals],
});

export const listInvitations = route({
  id: 'listInvitations',
  method: 'GET',
  path: '/api/v1/workspaces/{workspaceId}/invitations',
  summary: 'The invitations of a workspace, newest first',
  chapter: 'Members',
  access: managers,
  ...byWorkspace,
  query: paged,
  answers: { 200: { schema: workspacePage(Invitation) } },
});

export const deleteInvitation = route({
  id: 'deleteInvitation',
  method: 'DELETE',
  path: '/api/v1/workspaces/{workspaceId}/invitations/{invitationId}',
  summary: 'Revoke an invitation',
  chapter: 'Members',
  audit: { action: 'invitation.revoked', of: 'invitation:{params.invitationId}' },
  access: managers,
  ...byInvitation,
  answers: { 200: { schema: workspaceData(Deleted) } },
  refusals: ['invalid_state'],
});

export const acceptInvitation = route({
  id: 'acceptInvitation',
  method: 'POST',
  path: '/api/v1/invitations/accept',
  summary: 'Accept an invitation',
  description:
    'Whoever is signed in joins the workspace. Without a session an account is made from `name`, `email` and `password`, and the answer signs it in.',
  chapter: 'Members',
  audit: { action: 'member.joined', of: 'user:{data.user_id}' },
  access: { credentials: ['public', 'session'], grain: 'account' },
  rate: 'token',
  body: {
    schema: z.strictObject({
      token: z.string().max(200),
      name: Name.optional(),
      email: Email.optional(),
      password: Password.optional(),
    }),
  },
  answers: { 201: { schema: accountData(z.strictObject({ user_id: Uuid, workspace_id: Uuid, role: Role })) } },
  refusals: ['not_found', 'forbidden', 'invalid_state', 'workspace_archived', 'weak_password', 'compromised_password'],
});
