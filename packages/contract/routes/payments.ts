import { actionOutcomes, dayMs, limits, outcomeStatuses, uuidPattern } from '@tributary/vocabulary';
import { z } from 'zod';
import {
  CalendarDate,
  CurrencyCode,
  customerKey,
  DecimalString,
  data,
  IsoTimestamp,
  IsoTimestampInput,
  limitParameter,
  page,
  Uuid,
} from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { Flag, PaymentActionName, PaymentFilter } from '../vocabulary.ts';
import { ServerEvent } from './outcomes.ts';
import { Payment } from './payment.ts';

/** Payments, and corrections by the merchant. */

const chapter = 'Payments';
const { maxDays } = limits.dateRange;

const PaymentEntry = z
  .strictObject({
    id: Uuid,
    action: PaymentActionName,
    at: IsoTimestamp,
    amount: DecimalString.nullable().describe('Of a refund.'),
    actor_kind: z.string(),
    request_id: z.string(),
  })
  .meta({ id: 'PaymentEntry' });

const read = {
  credentials: ['api_key', 'app', 'session', 'mcp'],
  scopes: anyOf('commerce:read'),
  grain: 'profile',
} as const;
const write = { ...read, scopes: anyOf('attribution:write') } as const;
const params = z.object({ payment_id: Uuid.describe('The `id` of a row of GET /payments.') });
const refusedAs = { payment_id: 'payment_ref_invalid' } as const;
const ids = { payment_id: 'payment' } as const;
const notFound = 'Another profile’s payment answers like one that never was: 404.';

const Day = z.union([CalendarDate, IsoTimestampInput], { error: 'must be a date, or an ISO 8601 time with an offset' });
const spanOf = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / dayMs;

/** Also parses the time: 31 February has the shape of a day. */
const isCursor = (text: string) => cursorPattern.test(text) && !Number.isNaN(Date.parse(text.slice(0, 24)));
const cursorPattern = new RegExp(`^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z\\|${uuidPattern}$`);

export const listPayments = route({
  id: 'listPayments',
  method: 'GET',
  path: '/api/v1/payments',
  summary: 'Payments, with what merchants said of them applied',
  description:
    'Newest first, page by page. `from` and `to` are days of the profile’s time zone, both included, or moments, of which the second is not. ' +
    '`status=unidentified` lists those of which nobody knows who paid.',
  reveals: { days: 'any', people: 'keys', costs: false },
  chapter,
  access: read,
  query: z
    .object({
      from: Day,
      to: Day,
      status: PaymentFilter.default('all'),
      counted: Flag.optional().describe(
        '`true`: only records that reports count; `false`: only duplicates, excluded ones and those still being matched.',
      ),
      cursor: z
        .string()
        .refine(isCursor, 'is not one that this route gave out')
        .meta({ examples: ['2026-03-01T12:00:00.000Z|0d1f9c3e-6f1e-4b5a-8f0a-1c2d3e4f5a6b'] })
        .optional(),
      limit: limitParameter(limits.payments.pageSize),
    })
    .refine(({ from, to }) => spanOf(from, to) >= 0, { path: ['to'], message: 'must not be before from', abort: true })
    .refine(({ from, to }) => spanOf(from, to) < maxDays, {
      path: ['to'],
      message: `may be up to ${maxDays} days after from`,
    }),
  refusedAs: { from: 'range_invalid', to: 'range_invalid', status: 'status_invalid' },
  answers: { 200: { schema: page(Payment) } },
});

export const readPayment = route({
  id: 'readPayment',
  method: 'GET',
  path: '/api/v1/payments/{payment_id}',
  summary: 'A payment, and every entry that merchants made on it',
  reveals: { days: 'any', people: 'keys', costs: false },
  chapter,
  access: read,
  params,
  refusedAs,
  ids,
  answers: {
    200: { schema: data(Payment.extend({ entries: z.array(PaymentEntry).describe('The newest first, up to 100.') })) },
  },
});

const DryRun = z.object({
  dry_run: Flag.default('false').describe('`true`: says what the action would do, and does nothing.'),
});

const PaymentActionAnswer = z
  .strictObject({
    id: Uuid,
    outcome: z
      .enum(actionOutcomes)
      .describe('`no_change`: all was so already. Neither that nor `dry_run` leaves an entry.'),
    action_id: Uuid.nullable().describe('The entry that it left.'),
    before: Payment,
    after: Payment,
    undo: z
      .strictObject({ method: z.string(), path: z.string(), body: z.record(z.string(), z.unknown()).nullable() })
      .nullable()
      .describe('The request that takes it back.'),
  })
  .meta({ id: 'PaymentAction' });

const unchanged = { outcome: ['no_change', 'dry_run'] } as const;
const audited = (action: `payment.${string}`) => ({ action, of: 'payment:{params.payment_id}', unchanged }) as const;
const survives = 'It is an entry of its own over what the provider says: a repeated message or sync does not undo it.';

export const updateInstallment = route({
  id: 'updateInstallment',
  method: 'PUT',
  path: '/api/v1/payments/{payment_id}/installment',
  summary: 'Mark a payment as a later installment, or take the mark away',
  description: `An installment is never a first payment, and its purchase is not new. ${survives} ${notFound}`,
  chapter,
  audit: audited('payment.installment_changed'),
  access: write,
  params,
  query: DryRun,
  body: { schema: z.strictObject({ is_installment: z.boolean() }) },
  refusedAs,
  ids,
  idempotency: 'natural',
  answers: { 200: { schema: data(PaymentActionAnswer) } },
});

