import { type ConversionType, faultWords, ItemFault, placeOf, ServerEvent } from '@tributary/contract';
import { type Evidence, readPhone, readWhatsAppId, type Said } from '@tributary/domain/customers';
import {
  type AcceptedEvent,
  checkEvent,
  compareAmounts,
  type EventRefusal,
  eventNameKey,
  type Identifier,
  type Json,
  normaliseEmail,
  normaliseKey,
  normaliseName,
  normaliseRut,
} from '@tributary/rules';
import type { DealEnd } from '@tributary/vocabulary';
import type { z } from 'zod';
import type { ToldRefund } from './payment-standings.ts';

/** An event that may be recorded: what it says of the outcome, and of the person. */
export interface ReadEvent {
  readonly event: AcceptedEvent & { readonly idempotencyKey: string };
  readonly eventKey: string;
  readonly eventTypeKey: string;
  readonly said: Said;
  /** Where a server names it: the browser that the person used. */
  readonly visitorId?: string | undefined;
  /** Where it came from a browser: which one it was, and whose it is known to be. */
  readonly browser?: { readonly visitorId: string; readonly customerId: string | null; readonly isErased: boolean };
  /**
   * Where a provider told of it: its id of the outcome, and what it is in our words. An id of the thing alone is not enough: a deal
   * that is opened and later won is two outcomes.
   */
  readonly provided?: { readonly externalId: string; readonly outcomeType: ConversionType | DealEnd };
  readonly rest: Readonly<Record<string, Json>>;
  readonly warnings: readonly string[];
  /** Who says it, and when, where events of several requests are recorded together. */
  readonly evidence?: Evidence;
}

/** What is told of money that went back, in place of an outcome. */
export interface ReadRefund {
  readonly refund: ToldRefund;
}

export interface EventFault {
  readonly field: string;
  readonly message: string;
  readonly code: 'validation_error' | 'invalid_parameter';
}

type Body = z.output<typeof ServerEvent>;

/** What a body is: an outcome, a refund of one, or wrong. */
export type ReadBody = ReadEvent | ReadRefund | EventFault;

export const readBody = (profileId: string, body: Body, now: Date, newKey: () => string): ReadBody =>
  body.refund_of ? readRefund(body, body.refund_of, now) : readEvent(profileId, body, now, newKey);

/** Of whom a refund is, and what it is of, its payment says: all else in the body is not looked at. */
function readRefund({ properties, ...body }: Body, refundOf: string, now: Date): ReadRefund | EventFault {
  const { value, currency } = properties;
  const checked = checkEvent(
    {
      eventName: 'refund',
      idempotencyKey: body.idempotency_key,
      occurredAt: body.occurred_at ? new Date(body.occurred_at) : undefined,
      value: value ?? null,
      // Without one it is the payment's, and any will do to look at the amount.
      currency: currency ?? 'USD',
    },
    now,
  );
  if (!checked.ok) return faultOf(checked);
  const { money, idempotencyKey, occurredAt } = checked.event;
  if (!money || !idempotencyKey || compareAmounts(money.amount, '0') === 0)
    return { field: 'properties.value', message: 'must be above zero: how much went back', code: 'validation_error' };
  return {
    refund: {
      idempotencyKey,
      paymentRef: refundOf.trim(),
      kind: body.refund_kind ?? 'refund',
      status: body.refund_status ?? 'completed',
      amount: money.amount,
      currency: currency ?? null,
      refundedAt: occurredAt,
    },
  };
}

/** What an event says, or the first thing that is wrong with it. `newKey` stands in where no key was sent and no money is at stake. */
export function readEvent(profileId: string, body: Body, now: Date, newKey: () => string): ReadEvent | EventFault {
  const { properties, user_traits: traits, action_source, click_ids, ad_id, platform, page_url, region } = body;
  const checked = checkEvent(
    {
      eventName: body.event_name ?? body.event_type ?? '',
      eventType: body.event_type,
      idempotencyKey: body.idempotency_key,
      occurredAt: body.occurred_at ? new Date(body.occurred_at) : undefined,
      value: properties.value,
      currency: properties.currency,
      subjectRef: properties.subject_ref,
    },
    now,
  );
  if (!checked.ok) return faultOf(checked);
  const { said, warnings } = readTraits(profileId, traits);
  const { value: _value, currency: _currency, subject_ref: _subject, ...further } = properties;
  const rest = {
    properties: further,
    action_source,
    click_ids,
    ad_id,
    platform,
    page_url,
    region,
    visitor_id: traits.visitor_id,
  };
  const { event } = checked;
  return {
    event: { ...event, idempotencyKey: event.idempotencyKey ?? newKey() },
    eventKey: eventNameKey(event.eventName),
    eventTypeKey: eventNameKey(event.eventType),
    said,
    visitorId: traits.visitor_id ?? undefined,
    // Through JSON and back: what is stored is what a repeated message is compared with.
    rest: JSON.parse(JSON.stringify(rest)) as Record<string, Json>,
    warnings,
  };
}

