import { limits } from '@tributary/vocabulary';
import { z } from 'zod';
import { data, IsoTimestamp, Uuid } from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { HandoffProvider, HandoffReason, HandoffStatus } from '../vocabulary.ts';

/** Links with which a person without an account connects a provider account. */

const chapter = 'Connections';
const credentials = ['api_key', 'app', 'session', 'mcp'] as const;

const { lifeMinutes, returnUrlCharacters } = limits.handoff;

const PendingSelection = z.strictObject({
  candidate_count: z.int().positive().describe('How many accounts there are to choose from.'),
  expires_at: IsoTimestamp.describe('Until when one can be chosen.'),
});

const provider = HandoffProvider;
const Result = z
  .union([
    z.strictObject({ provider, connection_id: Uuid }),
    z.strictObject({ provider, pending_selection: PendingSelection }),
    z.strictObject({ provider, reason: HandoffReason }),
  ])
  .describe(
    'A connection; or several accounts, one of which has to be chosen (`GET /api/v1/connections/pending/{provider}`); or why there is none.',
  );

const Handoff = z
  .strictObject({
    id: Uuid,
    kind: z.literal('connect'),
    status: HandoffStatus,
    url: z.string().describe('One page for a person, who needs no account: it says what is asked, and leads on.'),
    start_url: z.string().describe('The same link without the page: straight to the provider.'),
    expires_at: IsoTimestamp,
    created_at: IsoTimestamp,
    completed_at: IsoTimestamp.nullable().describe('When it was decided, whichever way.'),
    last_attempt: z
      .strictObject({ reason: HandoffReason, at: IsoTimestamp.describe('When it came back.') })
      .nullable()
      .describe(
        'The last consent that came back in another browser than the one in which it began. It decides nothing: the hand-off stays pending.',
      ),
    result: Result.nullable().describe('Null while it is pending.'),
  })
  .meta({ id: 'Handoff' });

export const createHandoff = route({
  id: 'createHandoff',
  method: 'POST',
  path: '/api/v1/connections/{provider}/handoff',
  summary: 'Mint a link with which a person connects a provider',
  description:
    `Give \`url\` to whoever holds the account, or send them to \`start_url\`. Both are one capability: for ${lifeMinutes} minutes, and for one consent. ` +
    'Looking at them uses nothing up. Each mint makes a new one. When the consent has ended the person is sent to `return_url`, with `connect`, ' +
    '`provider`, `status`, `profile_id`, `handoff_id` and, where they apply, `reason` and `candidate_count` behind its own query. That is a hint: ' +
    'what became of it is read from `GET /api/v1/handoffs/{id}`.',
  chapter,
  audit: { action: 'handoff.minted', of: 'handoff:{data.id}' },
  access: { credentials, scopes: anyOf('connections:write'), grain: 'profile' },
  params: z.object({ provider }),
  body: {
    schema: z.strictObject({
      profile_id: Uuid.optional().describe(
        "The profile that you believe to speak for: another than the credential's is refused.",
      ),
      return_url: z
        .string()
        .max(returnUrlCharacters, `may have up to ${returnUrlCharacters} characters`)
        .optional()
        .describe(
          'Where the person is sent in the end. For apps, on profiles that they govern: its origin must be one of `redirect_uris`, or allowed by the registration otherwise. No user name, no password. Without an app: the connections page of the profile in the console.',
        )
        .meta({ examples: ['https://app.example.com/connected?step=2'] }),
    }),
    optional: true,
  },
  ids: { profile_id: 'profile' },
  refusedAs: { profile_id: 'not_found', return_url: 'invalid_parameter' },
  idempotency: 'accepted',
  answers: { 201: { schema: data(Handoff) } },
});

export const readHandoff = route({
  id: 'readHandoff',
  method: 'GET',
  path: '/api/v1/handoffs/{id}',
  summary: 'What became of a hand-off',
  description: 'An app sees its own. Everybody else who may sees those of the profile, whosever they are.',
  reveals: { days: 'any', people: 'none', costs: false },
  chapter,
  access: { credentials, scopes: anyOf('connections:read', 'connections:write'), grain: 'profile' },
  params: z.object({ id: Uuid }),
  ids: { id: 'handoff' },
  refusedAs: { id: 'not_found' },
  answers: { 200: { schema: data(Handoff) } },
});

// ── Selection of one account among several
// ──────────────────────────────────────────────────────────────────────────────────────

const { parkedTokenMinutes, mostCandidates } = limits.handoff;
const choosing = { credentials, scopes: anyOf('connections:write'), grain: 'profile' } as const;

export const listPendingAccounts = route({
  id: 'listPendingAccounts',
  method: 'GET',
  path: '/api/v1/connections/pending/{provider}',
  summary: 'The accounts, properties or locations that a consent left to be chosen from',
  description:
    `What the newest consent at this provider opened, for ${parkedTokenMinutes} minutes, as the provider names it and up to ${mostCandidates}. ` +
    'An app sees what came through its own hand-offs. Nothing to choose from: 404. Too late: 409 `invalid_state`, `selection_expired`.',
  reveals: { days: 'any', people: 'none', costs: false },
  chapter,
  access: choosing,
  params: z.object({ provider }),
  answers: {
    200: {
      schema: data(
        z
          .array(z.strictObject({ id: z.string().describe("The provider's own id, for finalize."), name: z.string() }))
          .max(mostCandidates),
        { handoff_id: Uuid, expires_at: IsoTimestamp },
      ),
    },
  },
  refusals: ['invalid_state'],
});

export const finalizePendingAccount = route({
  id: 'finalizePendingAccount',
  method: 'POST',
  path: '/api/v1/connections/pending/{provider}/finalize',
  summary: 'Connect one of the accounts that a consent left to be chosen from',
  description:
    'The same account again answers the same connection, with `already_finalized`. Another one is 409 `invalid_state`: switching accounts is a new connect. ' +
    'An account that a sister profile holds is 409 `account_connected_elsewhere`; nothing is stored, and another one can be chosen.',
  chapter,
  audit: {
    action: 'connection.finalized',
    of: 'connection:{data.connection_id}',
    unchanged: { where: 'already_finalized' },
  },
  access: choosing,
  params: z.object({ provider }),
  body: {
    schema: z.strictObject({
      candidate_id: z
        .string()
        .min(1)
        .max(500)
        .describe('An `id` of the list, as it is.')
        .meta({ examples: ['act_1', 'act_2'] }),
    }),
  },
  idempotency: 'natural',
  answers: {
    200: {
      schema: data(
        z.strictObject({
          provider,
          candidate_id: z.string(),
          connection_id: Uuid,
          already_finalized: z.boolean().describe('It was chosen before, and nothing was changed.'),
        }),
      ),
    },
  },
  refusals: ['invalid_state', 'account_connected_elsewhere'],
});
