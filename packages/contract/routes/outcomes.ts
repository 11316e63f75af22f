import { clickIdKindNames, eventWarnings, limits, outcomeStatuses } from '@tributary/vocabulary';
import { z } from 'zod';
import {
  CurrencyCode,
  customerKey,
  data,
  fieldsOf,
  IsoTimestamp,
  IsoTimestampInput,
  Name,
  Platform,
  RegionCode,
  Uuid,
} from '../primitives.ts';
import { anyOf, route } from '../route.ts';
import { ActionSource, ConversionKey, RefundKind, RefundStatus, RevenueType } from '../vocabulary.ts';

/** Outcomes sent by servers, and the definitions that interpret them. */

const text = (most: number) => z.string().max(most, `may have up to ${most} characters`);
export const EventName = text(200).trim().min(1, 'must not be empty');
const ClickId = text(1_000);
const mostEvents = limits.events.maxRows.toLocaleString('en');
const lookback = limits.lookback.days;
const { item } = limits;
const mostBytes = item.bytes / 1_024;

export const ServerEvent = z
  .strictObject({
    event_name: EventName.nullish().describe(
      'What happened, in your own words. A definition that lists it says what it means. The type when absent.',
    ),
    event_type: EventName.nullish().describe('A coarser word for the same; the name when absent.'),
    idempotency_key: text(200)
      .nullish()
      .describe('Required with money. The same key again is the same outcome: equal, or an update of it.'),
    occurred_at: IsoTimestampInput.nullish().describe('Now when absent; at most five minutes ahead.'),
    properties: z
      .looseObject({
        value: z
          .union([z.number(), text(60)])
          .nullish()
          .describe('An amount of money, exact when sent as text.'),
        currency: CurrencyCode.nullish(),
        subject_ref: text(200).nullish().describe('Your opaque id of whom a payment is for.'),
      })
      .default({}),
    user_traits: z
      .object({
        email: text(320).nullish(),
        phone: text(60).nullish(),
        external_id: text(200).nullish().describe('Your own id of the customer.'),
        national_id: text(40).nullish(),
        first_name: text(200).nullish(),
        last_name: text(200).nullish(),
        visitor_id: Uuid.nullish().describe(
          'The browser that the person used, as `GET /customers` and `GET /tracking/events` name it. It becomes the customer’s, unless it is somebody’s already.',
        ),
        crm_contact_id: text(200).nullish(),
        store_customer_id: text(200).nullish(),
        payments_customer_id: text(200).nullish(),
        wa_id: text(60).nullish(),
      })
      .default({}),
    action_source: ActionSource.nullish(),
    click_ids: z.object(fieldsOf(clickIdKindNames, ClickId.nullish())).nullish(),
    ad_id: text(100)
      .nullish()
      .describe(
        'The ad that brought the person, by its platform’s id. The outcome is a touch of that ad, at its own moment.',
      ),
    platform: Platform.nullish().describe(
      'Whose ad it is. Else the click id tells, or the ad’s own spend; where nothing does, `social_ads`.',
    ),
    page_url: text(2_000).nullish(),
    refund_of: text(200)
      .nullish()
      .describe(
        'Makes it a refund of that payment: by the idempotency key that it was sent under, its provider’s id or its `payment_id`. ' +
          '`properties.value` is how much went back, in the payment’s currency. It counts nowhere as an outcome, and takes its part ' +
          'from what the payment is worth. One that comes before its payment waits for it.',
      ),
    refund_kind: RefundKind.nullish().describe('`refund` when absent; `dispute`: the payer’s bank took it back.'),
    refund_status: RefundStatus.nullish().describe(
      '`completed` when absent. Sent again under its key as `withdrawn`, a refund that failed or a dispute that was won counts no more.',
    ),
    region: RegionCode.nullish().describe('Where it happened: ISO 3166-2, like `CL-RM`.'),
  })
  .refine(({ event_name, event_type }) => event_name || event_type, {
    path: ['event_name'],
    message: 'is required, or event_type in its place',
    abort: true,
  })
  .meta({ id: 'ServerEvent', description: 'An outcome, a payment or a refund that a server knows of.' });

/**
 * One event of a list. The handler parses it, so that an invalid event does not reject the others; the type and the reference
 * describe its format.
 */
const EventOfMany = z.unknown().meta({ $ref: '#/$defs/ServerEvent' }) as unknown as z.ZodType<
  unknown,
  z.input<typeof ServerEvent>
>;

const EventReceipt = z.strictObject({
  outcome_event_id: Uuid,
  status: z.enum(outcomeStatuses),
  customer_key: customerKey('Your own key of the customer.'),
  payment_id: Uuid.nullable()
    .optional()
    .describe('Of a refund: the payment that it is of; null while it waits for it.'),
  warnings: z
    .array(z.string())
    .optional()
    .describe(
      `${Object.entries(eventWarnings)
        .map(([word, meaning]) => `\`${word}\`: ${meaning}. `)
        .join('')}\`unparseable_…\`: that trait was left out.`,
    ),
});

const KnownDefinitions = z
  .array(z.string())
  .max(limits.events.namedDefinitions)
  .optional()
  .describe('Beside `no_definition`: the keys of the definitions there are, the oldest first.');

