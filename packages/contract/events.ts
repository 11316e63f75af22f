import { z } from 'zod';
import { enumOf, IsoTimestamp, Uuid } from './primitives.ts';
import { AlertKind, Channel, ConversionKey, Freshness, HandoffProvider, OutcomeProvider } from './vocabulary.ts';

/** Whether an event's data identifies a customer. Such an event requires an app with a grant and passes the personal-data gate. */
type EventGrain = 'profile' | 'person';

interface EventEntry<Data extends z.ZodObject, Announced extends z.ZodObject> {
  readonly firesWhen: string;
  readonly grain: EventGrain;
  /** The data that a subscriber receives. */
  readonly data: Data;
  /** The data stored when the event happens. It contains no customer, who is read again for each delivery attempt. */
  readonly announced: Announced;
  readonly sample: z.input<Data>;
}

const ofProfile = <const Data extends z.ZodObject>(
  firesWhen: string,
  data: Data,
  sample: z.input<Data>,
): EventEntry<Data, Data> & { readonly grain: 'profile' } => ({
  firesWhen,
  grain: 'profile',
  data,
  announced: data,
  sample,
});

const ofPerson = <const Data extends z.ZodObject, const Announced extends z.ZodObject>(
  firesWhen: string,
  data: Data,
  announced: Announced,
  sample: z.input<Data>,
): EventEntry<Data, Announced> & { readonly grain: 'person' } => ({
  firesWhen,
  grain: 'person',
  data,
  announced,
  sample,
});

/** The name is reserved for a capability that no route of this version offers; the event never fires. */
const reserved = (firesWhen: string) => ({ firesWhen, reserved: true }) as const;

const sampleIds = {
  event: '01a8e3c4-5b6d-7e8f-9a0b-1c2d3e4f5a6b',
  app: '01a8e3c4-5b6d-7e8f-9a0b-1c2d3e4f5a6c',
  profile: '01a8e3c4-5b6d-7e8f-9a0b-1c2d3e4f5a6d',
  subject: '01a8e3c4-5b6d-7e8f-9a0b-1c2d3e4f5a6e',
  connection: '01a8e3c4-5b6d-7e8f-9a0b-1c2d3e4f5a6f',
};
const sampleTime = '2026-01-31T09:30:00.000Z';

const connection = {
  profile_id: Uuid,
  connection_id: Uuid,
  provider: Channel.describe('Whom the profile is connected to.'),
};
const sampleConnection = {
  profile_id: sampleIds.profile,
  connection_id: sampleIds.connection,
  provider: 'social_ads',
} as const;

const alert = {
  profile_id: Uuid,
  alert_id: Uuid.describe('The same when it is opened and when it is over.'),
  kind: AlertKind,
  since: IsoTimestamp.describe(
    'Since when it is so: the last visit, the change that has waited longest, the first failed sync, or when the overlap was found.',
  ),
  opened_at: IsoTimestamp.describe('When it was noticed and told.'),
};
const sampleAlert = {
  profile_id: sampleIds.profile,
  alert_id: sampleIds.subject,
  kind: 'tracker_silent',
  since: '2026-01-30T09:25:00.000Z',
  opened_at: sampleTime,
} as const;

const exportRun = {
  ...connection,
  export_id: Uuid,
  conversions: z.int().nonnegative().describe('How many the run was to send.'),
  sent: z.int().nonnegative().describe('How many of them the platform took.'),
};

export const OutcomeContact = z.strictObject({
  first_name: z.string().nullable(),
  last_name: z.string().nullable(),
  email: z.string().nullable(),
  phone: z.string().nullable(),
});

const outcomeFacts = {
  profile_id: Uuid,
  provider: OutcomeProvider.describe('The CRM or payment provider that told us.'),
  outcome_type: ConversionKey,
  occurred_at: IsoTimestamp.describe('When it happened. A first sync also brings what happened long ago.'),
  recorded_at: IsoTimestamp.describe('When we learnt of it.'),
  external_id: z.string().min(1).describe("The provider's id of the outcome."),
  value: z
    .number()
    .nullable()
    .describe("In the profile's currency. Null: there is no money in it, or no rate for its currency yet."),
};

