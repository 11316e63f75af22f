import { deliveryStatusNames, limits, webhookDisabledReasonNames, webhookStatuses } from '@tributary/vocabulary';
import { z } from 'zod';
import { EventEnvelope, EventName, EventProvider, OutcomeRecorded } from '../events.ts';
import { LeftOut, shownOnce } from '../one-time-secrets.ts';
import { Deleted, data, IsoTimestamp, limitParameter, page, Uuid } from '../primitives.ts';
import { anyOf, route } from '../route.ts';

/** Webhook subscriptions and deliveries. */

const chapter = 'Webhooks';
const credentials = ['api_key', 'app', 'session', 'mcp'] as const;
const read = { credentials, scopes: anyOf('connections:read'), grain: 'profile' } as const;
const write = { credentials, scopes: anyOf('connections:write'), grain: 'profile' } as const;

const { webhooks, webhookDeliveries, outcomeReplay } = limits;

const WebhookUrl = z
  .string()
  .min(1)
  .max(webhooks.urlCharacters)
  .describe('https, port 443, on a public host. Redirects are not followed.')
  .meta({ examples: ['https://hooks.example.com/tributary'] });

const atLeastOne = 'must name at least one';
const isOnce = (list: readonly string[]) => new Set(list).size === list.length;
const noneTwice = 'must not name one twice';
const Events = z
  .array(EventName)
  .min(1, atLeastOne)
  .max(EventName.options.length)
  .refine(isOnce, noneTwice)
  .describe('Every event is opt-in. outcome.recorded goes to apps only.')
  .meta({ examples: [['conversion.attributed', 'recompute.completed'], ['recompute.completed']] });
const Providers = z
  .array(EventProvider)
  .min(1, atLeastOne)
  .max(EventProvider.options.length)
  .refine(isOnce, noneTwice)
  .describe('An event is delivered where both lists match. All that fire today come from `service`.')
  .meta({ examples: [['service']] });

const Subscription = z
  .strictObject({
    id: Uuid,
    app_id: Uuid.nullable().describe('The app whose it is; null: the workspace’s own.'),
    url: z.string(),
    events: z.array(EventName),
    providers: z.array(EventProvider),
    status: z.enum(webhookStatuses),
    disabled_reason: z.enum(webhookDisabledReasonNames).nullable(),
    consecutive_failures: z.int().min(0),
    failing_since: IsoTimestamp.nullable().describe(
      `Since when nothing went through; after ${webhooks.disabledAfterDays} days it is disabled.`,
    ),
    last_delivery_at: IsoTimestamp.nullable().describe('When a delivery last went through.'),
    created_at: IsoTimestamp,
    updated_at: IsoTimestamp,
  })
  .meta({ id: 'WebhookSubscription' });

const Secret = z
  .string()
  .regex(/^whsec_[0-9A-Za-z+/]{43}=$/)
  .describe('Signs every delivery, as Standard Webhooks says. Shown here and nowhere else.');

export const listWebhookSubscriptions = route({
  id: 'listWebhookSubscriptions',
  method: 'GET',
  path: '/api/v1/webhooks/subscriptions',
  summary: 'The webhook subscriptions of this app, or all of the profile',
  description: 'An app sees its own. Everybody else who may sees those of the profile, whosever they are.',
  reveals: { days: 'any', people: 'none', costs: false },
  chapter,
  access: read,
  answers: { 200: { schema: data(z.array(Subscription)) } },
});

export const createWebhookSubscription = route({
  id: 'createWebhookSubscription',
  method: 'POST',
  path: '/api/v1/webhooks/subscriptions',
  summary: 'Subscribe an HTTPS endpoint to events',
  description:
    `It is told what happens from now on. Up to ${webhooks.most} for each profile. The secret is in this answer and nowhere else: ` +
    'deliveries are signed with it (Standard Webhooks), and `verifyWebhook` of @tributary/sdk checks them.',
  chapter,
  audit: { action: 'webhook.created', of: 'webhook_subscription:{data.id}' },
  access: write,
  body: { schema: z.strictObject({ url: WebhookUrl, events: Events, providers: Providers }) },
  idempotency: 'accepted',
  answers: { 201: { schema: data(Subscription.extend({ secret: shownOnce(Secret) }), LeftOut) } },
  refusals: ['invalid_state'],
});

const inPath = { params: z.object({ id: Uuid }), refusedAs: { id: 'not_found' } } as const;

export const updateWebhookSubscription = route({
  id: 'updateWebhookSubscription',
  method: 'PATCH',
  path: '/api/v1/webhooks/subscriptions/{id}',
  summary: 'Change a webhook subscription',
  description:
    'What is not named stays. `status: active` takes up a disabled one where it stopped: what happened meanwhile is delivered, as far as it is kept.',
  chapter,
  audit: { action: 'webhook.updated', of: 'webhook_subscription:{params.id}' },
  access: write,
  ...inPath,
  ids: { id: 'webhook_subscription' },
  body: {
    schema: z.strictObject({
      url: WebhookUrl.optional(),
      events: Events.optional(),
      providers: Providers.optional(),
      status: z.enum(webhookStatuses).optional(),
    }),
  },
  idempotency: 'natural',
  answers: { 200: { schema: data(Subscription) } },
});

export const deleteWebhookSubscription = route({
  id: 'deleteWebhookSubscription',
  method: 'DELETE',
  path: '/api/v1/webhooks/subscriptions/{id}',
  summary: 'Delete a webhook subscription',
  description: 'Nothing more is sent to it. What was sent can still be listed.',
  chapter,
  audit: { action: 'webhook.deleted', of: 'webhook_subscription:{params.id}' },
  access: write,
  ...inPath,
  ids: { id: 'webhook_subscription' },
  answers: { 200: { schema: data(Deleted) } },
});

