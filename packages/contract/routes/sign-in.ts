import { z } from 'zod';
import { accountData, Deleted, IsoTimestamp, Uuid } from '../primitives.ts';
import { route } from '../route.ts';

/** The second factor of signing in, its setup, and the open sessions of an account. */

/** Only the length is checked here: the strength of a password has its own codes. */
export const Password = z.string().max(128, 'may have up to 128 characters');

/** Required to destroy data or widen access: a hijacked session must not be sufficient. */
export const CurrentPassword = Password.optional().describe(
  'The password of the signed-in member, where the description asks for it.',
);
export const passwordRefusals = ['current_password_required', 'current_password_invalid'] as const;

export const Person = z.strictObject({ id: Uuid, name: z.string(), email: z.string() });

const ofAccount = { credentials: ['session'], grain: 'account' } as const;

/** Six digits of an authenticator app, or a recovery code. */
const Code = z
  .string()
  .trim()
  .regex(/^[A-Za-z0-9-]{6,20}$/, 'must be the six digits that the authenticator shows, or a recovery code')
  .meta({ examples: ['123456'] });
export const Challenge = z
  .string()
  .regex(/^[\w.%~+=-]{20,500}$/, 'must be the challenge that signing in answered with')
  .meta({ examples: ['2fa-9fK2mQx7LwZr4TbNcVhS'] });

export const SecondStep = z.strictObject({
  second_step: z.literal(true),
  challenge: Challenge.describe('Send it with a code to POST /account/sign-in/second-step, within ten minutes.'),
});

export const completeSignIn = route({
  id: 'completeSignIn',
  method: 'POST',
  path: '/api/v1/account/sign-in/second-step',
  summary: 'Sign in: the second step',
  description:
    'For whoever has a second factor. Five wrong codes end the challenge; a recovery code works once. The answer sets the session cookie.',
  chapter: 'Accounts',
  audit: { action: 'account.signed_in', of: 'user:{data.id}' },
  access: { credentials: ['public'], grain: 'account' },
  rate: 'token',
  body: { schema: z.strictObject({ challenge: Challenge, code: Code }) },
  answers: { 200: { schema: accountData(Person) } },
  refusals: ['unauthorized'],
});

export const createTwoFactor = route({
  id: 'createTwoFactor',
  method: 'POST',
  path: '/api/v1/account/two-factor',
  summary: 'Begin to use a second factor',
  description:
    'Add `otpauth_url` to an authenticator, keep the recovery codes somewhere safe, then confirm with a code. Neither is shown again.',
  chapter: 'Accounts',
  audit: { action: 'account.two_factor_begun', of: 'user:{caller.userId}' },
  access: ofAccount,
  rate: 'token',
  body: { schema: z.strictObject({ current_password: Password }) },
  answers: {
    200: {
      schema: accountData(z.strictObject({ otpauth_url: z.string(), recovery_codes: z.array(z.string()) })),
    },
  },
  refusals: ['current_password_invalid', 'invalid_state'],
});

const replaced =
  'Other sessions of this person end, and this one is replaced: the answer sets its cookie. Assistants have to be allowed again.';

export const confirmTwoFactor = route({
  id: 'confirmTwoFactor',
  method: 'POST',
  path: '/api/v1/account/two-factor/confirm',
  summary: 'Confirm the second factor with a first code',
  description: `From now on signing in takes a second step. ${replaced}`,
  chapter: 'Accounts',
  audit: { action: 'account.two_factor_enabled', of: 'user:{caller.userId}' },
  access: ofAccount,
  rate: 'token',
  body: { schema: z.strictObject({ code: Code }) },
  answers: { 200: { schema: accountData(z.strictObject({ enabled: z.literal(true) })) } },
  refusals: ['invalid_state'],
});

export const disableTwoFactor = route({
  id: 'disableTwoFactor',
  method: 'POST',
  path: '/api/v1/account/two-factor/disable',
  summary: 'Give up the second factor',
  description: replaced,
  chapter: 'Accounts',
  audit: { action: 'account.two_factor_disabled', of: 'user:{caller.userId}' },
  access: ofAccount,
  rate: 'token',
  body: { schema: z.strictObject({ current_password: Password }) },
  answers: { 200: { schema: accountData(z.strictObject({ enabled: z.literal(false) })) } },
  refusals: ['current_password_invalid', 'invalid_state'],
});

export const listSessions = route({
  id: 'listSessions',
  method: 'GET',
  path: '/api/v1/account/sessions',
  summary: 'Where somebody is signed in: their newest sessions',
  chapter: 'Accounts',
  access: ofAccount,
  answers: {
    200: {
      schema: accountData(
        z.array(
          z.strictObject({
            id: Uuid,
            created_at: IsoTimestamp,
            last_used_at: IsoTimestamp.nullable(),
            expires_at: IsoTimestamp,
            is_current: z.boolean(),
          }),
        ),
      ),
    },
  },
});

export const deleteSession = route({
  id: 'deleteSession',
  method: 'DELETE',
  path: '/api/v1/account/sessions/{id}',
  summary: 'End one of your sessions at once, and the assistants that it allowed',
  chapter: 'Accounts',
  audit: { action: 'account.session_ended', of: 'session:{params.id}' },
  access: ofAccount,
  params: z.object({ id: Uuid }),
  refusedAs: { id: 'not_found' },
  ids: { id: 'session' },
  answers: { 200: { schema: accountData(Deleted) } },
});