/** JSON writes every other character as it is, and escapes these. */
const unkeepable = /\\u(?:0000|d[89a-f])/;

/** One of many: each is checked by itself, so that a bad one costs the others nothing. */
export function readOneOfMany(profileId: string, candidate: unknown, now: Date, newKey: () => string): ReadBody {
  if (candidate instanceof ItemFault)
    return { code: 'validation_error', field: candidate.field, message: candidate.message };
  if (unkeepable.test(JSON.stringify(candidate))) {
    const message = 'holds a NUL character or half a surrogate pair, which cannot be kept';
    return { code: 'validation_error', field: '', message };
  }
  const parsed = ServerEvent.safeParse(candidate, { error: faultWords });
  if (parsed.success) return readBody(profileId, parsed.data, now, newKey);
  const [issue] = parsed.error.issues;
  return {
    code: 'validation_error',
    field: issue ? placeOf(issue).join('.') : '',
    message: issue?.message ?? 'is no event',
  };
}

/** Identifiers in the order of their strength. One that cannot be read is left out with a warning, like in an import. */
function readTraits(profileId: string, traits: Body['user_traits']): { said: Said; warnings: string[] } {
  const identifiers: Identifier[] = [];
  const warnings: string[] = [];
  const take = (
    kind: Identifier['kind'],
    text: string | null | undefined,
    read: (text: string) => string | undefined,
    name: string,
  ) => {
    if (!text || text.trim() === '') return;
    const value = read(text);
    if (value === undefined) warnings.push(`unparseable_${name}`);
    else identifiers.push({ kind, value });
  };
  take('national_id', traits.national_id, normaliseRut, 'national_id');
  take('external_customer_id', traits.external_id, normaliseKey, 'external_id');
  take('crm_contact_id', traits.crm_contact_id, normaliseKey, 'crm_contact_id');
  take('store_customer_id', traits.store_customer_id, normaliseKey, 'store_customer_id');
  take('payments_customer_id', traits.payments_customer_id, normaliseKey, 'payments_customer_id');
  take('email', traits.email, normaliseEmail, 'email');
  take('phone', traits.phone, (text) => readPhone(profileId, text), 'phone');
  take('wa_id', traits.wa_id, (text) => readWhatsAppId(profileId, text), 'wa_id');
  const firstName = normaliseName(traits.first_name ?? '');
  const lastName = normaliseName(traits.last_name ?? '');
  return { said: { identifiers, firstName, lastName }, warnings };
}

const messages: Record<EventRefusal['reason'], string> = {
  required_with_money: 'is required when the event carries money: without it a retry would be a second payment',
  in_the_future: 'is more than five minutes ahead of our clock',
  not_a_decimal: 'must be a number, or one written as text',
  too_many_digits: 'has more digits than money can have',
  negative: 'must not be negative: what was given back is told with refund_of, above zero',
  required_with_value: 'is required with a value: a guessed currency would be a wrong amount',
  unknown_currency: 'is not a currency of ISO 4217',
  at_sign: 'looks like an e-mail address; send an opaque id of your own',
  long_number: 'has seven or more digits in a row, like a phone or identity number; send an opaque id of your own',
  date: 'looks like a date; send an opaque id of your own',
  name: 'looks like a name; send an opaque id of your own',
  hex_digest: 'looks like a digest of something personal; send an opaque id of your own',
  malformed: 'must be a UUID, or up to 32 letters, digits, "_" and "-"',
};

function faultOf({ field, reason }: EventRefusal): EventFault {
  return {
    field,
    message: messages[reason],
    code: field === 'properties.subject_ref' ? 'invalid_parameter' : 'validation_error',
  };
}