const PayerBody = z
  .strictObject({
    customer_key: z
      .string()
      .max(500)
      .nullish()
      .describe('Your own key of whoever paid; null takes the assignment back.')
      .meta({ examples: ['customer-8812', null] }),
    customer_profile_id: Uuid.nullish().describe('In its place, our id of them.'),
  })
  .refine((body) => body.customer_key !== undefined || body.customer_profile_id !== undefined, {
    path: ['customer_key'],
    message: 'is required, or customer_profile_id in its place',
    abort: true,
  })
  .refine((body) => !body.customer_key || !body.customer_profile_id, {
    path: ['customer_profile_id'],
    message: 'must not stand beside customer_key',
  })
  .meta({ examples: [{ customer_key: 'customer-8812' }, { customer_key: null }] });

export const updatePayer = route({
  id: 'updatePayer',
  method: 'PUT',
  path: '/api/v1/payments/{payment_id}/payer',
  summary: 'Say who paid',
  description:
    'The payment moves to the payer’s journey, and what it owes to which ad is worked out again. 200 says that all of it is done. ' +
    '502 `payment_assignment_incomplete` says that the assignment is kept and attribution is still at it: the same request again ' +
    `changes nothing, and answers 200 once it is through. ${survives} ${notFound}`,
  chapter,
  audit: audited('payment.payer_changed'),
  access: write,
  params,
  query: DryRun,
  body: { schema: PayerBody },
  refusedAs,
  ids: { ...ids, customer_profile_id: 'customer' },
  idempotency: 'natural',
  answers: { 200: { schema: data(PaymentActionAnswer) } },
  refusals: ['customer_not_in_profile', 'payment_assignment_incomplete', 'invalid_state'],
});

const Amount = z
  .union([z.number(), z.string().max(60)], { error: 'must be a number, or one written as text' })
  .meta({ examples: ['19.90', 5, '12500'] });

export const createPaymentRefund = route({
  id: 'createPaymentRefund',
  method: 'POST',
  path: '/api/v1/payments/{payment_id}/refund',
  summary: 'Record a refund that was made outside the provider',
  description: `One for each payment, of up to what its provider has not given back already. A refund that the provider knows of comes by \`POST /events\` with \`refund_of\`. ${survives} ${notFound}`,
  chapter,
  audit: audited('payment.refund_recorded'),
  access: write,
  params,
  query: DryRun,
  body: {
    schema: z.strictObject({
      amount: Amount.optional().describe(
        'In the payment’s currency, exact when sent as text. All that is left when absent.',
      ),
    }),
    optional: true,
  },
  refusedAs: { ...refusedAs, amount: 'amount_invalid' },
  ids,
  idempotency: 'accepted',
  answers: { 200: { schema: data(PaymentActionAnswer) } },
  refusals: ['manual_refund_exists'],
});

export const deletePaymentRefund = route({
  id: 'deletePaymentRefund',
  method: 'DELETE',
  path: '/api/v1/payments/{payment_id}/refund',
  summary: 'Take back a refund that was recorded by hand',
  description: `The entry stays and another says that it was undone. Where there is none: 404. ${notFound}`,
  chapter,
  audit: audited('payment.refund_undone'),
  access: write,
  params,
  query: DryRun,
  refusedAs,
  ids,
  idempotency: 'natural',
  answers: { 200: { schema: data(PaymentActionAnswer.extend({ deleted: z.boolean() })) } },
});

const {
  idempotency_key: _key,
  event_name: _name,
  event_type: _type,
  properties: _properties,
  ...eventFields
} = ServerEvent.shape;
const {
  occurred_at,
  refund_of: _refundOf,
  refund_kind: _refundKind,
  refund_status: _refundStatus,
  ...payerFields
} = eventFields;

export const createCardpayPayment = route({
  id: 'createCardpayPayment',
  method: 'POST',
  path: '/api/v1/payments/cardpay',
  summary: 'Report a payment of the card gateway',
  description:
    'The gateway has no connection: its payments are told here, by whoever receives its notifications. The same `external_id` again is ' +
    'the same payment, equal or corrected.',
  chapter,
  audit: 'not needed: a payment is kept with its source and time, and its corrections beside it',
  access: write,
  rate: 'ingest',
  query: DryRun,
  body: {
    schema: z.strictObject({
      external_id: z.string().trim().min(1, 'must not be empty').max(190).describe('The gateway’s id of the payment.'),
      amount: Amount,
      currency: CurrencyCode.meta({ examples: ['CLP', 'USD'] }),
      amount_refunded: Amount.optional().describe('All that the gateway has given back of it so far.'),
      paid_at: occurred_at,
      subject_ref: z.string().max(200).nullish().describe('Your opaque id of whom the payment is for.'),
      ...payerFields,
    }),
  },
  refusedAs: { subject_ref: 'invalid_parameter' },
  idempotency: 'accepted',
  answers: {
    202: {
      schema: data(
        z.strictObject({
          id: Uuid.describe('The `payment_id`.'),
          status: z.enum(outcomeStatuses),
          dry_run: z.boolean(),
          customer_key: customerKey('Your own key of the customer.'),
          warnings: z.array(z.string()).optional(),
        }),
      ),
    },
  },
  refusals: ['amount_invalid'],
});
