import type { Json } from '../event-input.ts';

/**
 * A reference of a record. An order may be paid in parts, so an order's reference alone does not identify a payment.
 */
export interface SaleReference {
  readonly value: string;
  readonly level: 'payment' | 'order';
}

const paymentNames = new Set([
  'payment_id',
  'charge',
  'charge_id',
  'payment_intent',
  'payment_intent_id',
  'transaction',
  'transaction_id',
  'external_id',
  'authorization',
  'receipt',
  'gateway_reference',
]);
const orderNames = new Set([
  'order',
  'order_id',
  'order_number',
  'order_name',
  'invoice',
  'invoice_id',
  'checkout_id',
  'cart_id',
]);

/** Shorter values ("1", "42") are counters of one system and collide with those of another. */
const minLength = 4;
const maxLength = 200;
const maxReferences = 12;

/**
 * The references of a record, from its ids and its properties; `gateway_reference` may contain several, separated by
 * spaces.
 */
export function referencesOf(record: {
  readonly keys: readonly SaleReference[];
  readonly properties: Json | undefined;
}): SaleReference[] {
  const properties = objectOf(record.properties);
  const found = [
    ...record.keys,
    ...namedIn(properties),
    ...namedIn(objectOf(properties.metadata)),
    ...namedIn(objectOf(properties.note_attributes)),
  ];
  const byValue = new Map<string, SaleReference>();
  for (const { value: text, level } of found) {
    const value = normaliseReference(text);
    // An e-mail address refers to a customer, not to a sale, and erasures keep references.
    if (value.length < minLength || value.length > maxLength || value.includes('@')) continue;
    // If a value identifies a payment in one field and an order in another, it counts as an order's reference, the
    // weaker one.
    if (byValue.get(value)?.level !== 'order') byValue.set(value, { value, level });
  }
  return [...byValue.values()].slice(0, maxReferences);
}

/** `gid://shopify/Order/1001` and `#1001` are 1001. */
const normaliseReference = (text: string): string =>
  text
    .trim()
    .replace(/^gid:\/\/.*\//, '')
    .replace(/^#/, '');

function namedIn(properties: Readonly<Record<string, Json>>): SaleReference[] {
  return Object.entries(properties).flatMap(([name, value]): SaleReference[] => {
    if (typeof value !== 'string' && typeof value !== 'number') return [];
    const level = paymentNames.has(name) ? 'payment' : orderNames.has(name) ? 'order' : undefined;
    if (!level) return [];
    const values = name === 'gateway_reference' ? String(value).split(/\s+/) : [String(value)];
    return values.map((one) => ({ value: one, level }));
  });
}

const objectOf = (value: Json | undefined): Readonly<Record<string, Json>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Record<string, Json>) : {};