const OutcomeRecordedData = z
  .strictObject({
    ...outcomeFacts,
    customer_key: z.string().nullable(),
    contact: OutcomeContact.nullable(),
    contact_withheld: z
      .boolean()
      .describe('True when the grant does not cover people. False with no contact: there is none.'),
  })
  // Personal data beside `contact_withheld: true` could not be recalled, so the delivery must fail instead.
  .refine((outcome) => !outcome.contact_withheld || outcome.contact === null, {
    path: ['contact'],
    error: 'must be null when the contact is withheld',
  });

/** The events that a webhook subscription may list. A subscription receives only the events that it lists. */
export const events = {
  'connection.connected': ofProfile('A provider was connected.', z.strictObject(connection), sampleConnection),
  'connection.reconnect_required': ofProfile(
    'A connection went silent until someone consents again.',
    z.strictObject(connection),
    sampleConnection,
  ),
  'connection.revoked': ofProfile('A connection was taken away.', z.strictObject(connection), sampleConnection),
  'handoff.completed': ofProfile(
    'A person finished a hand-off that you minted.',
    z.strictObject({
      profile_id: Uuid,
      handoff_id: Uuid,
      provider: HandoffProvider,
      connection_id: Uuid.nullable().describe('Null while one of several accounts has to be chosen.'),
      pending_selection: z
        .strictObject({ candidate_count: z.int().positive(), expires_at: IsoTimestamp })
        .nullable()
        .describe('How many accounts there are to choose from, and until when.'),
    }),
    {
      profile_id: sampleIds.profile,
      handoff_id: sampleIds.subject,
      provider: 'crm_a',
      connection_id: sampleIds.connection,
      pending_selection: null,
    },
  ),
  'recompute.completed': ofProfile(
    'Attribution was computed again, to the end.',
    z.strictObject({
      profile_id: Uuid,
      replay_id: Uuid,
      cause: z.string().describe('What made it necessary.'),
      conversions: z.int().nonnegative().describe('How many were worked out.'),
    }),
    { profile_id: sampleIds.profile, replay_id: sampleIds.subject, cause: 'operator', conversions: 1250 },
  ),
  'conversion.attributed': ofProfile(
    'A campaign, ad set or ad got a share of one of the conversions of a definition for the first time; never a second time.',
    z.strictObject({ profile_id: Uuid, definition_id: Uuid, conversion_key: ConversionKey }),
    { profile_id: sampleIds.profile, definition_id: sampleIds.subject, conversion_key: 'lead_created' },
  ),
  'reconciliation.failed': ofProfile(
    'Reports were compared with the ledger, and rows differ.',
    z.strictObject({
      profile_id: Uuid,
      reconciliation_id: Uuid,
      date_from: z.iso.date(),
      date_to: z.iso.date(),
      differences: z.int().positive(),
    }),
    {
      profile_id: sampleIds.profile,
      reconciliation_id: sampleIds.subject,
      date_from: '2026-01-01',
      date_to: '2026-01-31',
      differences: 3,
    },
  ),
  'export.completed': ofProfile('An export of conversions to an ad platform went through.', z.strictObject(exportRun), {
    ...sampleConnection,
    export_id: sampleIds.subject,
    conversions: 120,
    sent: 118,
  }),
  'export.failed': ofProfile('An export of conversions to an ad platform gave up.', z.strictObject(exportRun), {
    ...sampleConnection,
    export_id: sampleIds.subject,
    conversions: 120,
    sent: 0,
  }),
  'profile.freshness.changed': ofProfile(
    'The figures of a profile became current, or fell behind.',
    z.strictObject({ profile_id: Uuid, freshness: Freshness, since: IsoTimestamp }),
    { profile_id: sampleIds.profile, freshness: 'behind', since: sampleTime },
  ),
  'alert.opened': ofProfile(
    'Something is wrong with a profile’s data: its tracker fell silent, or its figures are late. Once, until it is over.',
    z.strictObject(alert),
    sampleAlert,
  ),
  'alert.ended': ofProfile(
    'What an alert was opened for is over.',
    z.strictObject({ ...alert, ended_at: IsoTimestamp.describe('When it was noticed that it is over.') }),
    { ...sampleAlert, ended_at: '2026-01-31T11:05:00.000Z' },
  ),
  'outcome.recorded': ofPerson(
    'A CRM or payment provider told us of an outcome on a profile that your app created. Healthcare-family profiles never tell.',
    OutcomeRecordedData,
    z.strictObject({ ...outcomeFacts, outcome_id: Uuid }),
    {
      profile_id: sampleIds.profile,
      provider: 'crm_a',
      outcome_type: 'lead_created',
      occurred_at: '2026-01-31T09:29:58.000Z',
      recorded_at: sampleTime,
      external_id: 'opportunity-17',
      value: 1250.5,
      customer_key: 'c-17',
      contact: { first_name: 'Ana', last_name: 'Rojas', email: 'ana@example.com', phone: null },
      contact_withheld: false,
    },
  ),
  'message.received': reserved('A message came in on a chat channel.'),
  'order.status.changed': reserved('An order moved on.'),
  'catalog.updated': reserved('A product catalogue changed.'),
  'channel.health.updated': reserved('An e-mail connection got better or worse.'),
} as const;

