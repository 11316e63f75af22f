import { type EventEnvelope, events, type LiveEventName, type OutcomeContact } from '@tributary/contract';
import type { LoggedEvent } from '@tributary/domain/events';
import type { z } from 'zod';

/** What is told of the person behind an outcome. */
export interface ToldPerson {
  readonly customerKey: string | null;
  readonly contact: z.infer<typeof OutcomeContact> | null;
  readonly isWithheld: boolean;
}

/** What is kept and shown of an outcome's event: its person is read when it leaves. */
export const nobody: ToldPerson = { customerKey: null, contact: null, isWithheld: true };

/** The made-up customer of a test delivery, with a contact where the grant would carry a real one. */
export function samplePerson(seesPeople: boolean): ToldPerson {
  const { customer_key: customerKey, contact } = events['outcome.recorded'].sample;
  return { customerKey, contact: seesPeople ? contact : null, isWithheld: !seesPeople };
}

export const isOfPerson = (type: LiveEventName): boolean => events[type].grain === 'person';

/**
 * An event as it is delivered and replayed, field by field in the order of its declaration: the same event makes the same bytes at
 * every attempt, whatever order its store keeps.
 */
export function envelopeOf(event: Omit<LoggedEvent, 'sequence'>, appId: string | null, person = nobody): EventEnvelope {
  const { id, type, payload, occurredAt } = event;
  const told = isOfPerson(type)
    ? { ...payload, customer_key: person.customerKey, contact: person.contact, contact_withheld: person.isWithheld }
    : payload;
  const data = Object.fromEntries(
    Object.keys(events[type].data.shape).map((field) => [field, told[field as keyof typeof told]]),
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
