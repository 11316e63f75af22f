import {
  type Book,
  type BookedRecord,
  type BookedRefund,
  intentOf,
  type Person,
  type Source,
} from './one-sale-book.ts';
import type { ShopifyNode, StripeCharge } from './one-sale-providers.ts';
import { text } from './payments-book.ts';

/** The phases of delivery. After the phase `mistake`, wrong merges are undone and customers are erased. */
export const whens = ['early', 'mistake', 'late'] as const;
type When = (typeof whens)[number];

/** A report in the format of its source. `when` is null if it may arrive early or late. */
export type Message =
  | { readonly via: 'api'; readonly body: object; readonly when: When | null }
  | { readonly via: 'csv'; readonly cells: Readonly<Record<string, string>>; readonly when: When | null }
  | {
      readonly via: 'stripe';
      readonly charge?: StripeCharge;
      readonly refund?: StripeCharge;
      readonly when: When | null;
    }
  | {
      readonly via: 'shopify';
      readonly record: BookedRecord;
      readonly refund?: BookedRefund;
      readonly when: When | null;
    };

export const emailOf = ({ n }: Person): string => `p${n}@shop.test`;
const keyOf = ({ n }: Person): string => `u-${n}`;

export function messagesOf(book: Book): Message[] {
  const messages: Message[] = [];
  const named = new Set<Person>();
  for (const { kind, records, refunds } of book.sales) {
    // After an erasure, a record can no longer be matched by the erased data, so it must arrive earlier.
    const isErased = records.some(({ person }) => person?.isErased);
    for (const record of records) {
      const when = isErased || kind === 'mixed' ? 'early' : null;
      if (record.person) named.add(record.person);
      if (record.isCompletedLater) {
        messages.push({ ...paymentOf({ ...record, properties: {} }), when: 'early' });
        messages.push({ ...paymentOf(record), when: 'late' });
      } else messages.push({ ...paymentOf(record), when });
      for (const refund of refunds)
        if (refund.reportedBy.includes(record.source)) messages.push({ ...refundOf(record, refund), when });
    }
  }
  const mixed = new Set(book.mistakes.flatMap(({ keyOf, emailOf }) => [keyOf, emailOf]));
  for (const person of named) if (person.isKeyed && !mixed.has(person)) messages.push(linkOf(person, person));
  for (const { keyOf: one, emailOf: other } of book.mistakes) messages.push({ ...linkOf(one, other), when: 'mistake' });
  return messages;
}

const iso = (at: number): string => new Date(at).toISOString();

const linkOf = (one: Person, other: Person): Message => ({
  via: 'api',
  body: {
    event_name: 'lead_created',
    idempotency_key: `link-${one.n}-${other.n}`,
    occurred_at: '2026-05-01T00:00:00.000Z',
    properties: {},
    user_traits: { external_id: keyOf(one), email: emailOf(other) },
  },
  when: null,
});

function paymentOf(record: BookedRecord): Message {
  const { source, key, at, amount, currency, person, properties } = record;
  const money = { value: text(amount, currency), currency };
  switch (source) {
    case 'api':
      return {
        via: 'api',
        body: {
          event_name: 'payment_received',
          idempotency_key: key,
          occurred_at: iso(at),
          properties: { ...money, ...properties },
          user_traits: traitsOf(person),
        },
        when: null,
      };
    case 'csv':
      return {
        via: 'csv',
        cells: {
          event_name: 'payment_received',
          idempotency_key: key,
          occurred_at: iso(at),
          ...money,
          ...properties,
          ...(person && { email: emailOf(person) }),
        },
        when: null,
      };
    case 'stripe':
      return {
        via: 'stripe',
        charge: {
          id: key,
          amount_captured: Number(amount),
          currency: currency.toLowerCase(),
          created: at / 1000,
          status: 'succeeded',
          paid: true,
          captured: true,
          customer: person && { id: `cus_${person.n}`, email: emailOf(person) },
          payment_intent: intentOf(key),
        },
        when: null,
      };
    case 'shopify':
      return { via: 'shopify', record, when: null };
  }
}

const traitsOf = (person: Person | null) =>
  !person
    ? {}
    : person.isKeyed
      ? { external_id: keyOf(person) }
      : { external_id: keyOf(person), email: emailOf(person) };

function refundOf(record: BookedRecord, refund: BookedRefund): Message {
  const { source, key, currency, at } = record;
  const money = { value: text(refund.amount, currency), currency };
  const named = { event_name: 'refund', idempotency_key: `${key}-refund-${refund.n}`, refund_of: key };
  const reports: Record<Source, () => Message> = {
    api: () => ({ via: 'api', body: { ...named, properties: money }, when: null }),
    csv: () => ({ via: 'csv', cells: { ...named, ...money }, when: null }),
    stripe: () => ({
      via: 'stripe',
      refund: {
        id: `re_${refund.n}_${key}`,
        amount: Number(refund.amount),
        currency: currency.toLowerCase(),
        charge: key,
        status: 'succeeded',
        created: at / 1000 + 86_400,
      },
      when: null,
    }),
    shopify: () => ({ via: 'shopify', record, refund, when: null }),
  };
  return reports[source]();
}

const moneyOf = (amount: string, currencyCode: string) => ({ shopMoney: { amount, currencyCode } });

/** An order as the Admin API returns it, with the refunds disclosed so far. */
export function orderOf(record: BookedRecord, refunds: readonly BookedRefund[]): ShopifyNode {
  const { key, at, amount, currency, person } = record;
  const gateway = 'bank card';
  return {
    id: `gid://shopify/Order/${key}`,
    name: `#${key.slice(-7).replace(/^0+/, '')}`,
    test: false,
    createdAt: iso(at),
    processedAt: iso(at),
    displayFinancialStatus: refunds.length > 0 ? 'PARTIALLY_REFUNDED' : 'PAID',
    paymentGatewayNames: [gateway],
    totalPriceSet: moneyOf(text(amount, currency), currency),
    email: person && emailOf(person),
    phone: null,
    customer: person && { id: `gid://shopify/Customer/${700_000 + person.n}`, firstName: null, lastName: null },
    transactions: refunds.map((refund) => ({
      id: `gid://shopify/OrderTransaction/${key}${refund.n}`,
      kind: 'REFUND',
      status: 'SUCCESS',
      gateway,
      createdAt: iso(at + 86_400_000),
      processedAt: iso(at + 86_400_000),
      amountSet: moneyOf(text(refund.amount, currency), currency),
    })),
  };
}
