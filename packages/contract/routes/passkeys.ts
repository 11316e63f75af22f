import { limits } from '@tributary/vocabulary';
import { z } from 'zod';
import { accountData, Deleted, IsoTimestamp, nameOf, Uuid } from '../primitives.ts';
import { route } from '../route.ts';
import { Challenge, Password, Person } from './sign-in.ts';

/** Signing in with passkeys, and managing them. */

const ofAccount = { credentials: ['session'], grain: 'account' } as const;
const ofAnybody = { credentials: ['public'], grain: 'account' } as const;

const Base64Url = z
  .string()
  .max(20_000)
  .regex(/^[\w-]*$/, 'must be base64url')
  .meta({ examples: ['c2lnbmVkIGJ5IGEgZGV2aWNl'] });

/** The format of `PublicKeyCredential.toJSON()`. */
const credentialOf = <Response extends z.ZodType>(response: Response) =>
  z.object({ id: Base64Url, rawId: Base64Url, type: z.literal('public-key'), response });
const NewCredential = credentialOf(
  z.object({
    clientDataJSON: Base64Url,
    attestationObject: Base64Url,
    transports: z
      .array(z.string().regex(/^[\w-]{1,20}$/))
      .max(10)
      .optional(),
  }),
);
const ShownCredential = credentialOf(
  z.object({ clientDataJSON: Base64Url, authenticatorData: Base64Url, signature: Base64Url }),
);

const Begun = z.strictObject({
  options: z
    .looseObject({ challenge: z.string() })
    .describe('What the browser is to be asked, in the JSON of WebAuthn.'),
  challenge: Challenge.describe('Send it back with the answer, within five minutes. It works once.'),
});

const Passkey = z.strictObject({ id: Uuid, name: z.string(), created_at: IsoTimestamp });

const onlyByName =
  'Browsers tie a passkey to a name: there are none where the service is reached by the number of its address, or over plain HTTP from elsewhere.';

export const beginPasskeySignIn = route({
  id: 'beginPasskeySignIn',
  method: 'POST',
  path: '/api/v1/account/sign-in/passkey/challenge',
  summary: 'Sign in with a passkey: what to ask the browser',
  description: `Hand \`options\` to \`navigator.credentials.get\`. ${onlyByName}`,
  chapter: 'Accounts',
  audit: 'not needed: nobody has signed in yet',
  access: ofAnybody,
  rate: 'token',
  answers: { 200: { schema: accountData(Begun) } },
  refusals: ['invalid_state'],
});

export const signInWithPasskey = route({
  id: 'signInWithPasskey',
  method: 'POST',
  path: '/api/v1/account/sign-in/passkey',
  summary: 'Sign in with a passkey',
  description:
    'The device has asked for a finger, a face or a PIN, so there is no second step. The answer sets the session cookie.',
  chapter: 'Accounts',
  audit: { action: 'account.signed_in', of: 'user:{data.id}' },
  access: ofAnybody,
  rate: 'token',
  body: { schema: z.strictObject({ challenge: Challenge, credential: ShownCredential }) },
  answers: { 200: { schema: accountData(Person) } },
  refusals: ['unauthorized', 'invalid_state'],
});

export const beginPasskey = route({
  id: 'beginPasskey',
  method: 'POST',
  path: '/api/v1/account/passkeys/challenge',
  summary: 'Begin to add a passkey',
  description: `Hand \`options\` to \`navigator.credentials.create\`. ${onlyByName}`,
  chapter: 'Accounts',
  audit: 'not needed: nothing is added yet',
  access: ofAccount,
  rate: 'token',
  body: { schema: z.strictObject({ current_password: Password }) },
  answers: { 200: { schema: accountData(Begun) } },
  refusals: ['current_password_invalid', 'invalid_state'],
});

export const createPasskey = route({
  id: 'createPasskey',
  method: 'POST',
  path: '/api/v1/account/passkeys',
  summary: 'Add the passkey that the browser made',
  description: `A person may have ${limits.passkeys.most}. Each signs in by itself, beside the password.`,
  chapter: 'Accounts',
  audit: { action: 'account.passkey_added', of: 'passkey:{data.id}' },
  access: ofAccount,
  rate: 'token',
  body: {
    schema: z.strictObject({
      challenge: Challenge,
      name: nameOf(100).describe('By which you will know it again.'),
      credential: NewCredential,
    }),
  },
  answers: { 201: { schema: accountData(Passkey) } },
  refusals: ['invalid_state'],
});

export const listPasskeys = route({
  id: 'listPasskeys',
  method: 'GET',
  path: '/api/v1/account/passkeys',
  summary: 'Your passkeys',
  chapter: 'Accounts',
  access: ofAccount,
  answers: { 200: { schema: accountData(z.array(Passkey)) } },
});

export const deletePasskey = route({
  id: 'deletePasskey',
  method: 'DELETE',
  path: '/api/v1/account/passkeys/{id}',
  summary: 'Give up a passkey',
  description: 'Sessions that it opened go on; end them one by one, or all with a new password.',
  chapter: 'Accounts',
  audit: { action: 'account.passkey_removed', of: 'passkey:{params.id}' },
  access: ofAccount,
  params: z.object({ id: Uuid }),
  refusedAs: { id: 'not_found' },
  ids: { id: 'passkey' },
  answers: { 200: { schema: accountData(Deleted) } },
});
