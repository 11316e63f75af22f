import { createdKinds, limits } from '@tributary/vocabulary';
import { z } from 'zod';
import { Deleted, IsoTimestamp, Uuid, workspaceData, workspacePage } from '../primitives.ts';
import { route } from '../route.ts';
import { Role } from '../scopes.ts';
import { byWorkspace, inWorkspace, managers, paged } from './accounts.ts';
import { CurrentPassword, passwordRefusals } from './sign-in.ts';

/** Members of a workspace, and what they created. */

const byMember = {
  params: inWorkspace.extend({ userId: Uuid }),
  refusedAs: { workspaceId: 'not_found', userId: 'not_found' },
  ids: { workspaceId: 'workspace', userId: 'member' },
} as const;

export const Member = z.strictObject({
  user_id: Uuid,
  name: z.string(),
  email: z.string(),
  role: Role,
  joined_at: IsoTimestamp,
});

export const listMembers = route({
  id: 'listMembers',
  method: 'GET',
  path: '/api/v1/workspaces/{workspaceId}/members',
  summary: 'The members of a workspace',
  chapter: 'Members',
  access: { credentials: ['session'], grain: 'workspace' },
  ...byWorkspace,
  query: paged,
  answers: { 200: { schema: workspacePage(Member) } },
});

export const updateMember = route({
  id: 'updateMember',
  method: 'PATCH',
  path: '/api/v1/workspaces/{workspaceId}/members/{userId}',
  summary: 'Change the role of a member',
  description: 'Only an owner makes or unmakes an owner, with `current_password`. A workspace always keeps one.',
  chapter: 'Members',
  audit: { action: 'member.role_changed', of: 'user:{params.userId}' },
  access: managers,
  ...byMember,
  body: { schema: z.strictObject({ role: Role, current_password: CurrentPassword }) },
  idempotency: 'natural',
  answers: { 200: { schema: workspaceData(Member) } },
  refusals: ['invalid_state', ...passwordRefusals],
});

export const listCreatedByMember = route({
  id: 'listCreatedByMember',
  method: 'GET',
  path: '/api/v1/workspaces/{workspaceId}/members/{userId}/created',
  summary: 'What a member created that stays in use after they leave',
  description: `API keys, links to reports, reports by e-mail, open invitations and assistants, newest first, up to ${limits.members.created}. Owners and admins read it of each member, others of themselves.`,
  chapter: 'Members',
  access: { credentials: ['session'], grain: 'workspace' },
  ...byMember,
  answers: {
    200: {
      schema: workspaceData(
        z.array(
          z.strictObject({
            kind: z.enum(createdKinds),
            id: Uuid,
            name: z
              .string()
              .nullable()
              .describe(
                'Its name; of a report by e-mail its page, of an invitation its address or role. Null: an assistant without a name.',
              ),
            profile_id: Uuid.nullable().describe('Null: an invitation, which is to the workspace.'),
            profile_name: z.string().nullable().describe('The name of that profile.'),
            created_at: IsoTimestamp,
          }),
        ),
        { has_more: z.boolean().describe('Whether there is more than is listed.') },
      ),
    },
  },
});

export const deleteMember = route({
  id: 'deleteMember',
  method: 'DELETE',
  path: '/api/v1/workspaces/{workspaceId}/members/{userId}',
  summary: 'Remove a member, or leave',
  description:
    'It takes effect at once, also for the member’s assistants. Removing an owner takes `current_password`. What the member created stays in use, unless `revoke_created` is true. The last owner stays.',
  chapter: 'Members',
  audit: { action: 'member.removed', of: 'user:{params.userId}' },
  access: { credentials: ['session'], grain: 'workspace' },
  ...byMember,
  body: {
    schema: z.strictObject({
      current_password: CurrentPassword,
      revoke_created: z
        .boolean()
        .default(false)
        .describe('Whether what `GET …/members/{userId}/created` lists is revoked too.'),
    }),
    optional: true,
  },
  answers: { 200: { schema: workspaceData(Deleted) } },
  refusals: ['forbidden', 'invalid_state', ...passwordRefusals],
});
