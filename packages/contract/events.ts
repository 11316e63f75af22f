import { z } from 'zod';
import { enumOf, IsoTimestamp, Uuid } from './primitives.ts';
import { ConversionKey, OutcomeProvider } from './vocabulary.ts';

interface EventEntry {
  readonly firesWhen: string;
  /** The name is kept for a capability that no route of this version offers; it never fires. */
  readonly reserved?: true;
}

/** What a webhook subscription may name. Every event is opt-in: a subscription receives what it lists and nothing else. */
export const events = {
  'connection.connected': { firesWhen: 'A provider was connected.' },
  'connection.reconnect_required': { firesWhen: 'A connection went silent until someone consents again.' },
  'connection.revoked': { firesWhen: 'A connection was taken away.' },
  'handoff.completed': { firesWhen: 'A person finished a hand-off that you minted.' },
  'recompute.completed': { firesWhen: 'Attribution was computed again, to the end.' },
  'conversion.attributed': {
    firesWhen: 'A conversion definition got its first attributed conversion; never a second time.',
  },
  'export.completed': { firesWhen: 'An export of conversions to an ad platform went through.' },
  'export.failed': { firesWhen: 'An export of conversions to an ad platform gave up.' },
  'profile.freshness.changed': { firesWhen: 'The figures of a profile became current, or fell behind.' },
  'outcome.recorded': {
    firesWhen: 'A CRM or payment provider told us of an outcome on a profile that your app created.',
  },
  'message.received': { firesWhen: 'A message came in on a chat channel.', reserved: true },
  'order.status.changed': { firesWhen: 'An order moved on.', reserved: true },
  'catalog.updated': { firesWhen: 'A product catalogue changed.', reserved: true },
  'channel.health.updated': { firesWhen: 'An e-mail connection got better or worse.', reserved: true },
} as const satisfies Record<string, EventEntry>;

export type EventName = keyof typeof events;
export const EventName = enumOf(events);

export function isReservedEvent(name: EventName): boolean {
  return 'reserved' in events[name];
}

/**
 * Whom an event is from, matched against a subscription's `providers`. All that fire today come from the service itself, and name
 * the connector in `data.provider`; the others stand for channels whose events are reserved.
 */
export const eventProviders = {
  service: 'The service itself. Name it to receive lifecycle events.',
  messaging: 'Chat channels. Nothing fires from them yet.',
  email: 'Mailboxes. Nothing fires from them yet.',
} as const satisfies Record<string, string>;

export type EventProvider = keyof typeof eventProviders;
export const EventProvider = enumOf(eventProviders);

/** What every delivery looks like, whichever event it is. Deliveries repeat and overtake each other: drop those whose `id` you know. */
export const EventEnvelope = z.strictObject({
  id: Uuid.describe('The same at every attempt and replay.'),
  type: EventName,
  occurred_at: IsoTimestamp,
  app_id: Uuid.nullable().describe(
    'The app whose subscription this is; null for a subscription of the workspace itself.',
  ),
  provider: EventProvider,
  connection_id: Uuid.nullable(),
  data: z.looseObject({ profile_id: Uuid }),
});
export type EventEnvelope = z.infer<typeof EventEnvelope>;

export const OutcomeContact = z.strictObject({
  first_name: z.string().nullable(),
  last_name: z.string().nullable(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
});

const OutcomeRecordedData = z
  .strictObject({
    profile_id: Uuid,
    provider: OutcomeProvider.describe('The CRM or payment provider that told us.'),
    outcome_type: ConversionKey,
    occurred_at: IsoTimestamp.describe('When it happened. A first sync also brings what happened long ago.'),
    recorded_at: IsoTimestamp.describe('When we learnt of it.'),
    external_id: z.string().min(1).describe("The provider's id of the outcome."),
    customer_key: z.string().nullable(),
    value: z.number().nullable(),
    contact: OutcomeContact.nullable(),
    contact_withheld: z
      .boolean()
      .describe('True when the grant does not cover people. False with no contact: there is none.'),
  })
  // A person that slips out beside `contact_withheld: true` cannot be called back: better that the delivery fails.
  .refine((outcome) => !outcome.contact_withheld || outcome.contact === null, {
    path: ['contact'],
    error: 'must be null when the contact is withheld',
  });

/** The outcome as it is delivered and as GET /api/v1/outcomes/recorded replays it. */
export const OutcomeRecorded = EventEnvelope.extend({
  type: z.literal('outcome.recorded'),
  app_id: Uuid,
  provider: z.literal('service'),
  connection_id: z.null(),
  data: OutcomeRecordedData,
});
export type OutcomeRecorded = z.infer<typeof OutcomeRecorded>;
