import { expect, test } from 'vitest';
import { formats, readRename } from './index.ts';

/** Records as these products write them, reduced to the relevant fields. */
const of = (name: string, record: object, events?: string) =>
  formats[name]?.outcomesOf(record as Record<string, unknown>, events ? readRename(events) : undefined);

test('Shopify: the first line of an order has the payment, and a partial refund becomes a refund', () => {
  const order = {
    name: '#1001',
    email: 'ana@example.com',
    'financial status': 'partially_refunded',
    'paid at': '2026-05-01 09:30:00 -0400',
    'created at': '2026-05-01 09:29:58 -0400',
    currency: 'USD',
    total: '199.90',
    'refunded amount': '50.00',
    id: '5551234567890',
    phone: '',
    'billing phone': '+56987654321',
  };
  const money = { currency: 'USD', occurred_at: '2026-05-01T13:30:00.000Z' };
  expect(of('shopify', order)).toEqual([
    {
      ...money,
      event_name: 'payment_received',
      idempotency_key: 'shopify-5551234567890',
      value: '199.90',
      email: 'ana@example.com',
      phone: '+56987654321',
      order: '#1001',
    },
    {
      ...money,
      event_name: 'refund',
      idempotency_key: 'shopify-5551234567890-refund',
      refund_of: 'shopify-5551234567890',
      value: '50.00',
    },
  ]);
  for (const state of ['', 'pending', 'authorized', 'voided'])
    expect(of('shopify', { ...order, 'financial status': state })).toEqual([]);
  expect(of('shopify', { ...order, 'financial status': 'paid', 'refunded amount': '0.00' })).toHaveLength(1);
});

test('Google Analytics 4: parameters are a list, 64-bit integers are strings, and other events are skipped', () => {
  const purchase = {
    event_date: '20260501',
    event_timestamp: '1777642200000000',
    event_name: 'purchase',
    event_params: [
      { key: 'page_location', value: { string_value: 'https://shop.example/thanks' } },
      { key: 'currency', value: { string_value: 'USD' } },
      { key: 'value', value: { double_value: 199.9 } },
    ],
    user_pseudo_id: '123.456',
    user_id: 'customer-1',
    ecommerce: { transaction_id: 'T-1', purchase_revenue: 199.9 },
    collected_traffic_source: { gclid: 'Cj0abc' },
  };
  expect(of('ga4', purchase)).toEqual([
    {
      event_name: 'payment_received',
      occurred_at: '2026-05-01T13:30:00.000Z',
      idempotency_key: 'ga4-T-1',
      value: '199.9',
      currency: 'USD',
      external_id: 'customer-1',
      page_url: 'https://shop.example/thanks',
      gclid: 'Cj0abc',
    },
  ]);
  const refund = { ...purchase, event_name: 'refund', ecommerce: { transaction_id: 'T-1', refund_value: 20 } };
  expect(of('ga4', refund)?.[0]).toMatchObject({
    refund_of: 'ga4-T-1',
    idempotency_key: 'ga4-T-1-refund',
    value: '20',
  });
  const lead = { ...purchase, event_name: 'generate_lead', ecommerce: { transaction_id: '(not set)' } };
  expect(of('ga4', lead)?.[0]?.idempotency_key).toBe('ga4-123.456-1777642200000000-generate_lead');
  expect(of('ga4', { ...purchase, event_name: 'page_view' })).toEqual([]);
  expect(of('ga4', { ...purchase, event_name: 'page_view' }, 'page_view=seen')?.[0]?.event_name).toBe('seen');
  expect(of('ga4', purchase, 'page_view=seen')).toEqual([]);
});

test('PostHog: built-in events begin with $, properties may be a string, and person properties are beside them', () => {
  const event = {
    uuid: '0190f0a0-0000-7000-8000-000000000001',
    event: 'order completed',
    distinct_id: 'customer-1',
    timestamp: '2026-05-01T13:30:00.000000+00:00',
    properties: JSON.stringify({
      revenue: 199.9,
      currency: 'USD',
      $current_url: 'https://shop.example/thanks',
      gclid: 'Cj0abc',
    }),
    person_properties: { email: 'ana@example.com' },
  };
  const expected = {
    event_name: 'order completed',
    occurred_at: '2026-05-01T13:30:00.000Z',
    idempotency_key: 'posthog-0190f0a0-0000-7000-8000-000000000001',
    value: '199.9',
    currency: 'USD',
    external_id: 'customer-1',
    email: 'ana@example.com',
    page_url: 'https://shop.example/thanks',
    gclid: 'Cj0abc',
  };
  expect(of('posthog', event)).toEqual([expected]);
  expect(of('posthog', event, 'order completed=payment_received')).toEqual([
    { ...expected, event_name: 'payment_received' },
  ]);
  expect(of('posthog', { ...event, event: '$pageview' })).toEqual([]);
});

test('Matomo: a visit yields its orders and goals, each with its own time', () => {
  const visit = {
    idVisit: '77',
    userId: 'customer-1',
    siteCurrency: 'USD',
    actionDetails: [
      { type: 'action', url: 'https://shop.example/', timestamp: 1777642100 },
      { type: 'goal', goalName: 'newsletter', revenue: 0, url: 'https://shop.example/news', timestamp: 1777642150 },
      { type: 'ecommerceOrder', orderId: 'M-1', revenue: '199.90', timestamp: 1777642200 },
      { type: 'ecommerceAbandonedCart', revenue: 10, timestamp: 1777642300 },
    ],
  };
  expect(of('matomo', visit)).toEqual([
    {
      event_name: 'newsletter',
      occurred_at: '2026-05-01T13:29:10.000Z',
      idempotency_key: 'matomo-77-1',
      external_id: 'customer-1',
      page_url: 'https://shop.example/news',
    },
    {
      event_name: 'payment_received',
      occurred_at: '2026-05-01T13:30:00.000Z',
      idempotency_key: 'matomo-M-1',
      value: '199.90',
      currency: 'USD',
      external_id: 'customer-1',
    },
  ]);
  expect(of('matomo', visit, 'order=sale')?.map(({ event_name }) => event_name)).toEqual(['sale']);
  expect(of('matomo', { idVisit: '78' })).toEqual([]);
});

test('--events selects events by name, optionally renaming them', () => {
  expect([...readRename('purchase = payment_received, sign_up')]).toEqual([
    ['purchase', 'payment_received'],
    ['sign_up', 'sign_up'],
  ]);
  expect(() => readRename('purchase=')).toThrow('--events takes names');
});