const EventResult = z.union([
  EventReceipt.extend({ index: z.int() }),
  z.strictObject({
    index: z.int(),
    status: z.literal('rejected'),
    code: z.string(),
    field: z.string(),
    message: z.string(),
  }),
]);

export const createEvent = route({
  id: 'createEvent',
  method: 'POST',
  path: '/api/v1/events',
  summary: 'Record an outcome that a server knows of',
  description: `Takes one event, or \`{events: [...]}\` with up to ${mostEvents}, each with a separate result. Each event is limited to ${mostBytes} KiB, ${item.fields} fields per object and ${item.depth} nested levels.`,
  chapter: 'Outcomes',
  audit: 'not needed: an outcome is kept with its source and time, and its corrections beside it',
  access: { credentials: ['api_key', 'app', 'session', 'mcp'], scopes: anyOf('attribution:write'), grain: 'profile' },
  rate: 'ingest',
  body: {
    example: {
      event_name: 'payment_received',
      idempotency_key: 'order-1001',
      occurred_at: '2026-11-02T14:30:00Z',
      properties: { value: '199.90', currency: 'USD' },
      user_traits: { email: 'ana@example.com', external_id: 'customer-1' },
    },
    schema: z.union([
      z.strictObject({
        events: z
          .array(EventOfMany)
          .min(1, 'must hold at least one event')
          .max(limits.events.maxRows, `may hold up to ${mostEvents} events`),
      }),
      ServerEvent,
    ]),
    items: 'events',
    maxBytes: 4 * 1024 * 1024,
  },
  refusedAs: { 'properties.subject_ref': 'invalid_parameter' },
  idempotency: 'accepted',
  answers: {
    202: {
      schema: data(
        z.union([
          EventReceipt.extend({ definitions: KnownDefinitions }),
          z.strictObject({
            results: z.array(EventResult),
            summary: z.record(z.string(), z.int()),
            definitions: KnownDefinitions,
          }),
        ]),
      ),
    },
  },
  refusals: ['invalid_parameter'],
});

export const GoalDefinition = z.strictObject({
  id: Uuid,
  conversion_key: z.string(),
  name: z.string(),
  conversion_type: z.string(),
  event_names: z.array(z.string()),
  counts_as_cash: z.boolean(),
  is_attribution_eligible: z.boolean(),
  lookback_window_days: z.int(),
  is_default: z.boolean(),
  revenue_type: RevenueType,
  created_at: IsoTimestamp,
  updated_at: IsoTimestamp,
});

const GoalBody = z.strictObject({
  name: Name,
  conversion_key: ConversionKey.optional().describe('Names the definition for good; made from the name when absent.'),
  conversion_type: z.string().max(64).optional().describe('One of the standard types, or the key itself when absent.'),
  event_names: z
    .array(EventName)
    .min(1, 'must name at least one event')
    .max(100)
    .optional()
    .describe('Default: the key.'),
  counts_as_cash: z.boolean().optional(),
  is_attribution_eligible: z.boolean().optional(),
  lookback_window_days: z.int().min(lookback.min).max(lookback.max).optional(),
  is_default: z
    .boolean()
    .optional()
    .describe(
      'Marks the main goal of the profile. A profile has at most one: setting it here clears it on the others. No report or credit depends on it.',
    ),
});

const goals = {
  credentials: ['api_key', 'app', 'session', 'mcp'],
  scopes: anyOf('goals:write'),
  grain: 'profile',
} as const;

export const createGoalDefinition = route({
  id: 'createGoalDefinition',
  method: 'POST',
  path: '/api/v1/goals/definitions',
  summary: 'Create a conversion definition, or update the one with the same key',
  chapter: 'Outcomes',
  audit: { action: 'goal_definition.saved', of: 'goal_definition:{data.id}' },
  access: goals,
  body: {
    example: { name: 'Trial started', event_names: ['trial_started'], lookback_window_days: 30 },
    schema: GoalBody,
  },
  idempotency: 'accepted',
  answers: {
    201: { schema: data(GoalDefinition) },
    200: { schema: data(GoalDefinition), description: 'It was there already, and is now as said.' },
  },
  refusals: ['invalid_state'],
});

export const listGoalDefinitions = route({
  id: 'listGoalDefinitions',
  method: 'GET',
  path: '/api/v1/goals/definitions',
  summary: 'The conversion definitions of the profile',
  reveals: { days: 'any', people: 'none', costs: false },
  chapter: 'Outcomes',
  access: { ...goals, scopes: anyOf('goals:write', 'conversions:read', 'campaigns:read') },
  answers: { 200: { schema: data(z.array(GoalDefinition)) } },
});

export const createGoal = route({
  id: 'createGoal',
  method: 'POST',
  path: '/api/v1/goals',
  summary: 'Create a conversion definition',
  chapter: 'Outcomes',
  audit: { action: 'goal_definition.saved', of: 'goal_definition:{data.id}' },
  access: goals,
  body: {
    schema: z.strictObject({ name: Name, event_name: EventName.optional() }),
  },
  idempotency: 'accepted',
  deprecation: { since: '2026-09-05', sunset: '2026-12-04', successor: 'POST /api/v1/goals/definitions' },
  answers: { 201: { schema: data(GoalDefinition) } },
  refusals: ['invalid_state'],
});
