import { type EventEnvelope, events, type LiveEventName, type OutcomeContact } from '@tributary/contract';
import type { LoggedEvent } from '@tributary/domain/tenancy/events';
import type { z } from 'zod';

/** The customer data in an outcome event. */
export interface EventPerson {
  readonly customerKey: string | null;
  readonly contact: z.infer<typeof OutcomeContact> | null;
  readonly isWithheld: boolean;
}

/** The customer fields of a stored or listed event: the customer is read only when the event is sent. */
export const noPerson: EventPerson = { customerKey: null, contact: null, isWithheld: true };

/** The sample customer of a test delivery, with a contact if the grant would include a real one. */
export function samplePerson(seesPeople: boolean): EventPerson {
  const { customer_key: customerKey, contact } = events['outcome.recorded'].sample;
  return { customerKey, contact: seesPeople ? contact : null, isWithheld: !seesPeople };
}

export const isOfPerson = (type: LiveEventName): boolean => events[type].grain === 'person';

/**
 * Builds the event as delivered and replayed, in the field order of its declaration. The same event serialises to the same bytes at every
 * attempt, regardless of the order in which its store returns the fields.
 */
export function envelopeOf(
  event: Omit<LoggedEvent, 'sequence'>,
  appId: string | null,
  person = noPerson,
): EventEnvelope {
  const { id, type, payload, occurredAt } = event;
  const fields = isOfPerson(type)
    ? { ...payload, customer_key: person.customerKey, contact: person.contact, contact_withheld: person.isWithheld }
    : payload;
  const data = Object.fromEntries(
    Object.keys(events[type].data.shape).map((field) => [field, fields[field as keyof typeof fields]]),
  );
  return {
    id,
    type,
    occurred_at: occurredAt.toISOString(),
    app_id: appId,
    provider: 'service',
    connection_id: (data.connection_id as string | undefined) ?? null,
    data: data as EventEnvelope['data'],
  };
}
