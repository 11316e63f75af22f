import { languages, limits } from '@tributary/vocabulary';
import { z } from 'zod';
import { accountData, IsoTimestamp, Uuid } from '../primitives.ts';
import { route } from '../route.ts';
import { Role } from '../scopes.ts';
import { acceptInvitation, createInvitation, deleteInvitation, Email, listInvitations } from './accounts.ts';
import { Password } from './sign-in.ts';

/** Routes of the invitation and password-reset pages. A token is sent in the body, because URLs end up in logs. */

const LinkToken = z.string().max(200);

const readInvitation = route({
  id: 'readInvitation',
  method: 'POST',
  path: '/api/v1/invitations/read',
  summary: 'Read an invitation by its token',
  description: 'For the page behind the link. The response names the workspace, the role and the member who invited.',
  chapter: 'Members',
  audit: 'not needed: it reads an invitation and changes nothing',
  access: { credentials: ['public', 'session'], grain: 'account' },
  rate: 'token',
  body: { schema: z.strictObject({ token: LinkToken }) },
  answers: {
    200: {
      schema: accountData(
        z.strictObject({
          workspace_name: z.string(),
          role: Role,
          email: z.string().nullable(),
          name: z.string().nullable().describe('The name of the invited owner, where an app gave it.'),
          inviter_name: z.string().nullable(),
          expires_at: IsoTimestamp,
        }),
      ),
    },
  },
  refusals: ['not_found', 'invalid_state', 'workspace_archived'],
});

const requestPasswordReset = route({
  id: 'requestPasswordReset',
  method: 'POST',
  path: '/api/v1/account/password-resets',
  summary: 'Send a password-reset link by e-mail',
  description: `The response is the same whether the address has an account or not. The link works once, for ${limits.passwordReset.lifeMinutes} minutes; a newer one replaces it.`,
  chapter: 'Accounts',
  audit: 'not needed: the password is unchanged until the link is used, which is logged',
  access: { credentials: ['public'], grain: 'account' },
  rate: 'token',
  body: {
    schema: z.strictObject({
      email: Email,
      language: z.enum(languages).default('en').describe('The language of the e-mail.'),
    }),
  },
  idempotency: 'natural',
  answers: { 202: { schema: accountData(z.strictObject({ requested: z.literal(true) })) } },
  refusals: ['invalid_state'],
});

const completePasswordReset = route({
  id: 'completePasswordReset',
  method: 'POST',
  path: '/api/v1/account/password-resets/complete',
  summary: 'Set a new password with the token of a reset link',
  description: 'Every session of the account ends. A second factor stays in place.',
  chapter: 'Accounts',
  audit: { action: 'account.password_reset', of: 'user:{data.user_id}' },
  access: { credentials: ['public'], grain: 'account' },
  rate: 'token',
  body: { schema: z.strictObject({ token: LinkToken, new_password: Password }) },
  answers: { 200: { schema: accountData(z.strictObject({ user_id: Uuid, changed: z.literal(true) })) } },
  refusals: ['not_found', 'weak_password', 'compromised_password'],
});

export const accountLinkRoutes = {
  createInvitation,
  listInvitations,
  deleteInvitation,
  readInvitation,
  acceptInvitation,
  requestPasswordReset,
  completePasswordReset,
};
