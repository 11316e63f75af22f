import { actionOutcomes, limits, proposalStates, uuidPattern } from '@tributary/vocabulary';
import { z } from 'zod';
import {
  CalendarDate,
  DateRange,
  data,
  dateRangeFaults,
  IsoTimestamp,
  limitParameter,
  page,
  Uuid,
} from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { Flag, IdentifierKind } from '../vocabulary.ts';

/** Why customers were merged, and how to undo it. */

const chapter = 'Identity';
const credentials = ['api_key', 'app', 'session', 'mcp'] as const;
const read = { credentials, scopes: anyOf('customers:read'), grain: 'person' } as const;
const write = { credentials, scopes: [['customers:read', 'attribution:write']], grain: 'person' } as const;
const Count = z.int().min(0);
const { pageSize, most, splitAtOnce, reasonCharacters } = limits.identity;

const Merge = z
  .strictObject({
    id: Uuid,
    merged_at: IsoTimestamp,
    merged_customer_id: Uuid.describe('Who went into the other.'),
    survivor_id: Uuid.describe('Who was the older one.'),
    joined: z
      .tuple([Uuid, Uuid])
      .describe('The two of whom the message named identifiers: themselves, or such as had been merged into them.'),
    source: z.string().describe('Who said so, like `import` or `api`.'),
    said_kinds: z.array(IdentifierKind).describe('What the message named: this showed the two to be one.'),
    moved: z
      .strictObject({ identifiers: Count, browsers: Count, outcomes: Count })
      .describe('What came along; zeros for merges of before this was counted.'),
    undone_at: IsoTimestamp.nullable(),
    reason: z.string().nullable().describe('Why it was undone.'),
  })
  .meta({ id: 'Merge' });

const IdentityCustomer = z
  .strictObject({
    customer_profile_id: Uuid,
    name: z.string().nullable().describe('As it was said of this one itself.'),
    first_seen_at: IsoTimestamp,
    identifiers: z.array(
      z.strictObject({ kind: IdentifierKind, value: z.string(), source: z.string(), said_at: IsoTimestamp }),
    ),
    browsers: Count,
    outcomes: Count.describe('That came with it. What was told of the person since stands with the oldest.'),
  })
  .meta({ id: 'IdentityCustomer' });

export const readCustomerIdentity = route({
  id: 'readCustomerIdentity',
  method: 'GET',
  path: '/api/v1/customers/{id}/identity',
  summary: 'Why several customers are one person',
  description:
    'Everybody who turned out to be this person, the oldest first, with what was said of each and by whom, and the merges that joined them. ' +
    'The merges are a tree: without one of them the person falls into two.',
  reveals: { days: 'any', people: 'named', costs: false },
  chapter,
  access: read,
  params: z.object({ id: Uuid.describe('A customer. Who was merged is found under the survivor.') }),
  ids: { id: 'customer' },
  answers: {
    200: {
      schema: data(
        z.strictObject({
          customer_profile_id: Uuid.describe('Who they all are.'),
          customers: z.array(IdentityCustomer).describe(`Up to ${most.customers}.`),
          customer_count: Count,
          merges: z.array(Merge).describe(`In the order of time, undone ones among them; up to ${most.merges}.`),
          disputed: z
            .array(
              z.strictObject({ kind: IdentifierKind, value: z.string(), source: z.string(), said_at: IsoTimestamp }),
            )
            .describe('What was said of the person and is somebody else’s.'),
          kept_apart: z
            .array(z.strictObject({ customer_profile_id: Uuid, merge_id: Uuid, since: IsoTimestamp }))
            .describe('Who is known to be somebody else, since a merge was undone.'),
        }),
      ),
    },
  },
});

const placePattern = new RegExp(`^\\d{1,9}\\|${uuidPattern}$`);

export const listMerges = route({
  id: 'listMerges',
  method: 'GET',
  path: '/api/v1/merges',
  summary: 'Merges, the largest first',
  description:
    'How wrong ones are found: a merge that moved much joined many, like the one e-mail address that a call centre typed for everybody. Days are those of the profile’s time zone.',
  reveals: { days: 'requested', people: 'named', costs: false },
  chapter,
  access: read,
  query: DateRange.safeExtend({
    cursor: z
      .string()
      .regex(placePattern, 'is not one that this route gave out')
      .optional()
      .meta({ examples: ['12|0d1f9c3e-6f1e-4b5a-8f0a-1c2d3e4f5a6b'] }),
    limit: limitParameter(pageSize),
  }),
  refusedAs: dateRangeFaults,
  answers: { 200: { schema: page(Merge, { date_from: CalendarDate, date_to: CalendarDate }) } },
});

