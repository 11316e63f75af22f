import { attributionModelNames, limits, partnerTouchStatuses } from '@tributary/vocabulary';
import { z } from 'zod';
import { customerKey, data, fieldsOf, IsoTimestampInput, Uuid } from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { DeclaredSourceAnswer } from '../vocabulary.ts';
import { Count } from './report-parts.ts';

/** Customer data of partners besides outcomes: survey answers, and the ad that a conversation came from. */

const chapter = 'Partner signals';
const access = {
  credentials: ['api_key', 'app', 'session', 'mcp'],
  scopes: anyOf('attribution:write'),
  grain: 'profile',
} as const;

const text = (most: number) => z.string().max(most, `may have up to ${most} characters`);
const CallerKey = text(200).trim().min(1, 'must not be empty');
const mostReferrals = limits.adReferrals.maxRows;

/** Neither route accepts a national id: `external_ref` finds the same customer, so the id would be stored without need. */
const withoutNationalId: z.core.$ZodErrorMap = (issue) =>
  issue.code === 'unrecognized_keys' && issue.keys[0] === 'national_id'
    ? 'The field `national_id` may not be sent here. Name the customer by `external_ref`.'
    : undefined;

const NamedCustomer = z
  .strictObject(
    {
      external_ref: CallerKey.describe('Your own id of the customer. Not a national id.').meta({
        examples: ['contact-8812'],
      }),
      email: text(320)
        .nullish()
        .meta({ examples: ['ana.soto@example.cl'] }),
      phone: text(60)
        .nullish()
        .meta({ examples: ['+56912345678'] }),
    },
    { error: withoutNationalId },
  )
  .describe(
    'With an e-mail address or phone, a customer whom nobody knows yet is created; by `external_ref` alone only one who is known is found.',
  );

const who = {
  customer: NamedCustomer.nullish(),
  wa_id: text(60)
    .nullish()
    .describe('The customer’s WhatsApp id, in place of `customer`. Refused on healthcare-family profiles.')
    .meta({ examples: ['56912345678'] }),
};

const namesOne = ({ customer, wa_id }: { customer?: unknown; wa_id?: string | null | undefined }) =>
  Boolean(customer) !== Boolean(wa_id?.trim());
const oneOf = { path: ['customer'], message: 'must name the customer, or wa_id must: exactly one of the two' };

const refusals = ['unknown_customer_ref', 'invalid_parameter'] as const;

export const createDeclaredSource = route({
  id: 'createDeclaredSource',
  method: 'POST',
  path: '/api/v1/partner/declared-source',
  summary: 'Record how a customer says to have found the business',
  description:
    'The interpreted answer becomes a touch of the customer at `occurred_at`, and what they did afterwards is credited anew. It is left out where a visit ' +
    'came from the same source. A customer has one answer, the first that was told; the same `wamid` again changes nothing.',
  chapter,
  access,
  audit: 'not needed: an answer is kept with its time, and never changed',
  rate: 'ingest',
  body: {
    example: { wa_id: '56987654321', wamid: 'wamid.HBgLNTY5MTIzNDU2NzgVAgASGBQ', answer_key: 'instagram' },
    schema: z
      .strictObject(
        {
          wamid: CallerKey.describe('The id of the message with the answer.').meta({
            examples: ['wamid.HBgLNTY5MTIzNDU2NzgVAgASGBQ'],
          }),
          answer_key: DeclaredSourceAnswer.describe('`other` where none fits, with the words in `answer_text`.'),
          answer_text: text(500)
            .nullish()
            .describe('What the customer wrote.')
            .meta({ examples: ['I saw the sign at the station'] }),
          occurred_at: IsoTimestampInput.nullish().describe('When they came. Now when absent.'),
          ...who,
        },
        { error: withoutNationalId },
      )
      .refine(namesOne, { ...oneOf, abort: true })
      .refine(({ answer_key, answer_text }) => answer_key !== 'other' || answer_text?.trim(), {
        path: ['answer_text'],
        message: 'is required beside the answer `other`',
      }),
  },
  refusedAs: {
    answer_key: 'unknown_answer_key',
    national_id: 'invalid_parameter',
    'customer.national_id': 'invalid_parameter',
  },
  refusals,
  idempotency: 'natural',
  answers: {
    200: {
      schema: data(
        z.strictObject({
          touch_id: Uuid.describe('Of the answer that counts.'),
          status: z
            .enum(partnerTouchStatuses)
            .describe('`duplicate`: this `wamid` was told before. `kept_first`: another answer of theirs counts.'),
          answer_key: DeclaredSourceAnswer.describe('The answer that counts.'),
          customer_key: customerKey('Your own key of the customer.'),
        }),
      ),
    },
  },
});

