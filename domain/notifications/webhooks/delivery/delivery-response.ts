import type { EventEnvelope, LiveEventName } from '@tributary/contract';
import type { LoggedEvent } from '@tributary/domain/tenancy/events';
import type { DeliveryStatus } from '@tributary/vocabulary';
import type { DeliveryRow } from '../store.ts';
import { type EventPerson, envelopeOf } from './envelope.ts';

/** One attempt as stored; short names, because there are very many. */
export interface AttemptRecord {
  readonly at: string;
  readonly code?: number;
  readonly fault?: string;
  readonly ms: number;
}

/** The event of a delivery, from the log or from a test. Undefined once it has expired from the log. */
export function eventOf(
  row: Pick<DeliveryRow, 'event_id' | 'event_type' | 'test_data' | 'created_at' | 'sequence'>,
  logged: ReadonlyMap<string, LoggedEvent>,
): Omit<LoggedEvent, 'sequence'> | undefined {
  if (row.sequence !== null) return logged.get(row.sequence);
  const payload = row.test_data as Readonly<Record<string, unknown>>;
  return { id: row.event_id, type: row.event_type as LiveEventName, payload, occurredAt: row.created_at };
}

export function toDeliveryResponse(row: DeliveryRow, payload: EventEnvelope | null) {
  return {
    id: row.id,
    subscription_id: row.subscription_id,
    event_id: row.event_id,
    event: row.event_type as LiveEventName,
    status: row.status as DeliveryStatus,
    is_test: row.sequence === null,
    attempts: (row.attempt_log as unknown as AttemptRecord[]).map(({ at, code = null, fault = null, ms }) => ({
      at,
      status_code: code,
      fault,
      duration_ms: ms,
    })),
    next_attempt_at: row.due_at?.toISOString() ?? null,
    payload,
    created_at: row.created_at.toISOString(),
  };
}

/** The payload that was sent, if its event is still stored. */
export function payloadOf(
  row: DeliveryRow,
  logged: ReadonlyMap<string, LoggedEvent>,
  appId: string | null,
  person?: EventPerson,
) {
  const event = eventOf(row, logged);
  return event ? envelopeOf(event, appId, person) : null;
}