const DryRun = z.object({
  dry_run: Flag.default('false').describe('`true`: says what would move, and moves nothing.'),
});
const Reason = z
  .string()
  .trim()
  .min(1, 'must not be empty')
  .max(reasonCharacters)
  .describe('Why, for whoever asks later. Names of people do not belong here.')
  .meta({ examples: ['One e-mail address was typed for many patients.'] });

const Undone = z
  .strictObject({
    outcome: z.enum(actionOutcomes).describe('`no_change`: it was undone already.'),
    customer_profile_id: Uuid.describe('Who keeps the id of the whole person: the oldest.'),
    separated: z.array(Uuid).describe('Who are their own again, under the ids that they had.'),
    joined: z
      .array(Uuid)
      .describe(
        'Who went into somebody else: a message had named both, and did not join them only because of the merge. Nearly always empty.',
      ),
    moved: z.strictObject({ identifiers: Count, browsers: Count, outcomes: Count }),
    undecided: Count.describe(
      'Outcomes since the merge whose message named nothing: nobody can say whose they are, and they stay.',
    ),
    conversions: Count.describe(
      'Of both sides, which are worked out again and nothing else. GET /changes says then what each model credits otherwise, under the cause `split`.',
    ),
  })
  .meta({ id: 'UndoneMerge' });

const unchanged = { outcome: ['no_change', 'dry_run'] } as const;
const whatFollows =
  'Identifiers, browsers and outcomes go back to whom they were said of, also those that were told since; names, totals, first payments and search follow, ' +
  'and what both sides owe to which ad is worked out again. A later message that names both joins them no more: it is recorded as a conflict.';

export const undoMerge = route({
  id: 'undoMerge',
  method: 'POST',
  path: '/api/v1/merges/{merge_id}/undo',
  summary: 'Undo a merge',
  description: whatFollows,
  chapter,
  audit: { action: 'merge.undone', of: 'merge:{params.merge_id}', unchanged },
  access: write,
  params: z.object({ merge_id: Uuid.describe('The `id` of a row of GET /merges.') }),
  query: DryRun,
  body: { schema: z.strictObject({ reason: Reason }) },
  ids: { merge_id: 'merge' },
  idempotency: 'natural',
  answers: { 200: { schema: data(Undone) } },
});

export const splitCustomer = route({
  id: 'splitCustomer',
  method: 'POST',
  path: '/api/v1/customers/{id}/split',
  summary: 'Undo several merges of one person at once',
  description: `For the customer that many became by mistake. ${whatFollows} 409 where a merge is not of this person.`,
  chapter,
  audit: { action: 'customer.split', of: 'customer:{params.id}', unchanged },
  access: write,
  params: z.object({ id: Uuid.describe('A customer. Who was merged is found under the survivor.') }),
  query: DryRun,
  body: {
    schema: z.strictObject({
      merges: z
        .array(z.strictObject({ merge_id: Uuid }))
        .min(1)
        .max(splitAtOnce)
        .describe(`Up to ${splitAtOnce}, of GET /customers/{id}/identity.`),
      reason: Reason,
    }),
  },
  ids: { id: 'customer', 'merges.merge_id': 'merge' },
  idempotency: 'natural',
  answers: { 200: { schema: data(Undone) } },
  refusals: ['customer_not_found', 'invalid_state'],
});

const MergeProposal = z
  .strictObject({
    id: Uuid.describe('The proposal.'),
    state: z.enum(proposalStates).describe('`open` until a member confirms or rejects it.'),
    proposed_at: IsoTimestamp.describe('When a message first named both.'),
    source: z.string().describe('Who sent that message, like `import` or `api`.'),
    shared: z
      .strictObject({ kind: IdentifierKind, value: z.string().describe('The identifier itself.') })
      .describe('The evidence: the identifier that both carry.'),
    customers: z
      .array(
        z.strictObject({
          customer_profile_id: Uuid,
          customer_key: z.string().nullable().describe('The key that you send of this customer.'),
          name: z.string().nullable().describe('First and last name, where they are recorded.'),
          first_seen_at: IsoTimestamp,
          outcomes: Count.describe('How many outcomes this customer has.'),
        }),
      )
      .describe('The two customers. One, where they are one customer by now.'),
    decided_at: IsoTimestamp.nullable().describe('When it was confirmed or rejected.'),
    reason: z.string().nullable().describe('Why it was confirmed or rejected.'),
    merge_id: Uuid.nullable().describe('The merge that confirming it made. Undo it with POST /merges/{merge_id}/undo.'),
  })
  .meta({ id: 'MergeProposal' });