const AdReferral = z
  .strictObject(
    {
      idempotency_key: CallerKey.meta({ examples: ['referral-8812'] }),
      ad_id: CallerKey.describe('What its platform calls the ad. It must be one of the profile’s own.').meta({
        examples: ['120210987654321'],
      }),
      occurred_at: IsoTimestampInput.describe('When the conversation began.'),
      ctwa_clid: text(1_000).nullish().describe('The click’s id, where the conversation carried one.'),
      ...who,
    },
    { error: withoutNationalId },
  )
  .refine(namesOne, oneOf);

const refusedAs = { national_id: 'invalid_parameter', 'customer.national_id': 'invalid_parameter' } as const;
const Referrals = z.union([
  z.strictObject({
    referrals: z
      .array(AdReferral)
      .min(1, 'must hold at least one referral')
      .max(mostReferrals, `may hold up to ${mostReferrals} referrals`),
  }),
  AdReferral,
]);
const referralBody = {
  schema: Referrals,
  list: 'referrals',
  maxBytes: 2 * 1024 * 1024,
  example: {
    idempotency_key: 'referral-8812',
    ad_id: '120210000000000044',
    occurred_at: '2026-11-02T14:30:00Z',
    customer: { external_ref: 'contact-8812', email: 'ana@example.com' },
  },
};

export const createAdReferrals = route({
  id: 'createAdReferrals',
  method: 'POST',
  path: '/api/v1/partner/ad-referrals',
  summary: 'Record which ads past conversations came from',
  description:
    `Takes one referral, or \`{referrals: [...]}\` with up to ${mostReferrals}: all are recorded, or none. Each becomes a touch of the customer at ` +
    '`occurred_at`, creates no lead, and what they did afterwards is credited anew. It is left out where a visit came from the same ad or by the same click.',
  chapter,
  access,
  audit: 'not needed: a referral is kept with its time, and never changed',
  rate: 'ingest',
  body: referralBody,
  refusedAs,
  refusals: [...refusals, 'unknown_ad'],
  idempotency: 'natural',
  answers: {
    200: {
      schema: data(
        z.strictObject({
          results: z.array(
            z.strictObject({
              touch_id: Uuid,
              status: z
                .enum(partnerTouchStatuses)
                .exclude(['kept_first'])
                .describe('`duplicate`: this key was told before.'),
              customer_key: customerKey('Your own key of the customer.'),
            }),
          ),
          summary: z.strictObject({ recorded: Count, duplicate: Count }),
        }),
      ),
    },
  },
});

export const previewAdReferrals = route({
  id: 'previewAdReferrals',
  method: 'POST',
  path: '/api/v1/partner/ad-referrals/preview',
  summary: 'How many conversions a batch of referrals would credit anew',
  description:
    'Takes what `POST /partner/ad-referrals` takes, checks the same and writes nothing. Of each model it counts the conversions whose credit would be ' +
    'divided otherwise.',
  chapter,
  access,
  audit: 'not needed: it counts what would change, and changes nothing',
  body: referralBody,
  refusedAs,
  refusals: [...refusals, 'unknown_ad'],
  idempotency: 'natural',
  answers: {
    200: {
      schema: data(
        z.strictObject({
          conversions_recredited: z.strictObject(fieldsOf(attributionModelNames, Count)),
          is_complete: z
            .boolean()
            .describe(
              `False where the customers have more than ${limits.adReferrals.previewedConversions.toLocaleString('en')} conversions after the referrals, or more touches than are looked at: the first were counted.`,
            ),
        }),
      ),
    },
  },
});