export const rotateWebhookSecret = route({
  id: 'rotateWebhookSecret',
  method: 'POST',
  path: '/api/v1/webhooks/subscriptions/{id}/rotate-secret',
  summary: 'Replace the signing secret of a webhook subscription',
  description: `For ${webhooks.graceHours} hours every delivery is signed with both, so that the old secret keeps verifying while the new one is deployed.`,
  chapter,
  audit: { action: 'webhook.secret_rotated', of: 'webhook_subscription:{params.id}' },
  access: write,
  ...inPath,
  ids: { id: 'webhook_subscription' },
  idempotency: 'accepted',
  answers: {
    200: {
      schema: data(
        z.strictObject({
          id: Uuid,
          secret: shownOnce(Secret),
          previous_secret_valid_until: IsoTimestamp,
        }),
        LeftOut,
      ),
    },
  },
  refusals: ['invalid_state'],
});

const Attempt = z.strictObject({
  at: IsoTimestamp,
  status_code: z.int().nullable().describe('What the receiver answered; null: nothing.'),
  fault: z.string().nullable().describe('Why it did not go through: `timeout`, `http_status`, `address_not_public` …'),
  duration_ms: z.int().min(0),
});

const Delivery = z
  .strictObject({
    id: Uuid,
    subscription_id: Uuid,
    event_id: Uuid.describe('The `id` in the body and the `webhook-id` header: the same at every attempt and replay.'),
    event: EventName,
    status: z.enum(deliveryStatusNames),
    is_test: z.boolean(),
    attempts: z
      .array(Attempt)
      .max(webhookDeliveries.attemptsShown)
      .describe(`The last ${webhookDeliveries.attemptsShown}, oldest first.`),
    next_attempt_at: IsoTimestamp.nullable(),
    payload: EventEnvelope.nullable().describe(
      'What was sent, without the person: who it is about is read at each attempt, and not kept. Null once the event is no longer kept.',
    ),
    created_at: IsoTimestamp,
  })
  .meta({ id: 'WebhookDelivery' });

export const testWebhookSubscription = route({
  id: 'testWebhookSubscription',
  method: 'POST',
  path: '/api/v1/webhooks/test/{id}',
  summary: 'Send a made-up event to a webhook subscription',
  description:
    'Signed like any other, with made-up data and the header `tributary-test: true`. It is sent at once by a worker; `GET /api/v1/webhooks/deliveries` shows what came of it.',
  chapter,
  audit: { action: 'webhook.tested', of: 'webhook_subscription:{params.id}' },
  access: write,
  ...inPath,
  ids: { id: 'webhook_subscription' },
  body: {
    schema: z.strictObject({
      event: EventName.optional().describe('Default: the first event of the subscription that fires.'),
    }),
    optional: true,
  },
  idempotency: 'accepted',
  answers: { 202: { schema: data(Delivery) } },
  refusals: ['invalid_state'],
});

export const listWebhookDeliveries = route({
  id: 'listWebhookDeliveries',
  method: 'GET',
  path: '/api/v1/webhooks/deliveries',
  summary: 'What was sent to webhook subscriptions, and what became of it',
  description: `Newest first. Kept for ${webhookDeliveries.keptDays} days after the last attempt.`,
  reveals: { days: 'any', people: 'none', costs: false },
  chapter,
  access: read,
  query: z.object({
    limit: limitParameter(webhookDeliveries.pageSize),
    cursor: Uuid.optional(),
    subscription_id: Uuid.optional(),
    status: z.enum(deliveryStatusNames).optional(),
  }),
  ids: { subscription_id: 'webhook_subscription' },
  answers: { 200: { schema: page(Delivery) } },
});

export const replayWebhookDelivery = route({
  id: 'replayWebhookDelivery',
  method: 'POST',
  path: '/api/v1/webhooks/deliveries/{id}/replay',
  summary: 'Send a delivery again',
  description:
    'The same bytes, signed anew, with the schedule of a new delivery. Of outcome.recorded the person is read again, so that one who was erased is not in it.',
  chapter,
  audit: { action: 'webhook.replayed', of: 'webhook_delivery:{params.id}' },
  access: write,
  ...inPath,
  ids: { id: 'webhook_delivery' },
  idempotency: 'accepted',
  answers: { 202: { schema: data(Delivery) } },
  refusals: ['invalid_state'],
});

export const listRecordedOutcomes = route({
  id: 'listRecordedOutcomes',
  method: 'GET',
  path: '/api/v1/outcomes/recorded',
  summary: 'Every outcome.recorded event, in an order that never changes',
  description:
    'The events of the deliveries, with the same ids. Store `pagination.cursor`, which is there on the last page too: it yields only what came later. ' +
    `\`has_next: false\` means that you are caught up. Events are kept for ${outcomeReplay.keptDays} days after they were delivered; an older cursor goes on at the oldest. ` +
    'Those of an erased customer are left out, and a healthcare-family profile has none.',
  reveals: { days: 'any', people: 'named', costs: false },
  chapter,
  access: { credentials, scopes: anyOf('conversions:read', 'customers:read'), grain: 'person' },
  query: z.object({ limit: limitParameter(outcomeReplay.pageSize), cursor: z.string().max(200).optional() }),
  answers: { 200: { schema: page(OutcomeRecorded) } },
});