type Events = typeof events;
export type EventName = keyof Events;
export const EventName = enumOf(events);

/** The events that fire. */
export type LiveEventName = { [Name in EventName]: Events[Name] extends { data: unknown } ? Name : never }[EventName];

/** The data stored of an event when it happens. */
export type AnnouncedData<Name extends LiveEventName> = Readonly<z.output<Events[Name]['announced']>>;

export function isLiveEvent(name: string): name is LiveEventName {
  return Object.hasOwn(events, name) && 'data' in events[name as EventName];
}

export const liveEventNames: readonly LiveEventName[] = EventName.options.filter(isLiveEvent);

/**
 * The sources of events, matched against a subscription's `providers`. All live events come from the service itself and name the
 * connector in `data.provider`; the others are for channels whose events are reserved.
 */
export const eventProviders = {
  service: 'The service itself. Name it to receive lifecycle events.',
  messaging: 'Chat channels. Nothing fires from them yet.',
  email: 'Mailboxes. Nothing fires from them yet.',
} as const satisfies Record<string, string>;

export type EventProvider = keyof typeof eventProviders;
export const EventProvider = enumOf(eventProviders);

/** The common envelope of all deliveries. Deliveries may repeat and arrive out of order: drop those whose `id` is known. */
export const EventEnvelope = z.strictObject({
  id: Uuid.describe('The same at every attempt and replay.'),
  type: EventName,
  occurred_at: IsoTimestamp,
  app_id: Uuid.nullable().describe(
    'The app whose subscription this is; null for a subscription of the workspace itself.',
  ),
  provider: EventProvider,
  connection_id: Uuid.nullable().describe('The connection that the data is about, if it is about one.'),
  data: z.looseObject({ profile_id: Uuid }),
});
export type EventEnvelope = z.infer<typeof EventEnvelope>;

const appIds = { profile: EventEnvelope.shape.app_id, person: Uuid } as const;

/** The envelope has the connection of the data, if the data has one. */
type ConnectionOf<Shape> = Shape extends { connection_id: infer Connection extends z.ZodType } ? Connection : z.ZodNull;

/** The schema of one delivered event. */
export function deliveryOf<Name extends LiveEventName>(name: Name) {
  type Entry = Events[Name];
  const { data, grain } = events[name];
  const shape: Record<string, z.ZodType> = data.shape;
  return EventEnvelope.extend({
    type: z.literal(name),
    app_id: appIds[grain] as (typeof appIds)[Entry['grain']],
    provider: z.literal('service'),
    connection_id: (shape.connection_id ?? z.null()) as ConnectionOf<Entry['data']['shape']>,
    data: data as Entry['data'],
  });
}

/** The outcome as delivered, and as returned by GET /api/v1/outcomes/recorded. */
export const OutcomeRecorded = deliveryOf('outcome.recorded');
export type OutcomeRecorded = z.infer<typeof OutcomeRecorded>;

/** An example delivery. */
export function sampleDelivery(name: LiveEventName) {
  const { sample } = events[name];
  return {
    id: sampleIds.event,
    type: name,
    occurred_at: sampleTime,
    app_id: sampleIds.app,
    provider: 'service',
    connection_id: 'connection_id' in sample ? sample.connection_id : null,
    data: sample,
  };
}
