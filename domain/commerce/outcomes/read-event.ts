import { type ConversionType, faultWords, ItemFault, placeOf, ServerEvent } from '@tributary/contract';
import { type CustomerMessage, type Evidence, readPhone, readWhatsAppId } from '@tributary/domain/commerce/customers';
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
import type { RefundReport } from './first-payment-service.ts';

/** A valid event: the outcome and the customer data of its message. */
export interface ReadEvent {
  readonly event: AcceptedEvent & { readonly idempotencyKey: string };
  readonly eventKey: string;
  readonly eventTypeKey: string;
  readonly said: CustomerMessage;
  /** The visitor id, if a server sent one. */
  readonly visitorId?: string | undefined;
  /** Set if a browser sent the event: its visitor and the customer linked to it. */
  readonly browser?: { readonly visitorId: string; readonly customerId: string | null; readonly isErased: boolean };
  /**
   * Set if a provider reported it: the provider's id and the outcome type. The id alone is not unique: a deal that is opened and later won is
   * two outcomes.
   */
  readonly provided?: { readonly externalId: string; readonly outcomeType: ConversionType | DealEnd };
  readonly rest: Readonly<Record<string, Json>>;
  readonly warnings: readonly string[];
  /** Source and time of this event, if events of several requests are recorded together. */
  readonly evidence?: Evidence;
}

/** A refund, sent in place of an outcome. */
export interface ReadRefund {
  readonly refund: RefundReport;
}

export interface EventFault {
  readonly field: string;
  readonly message: string;
  readonly code: 'validation_error' | 'invalid_parameter';
}

type Body = z.output<typeof ServerEvent>;

/** A parsed body: an outcome, a refund, or a validation error. */
export type ReadBody = ReadEvent | ReadRefund | EventFault;

export const readBody = (profileId: string, body: Body, now: Date, newKey: () => string): ReadBody =>
  body.refund_of ? readRefund(body, body.refund_of, now) : readEvent(profileId, body, now, newKey);

/** Reads a refund. Other fields of the body are ignored, because customer and product come from the payment. */
function readRefund({ properties, ...body }: Body, refundOf: string, now: Date): ReadRefund | EventFault {
  const { value, currency } = properties;
  const checked = checkEvent(
    {
      eventName: 'refund',
      idempotencyKey: body.idempotency_key,
      occurredAt: body.occurred_at ? new Date(body.occurred_at) : undefined,
      value: value ?? null,
      // A missing currency is that of the payment. Any currency serves to validate the amount.
      currency: currency ?? 'USD',
    },
    now,
  );
  if (!checked.ok) return toFault(checked);
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

/** Reads an event, or returns its first fault. `newKey` supplies the idempotency key of an event without key and money. */
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
  if (!checked.ok) return toFault(checked);
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
    // Normalised through JSON, because a repeated message is compared with the stored JSON.
    rest: JSON.parse(JSON.stringify(rest)) as Record<string, Json>,
    warnings,
  };
}

/** Matches NUL and lone surrogates, which JSON.stringify escapes and PostgreSQL cannot store. */
const unstorable = /\\u(?:0000|d[89a-f])/;

/** Reads one event of a batch. Each is validated separately, so that an invalid one does not affect the others. */
export function readOneOfMany(profileId: string, candidate: unknown, now: Date, newKey: () => string): ReadBody {
  if (candidate instanceof ItemFault)
    return { code: 'validation_error', field: candidate.field, message: candidate.message };
  if (unstorable.test(JSON.stringify(candidate))) {
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

/** Reads identifiers, strongest first. Unparseable ones are dropped with a warning, as in an import. */
function readTraits(profileId: string, traits: Body['user_traits']): { said: CustomerMessage; warnings: string[] } {
  const identifiers: Identifier[] = [];
  const warnings: string[] = [];
  const addIdentifier = (
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
  addIdentifier('national_id', traits.national_id, normaliseRut, 'national_id');
  addIdentifier('external_customer_id', traits.external_id, normaliseKey, 'external_id');
  addIdentifier('crm_contact_id', traits.crm_contact_id, normaliseKey, 'crm_contact_id');
  addIdentifier('store_customer_id', traits.store_customer_id, normaliseKey, 'store_customer_id');
  addIdentifier('payments_customer_id', traits.payments_customer_id, normaliseKey, 'payments_customer_id');
  addIdentifier('email', traits.email, normaliseEmail, 'email');
  addIdentifier('phone', traits.phone, (text) => readPhone(profileId, text), 'phone');
  addIdentifier('wa_id', traits.wa_id, (text) => readWhatsAppId(profileId, text), 'wa_id');
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

function toFault({ field, reason }: EventRefusal): EventFault {
  return {
    field,
    message: messages[reason],
    code: field === 'properties.subject_ref' ? 'invalid_parameter' : 'validation_error',
  };
}