const proposalCursorPattern = new RegExp(`^\\d{4}-\\d{2}-\\d{2}T[\\d:.]+Z\\|${uuidPattern}$`);

export const listMergeProposals = route({
  id: 'listMergeProposals',
  method: 'GET',
  path: '/api/v1/merge-proposals',
  summary: 'Proposed merges, the newest first',
  description:
    'Two customers with different keys of yours are never merged automatically. If a message names both, for example because a family ' +
    'shares an email address, the merge is proposed here with its evidence.',
  reveals: { days: 'any', people: 'named', costs: false },
  chapter,
  access: read,
  query: z.object({
    state: z.enum(proposalStates).default('open').describe('Which proposals.'),
    cursor: z
      .string()
      .regex(proposalCursorPattern, 'is not one that this route gave out')
      .optional()
      .meta({ examples: ['2026-11-18T12:00:00.000Z|0d1f9c3e-6f1e-4b5a-8f0a-1c2d3e4f5a6b'] }),
    limit: limitParameter(pageSize),
  }),
  answers: { 200: { schema: page(MergeProposal) } },
});

const Confirmed = z
  .strictObject({
    outcome: z.enum(actionOutcomes).describe('`no_change`: the two are one customer already.'),
    merge_id: Uuid.nullable().describe('The merge; null for a preview.'),
    customer_profile_id: Uuid.describe('The customer that both are then: the older one.'),
    merged_customer_id: Uuid.describe('The customer that goes into it.'),
    customer_keys: z.array(z.string()).describe('All keys of that customer. An erasure by one of them erases all.'),
    moved: z.strictObject({ identifiers: Count, browsers: Count, outcomes: Count }),
    conversions: Count.describe('Conversions of both, which are attributed again.'),
  })
  .meta({ id: 'ConfirmedMerge' });

const ofProposal = z.object({ proposal_id: Uuid.describe('The `id` of a row of GET /merge-proposals.') });

export const confirmMergeProposal = route({
  id: 'confirmMergeProposal',
  method: 'POST',
  path: '/api/v1/merge-proposals/{proposal_id}/confirm',
  summary: 'Confirm a proposed merge',
  description:
    'Makes the two customers one, with all keys of both. With `dry_run=true` it returns what would change, and changes nothing. ' +
    'A rejected proposal can be confirmed later. The merge can be undone. 409 if the two have different national ids.',
  chapter,
  audit: { action: 'merge_proposal.confirmed', of: 'merge_proposal:{params.proposal_id}', unchanged },
  access: write,
  params: ofProposal,
  query: DryRun,
  body: { schema: z.strictObject({ reason: Reason }) },
  ids: { proposal_id: 'merge_proposal' },
  idempotency: 'natural',
  answers: { 200: { schema: data(Confirmed) } },
  refusals: ['invalid_state'],
});

export const rejectMergeProposal = route({
  id: 'rejectMergeProposal',
  method: 'POST',
  path: '/api/v1/merge-proposals/{proposal_id}/reject',
  summary: 'Reject a proposed merge',
  description:
    'The two stay two customers, and the pair is not proposed again. 409 while a confirmed merge of the two stands.',
  chapter,
  audit: { action: 'merge_proposal.rejected', of: 'merge_proposal:{params.proposal_id}' },
  access: write,
  params: ofProposal,
  body: { schema: z.strictObject({ reason: Reason }) },
  ids: { proposal_id: 'merge_proposal' },
  idempotency: 'natural',
  answers: { 200: { schema: data(MergeProposal) } },
  refusals: ['invalid_state'],
});

export const identityRoutes = {
  readCustomerIdentity,
  listMerges,
  undoMerge,
  splitCustomer,
  listMergeProposals,
  confirmMergeProposal,
  rejectMergeProposal,
};
