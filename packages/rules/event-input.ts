import { limits, minuteMs, type OutcomeStatus } from '@tributary/vocabulary';
import { isCurrency, parseAmount } from './money.ts';
import { parseSubjectRef, type SubjectRefRefusal } from './subject-ref.ts';

/**
 * Validates an event sent by a server, and decides its effect on the stored outcome with the same idempotency key.
 * The contract validates the body's shape; these rules check what a shape cannot express.
 */

export interface Money {
  /** An exact decimal string. */
  readonly amount: string;
  readonly currency: string;
}

/** The fields of an event's body that these rules read. Null is the same as absent. */
export interface EventInput {
  readonly eventName: string;
  readonly eventType?: string | null | undefined;
  readonly idempotencyKey?: string | null | undefined;
  readonly occurredAt?: Date | null | undefined;
  readonly value?: number | string | null | undefined;
  readonly currency?: string | null | undefined;
  readonly subjectRef?: string | null | undefined;
}

export interface AcceptedEvent {
  readonly eventName: string;
  readonly eventType: string;
  /** Null only for an event without money; a new key is generated. */
  readonly idempotencyKey: string | null;
  /** Null when absent; `settleEvent` decides the time. */
  readonly occurredAt: Date | null;
  readonly money: Money | null;
  readonly subjectRef: string | null;
}

export type EventRefusal =
  | { readonly field: 'idempotency_key'; readonly reason: 'required_with_money' }
  | { readonly field: 'occurred_at'; readonly reason: 'in_the_future' }
  | { readonly field: 'properties.value'; readonly reason: 'not_a_decimal' | 'too_many_digits' | 'negative' }
  | { readonly field: 'properties.currency'; readonly reason: 'required_with_value' | 'unknown_currency' }
  | { readonly field: 'properties.subject_ref'; readonly reason: SubjectRefRefusal };
export type CheckedEvent =
  | { readonly ok: true; readonly event: AcceptedEvent }
  | ({ readonly ok: false } & EventRefusal);

/** Clocks differ. A larger difference is an error, and a conversion in the future would be in no report. */
const maxAheadMs = limits.events.maxAheadMinutes * minuteMs;

export function checkEvent(input: EventInput, now: Date): CheckedEvent {
  const occurredAt = input.occurredAt ?? null;
  if (occurredAt && occurredAt.getTime() - now.getTime() > maxAheadMs) {
    return { ok: false, field: 'occurred_at', reason: 'in_the_future' };
  }
  const money = readMoney(input);
  if (money && 'field' in money) return { ok: false, ...money };
  const idempotencyKey = input.idempotencyKey?.trim() || null;
  // Without a key, any retry would create a second conversion and count the money twice. Zero is an amount, too.
  if (money && idempotencyKey === null) return { ok: false, field: 'idempotency_key', reason: 'required_with_money' };
  const subject = typeof input.subjectRef === 'string' ? parseSubjectRef(input.subjectRef) : undefined;
  if (subject && !subject.ok) return { ok: false, field: 'properties.subject_ref', reason: subject.reason };
  const { eventName } = input;
  const eventType = input.eventType ?? eventName;
  return {
    ok: true,
    event: { eventName, eventType, idempotencyKey, occurredAt, money, subjectRef: subject?.value ?? null },
  };
}

/**
 * A currency alone is no money. A value without a currency is rejected: with a guessed currency, 10,000 pesos could
 * become 10,000 dollars.
 */
function readMoney({ value, currency }: EventInput): Money | EventRefusal | null {
  if (value === undefined || value === null) return null;
  const parsed = parseAmount(value);
  if (!parsed.ok) return { field: 'properties.value', reason: parsed.reason };
  // Returned money is a refund of a payment, not an outcome of its own.
  if (parsed.amount.startsWith('-')) return { field: 'properties.value', reason: 'negative' };
  if (currency === undefined || currency === null)
    return { field: 'properties.currency', reason: 'required_with_value' };
  if (!isCurrency(currency)) return { field: 'properties.currency', reason: 'unknown_currency' };
  return { amount: parsed.amount, currency };
}

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json | undefined };

/** The content of an outcome, without derived data. */
export interface OutcomeContent extends Omit<AcceptedEvent, 'idempotencyKey' | 'occurredAt'> {
  readonly occurredAt: Date;
  /** All other stored fields of the body: action_source, click_ids, ad_id, page_url, further properties. */
  readonly rest: { readonly [name: string]: Json | undefined };
  /** The customer resolved from the traits. */
  readonly customerId: string | null;
}

export interface EventSettlement {
  readonly status: OutcomeStatus;
  /** The outcome to store. */
  readonly outcome: OutcomeContent;
}

/**
 * Decides the effect of a message on the outcome stored under its idempotency key, if there is one. The message
 * replaces the whole outcome, so a retry without subject_ref removes it: a correction must be able to remove a value,
 * too. The time is the exception. Without a time, the outcome got the time of its first arrival, and a retry without
 * a time keeps that; otherwise each retry would move the conversion, and none would ever be a duplicate.
 */
export function resolveEvent(
  stored: OutcomeContent | undefined,
  message: Omit<OutcomeContent, 'occurredAt'> & { readonly occurredAt: Date | null },
  now: Date,
): EventSettlement {
  const outcome = { ...message, occurredAt: message.occurredAt ?? stored?.occurredAt ?? now };
  if (!stored) return { status: 'recorded', outcome };
  const isSame = canonical(content(stored)) === canonical(content(outcome));
  return isSame ? { status: 'duplicate', outcome: stored } : { status: 'updated', outcome };
}

/** Only the fields of OutcomeContent: a stored row has further columns. */
function content({ eventName, eventType, occurredAt, money, subjectRef, rest, customerId }: OutcomeContent): Json {
  const { amount, currency } = money ?? {};
  return { eventName, eventType, occurredAt: occurredAt.toISOString(), amount, currency, subjectRef, rest, customerId };
}

/** Equal texts for equal contents: fields are sorted, and absent is the same as null. */
function canonical(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value ?? null);
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined && field !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join()}}`;
}
