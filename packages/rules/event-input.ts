import { limits, minuteMs, type OutcomeStatus } from '@tributary/vocabulary';
import { isCurrency, parseAmount } from './money.ts';
import { parseSubjectRef, type SubjectRefRefusal } from './subject-ref.ts';

/**
 * What becomes of an event that a server sent: whether it is taken, and what it does to the outcome that its idempotency key may
 * already name. The body's shape is the contract's; here is what a shape cannot say.
 */

export interface Money {
  /** A decimal string, exact. */
  readonly amount: string;
  readonly currency: string;
}

/** An event's body, as far as these rules look at it. Null is as good as absent. */
export interface SaidEvent {
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
  /** Null only where a fresh one may stand in: without money. */
  readonly idempotencyKey: string | null;
  /** Null where it was not said; `settleEvent` says which time it then is. */
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

/** Clocks differ. More than this is a mistake, and a conversion in the future would be in no report. */
const maxAheadMs = limits.events.maxAheadMinutes * minuteMs;

export function checkEvent(said: SaidEvent, now: Date): CheckedEvent {
  const occurredAt = said.occurredAt ?? null;
  if (occurredAt && occurredAt.getTime() - now.getTime() > maxAheadMs) {
    return { ok: false, field: 'occurred_at', reason: 'in_the_future' };
  }
  const money = readMoney(said);
  if (money && 'field' in money) return { ok: false, ...money };
  const idempotencyKey = said.idempotencyKey?.trim() || null;
  // Any retry without one would be a second conversion, and nobody wants to pay twice in a report. Zero is an amount too.
  if (money && idempotencyKey === null) return { ok: false, field: 'idempotency_key', reason: 'required_with_money' };
  const subject = typeof said.subjectRef === 'string' ? parseSubjectRef(said.subjectRef) : undefined;
  if (subject && !subject.ok) return { ok: false, field: 'properties.subject_ref', reason: subject.reason };
  const { eventName } = said;
  const eventType = said.eventType ?? eventName;
  return {
    ok: true,
    event: { eventName, eventType, idempotencyKey, occurredAt, money, subjectRef: subject?.value ?? null },
  };
}

/** A currency alone is no money. A value alone is refused: in a guessed currency 10,000 pesos become 10,000 dollars. */
function readMoney({ value, currency }: SaidEvent): Money | EventRefusal | null {
  if (value === undefined || value === null) return null;
  const parsed = parseAmount(value);
  if (!parsed.ok) return { field: 'properties.value', reason: parsed.reason };
  // What was given back is a refund of the payment, not an outcome of its own.
  if (parsed.amount.startsWith('-')) return { field: 'properties.value', reason: 'negative' };
  if (currency === undefined || currency === null)
    return { field: 'properties.currency', reason: 'required_with_value' };
  if (!isCurrency(currency)) return { field: 'properties.currency', reason: 'unknown_currency' };
  return { amount: parsed.amount, currency };
}

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json | undefined };

/** What an outcome says, apart from what is derived of it. */
export interface OutcomeContent extends Omit<AcceptedEvent, 'idempotencyKey' | 'occurredAt'> {
  readonly occurredAt: Date;
  /** Everything else of the body that is kept: action_source, click_ids, ad_id, page_url, further properties. */
  readonly rest: { readonly [name: string]: Json | undefined };
  /** Whom the traits were resolved to. */
  readonly customerId: string | null;
}

export interface EventSettlement {
  readonly status: OutcomeStatus;
  /** What is stored from now on. */
  readonly outcome: OutcomeContent;
}

/**
 * What a message does to the outcome that is stored under its idempotency key, if there is one. The message replaces it as a
 * whole, and so a retry without subject_ref removes it: a correction must be able to take something back, too.
 *
 * The time is the exception. Where it was not said it became the time of the first arrival, and a retry that again does not say
 * it means that same moment; else each retry would move the conversion, and none would ever be a duplicate.
 */
export function settleEvent(
  stored: OutcomeContent | undefined,
  message: Omit<OutcomeContent, 'occurredAt'> & { readonly occurredAt: Date | null },
  now: Date,
): EventSettlement {
  const outcome = { ...message, occurredAt: message.occurredAt ?? stored?.occurredAt ?? now };
  if (!stored) return { status: 'recorded', outcome };
  const isSame = canonical(content(stored)) === canonical(content(outcome));
  return isSame ? { status: 'duplicate', outcome: stored } : { status: 'updated', outcome };
}

/** Only what OutcomeContent names: a row read from the store brings its own columns along. */
function content({ eventName, eventType, occurredAt, money, subjectRef, rest, customerId }: OutcomeContent): Json {
  const { amount, currency } = money ?? {};
  return { eventName, eventType, occurredAt: occurredAt.toISOString(), amount, currency, subjectRef, rest, customerId };
}

/** Equal texts for equal contents: fields in one order, and absent the same as null. */
function canonical(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value ?? null);
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined && field !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join()}}`;
}
