import { describe, expect, test } from 'vitest';
import {
  deliveryOf,
  EventEnvelope,
  EventName,
  events,
  isLiveEvent,
  liveEventNames,
  OutcomeRecorded,
  sampleDelivery,
} from './events.ts';

const id = '01890a5d-ac96-774b-bcce-b302099a8057';

const outcome = {
  id,
  type: 'outcome.recorded',
  occurred_at: '2026-01-31T09:30:00.000Z',
  app_id: id,
  provider: 'service',
  connection_id: null,
  data: {
    profile_id: id,
    provider: 'crm_a',
    outcome_type: 'lead_created',
    occurred_at: '2026-01-31T09:29:58.000Z',
    recorded_at: '2026-01-31T09:30:00.000Z',
    external_id: 'opportunity-1',
    customer_key: null,
    value: null,
    contact: null,
    contact_withheld: true,
  },
};
const contact = { first_name: 'Ana', last_name: null, email: 'ana@example.com', phone: null };
const accepts = (value: unknown) => OutcomeRecorded.safeParse(value).success;
const withData = (changes: object) => ({ ...outcome, data: { ...outcome.data, ...changes } });

describe('event names', () => {
  test('thirteen event names are live', () => {
    expect(liveEventNames).toEqual([
      'connection.connected',
      'connection.reconnect_required',
      'connection.revoked',
      'handoff.completed',
      'recompute.completed',
      'conversion.attributed',
      'reconciliation.failed',
      'export.completed',
      'export.failed',
      'profile.freshness.changed',
      'alert.opened',
      'alert.ended',
      'outcome.recorded',
    ]);
  });

  test('[evnt-019] four more event names are reserved', () => {
    expect(EventName.options.filter((name) => !isLiveEvent(name))).toEqual([
      'message.received',
      'order.status.changed',
      'catalog.updated',
      'channel.health.updated',
    ]);
    for (const name of EventName.options) expect('reserved' in events[name]).toBe(!isLiveEvent(name));
  });

  test('property names of JavaScript objects are not event names', () => {
    expect(isLiveEvent('toString')).toBe(false);
  });
});

describe.each(liveEventNames)('%s', (name) => {
  const { data, announced, sample, grain } = events[name];

  test('the sample matches the schema, and unknown fields are rejected', () => {
    expect(data.parse(sample)).toEqual(sample);
    expect(data.safeParse({ ...sample, email: 'ana@example.com' }).success).toBe(false);
    expect(announced.safeParse({ ...sample, email: 'ana@example.com' }).success).toBe(false);
  });

  test('the delivery has the common envelope and comes from the service', () => {
    const delivery = sampleDelivery(name);
    expect(deliveryOf(name).parse(delivery)).toEqual(delivery);
    expect(EventEnvelope.parse(delivery)).toEqual(delivery);
    expect(deliveryOf(name).safeParse({ ...delivery, provider: 'email' }).success).toBe(false);
  });

  test('an event about a customer requires an app, and is announced without personal data', () => {
    const toNoApp = deliveryOf(name).safeParse({ ...sampleDelivery(name), app_id: null }).success;
    expect(toNoApp).toBe(grain === 'profile');
    const ofPeople = Object.keys(announced.shape).filter((field) => /contact|customer|name|mail|phone/.test(field));
    expect(ofPeople).toEqual([]);
    expect(announced === data).toBe(grain === 'profile');
  });

  test.each(Object.keys(data.shape))('is rejected without data.%s', (field) => {
    const { [field]: _left, ...rest } = sample as Record<string, unknown>;
    expect(data.safeParse(rest).success).toBe(false);
  });
});

test('the envelope has the connection_id of the data, or null', () => {
  expect(sampleDelivery('connection.revoked').connection_id).toMatch(/^01/);
  const delivery = sampleDelivery('recompute.completed');
  expect(delivery.connection_id).toBeNull();
  expect(deliveryOf('recompute.completed').safeParse({ ...delivery, connection_id: id }).success).toBe(false);
});

describe('outcome.recorded', () => {
  test('is a valid event with a narrower schema', () => {
    expect(OutcomeRecorded.parse(outcome)).toEqual(outcome);
    expect(EventEnvelope.parse(outcome)).toEqual(outcome);
  });

  test('may contain a contact and a value', () => {
    expect(accepts(withData({ contact, contact_withheld: false, value: 1250.5, customer_key: 'c-1' }))).toBe(true);
    expect(accepts(withData({ contact: null, contact_withheld: false }))).toBe(true);
  });

  test('never contains a contact that is marked as withheld', () => {
    expect(accepts(withData({ contact, contact_withheld: true }))).toBe(false);
  });

  test.each([
    ['another type', { ...outcome, type: 'connection.connected' }],
    ['another provider', { ...outcome, provider: 'email' }],
    ['a connection', { ...outcome, connection_id: id }],
    ['no app', { ...outcome, app_id: null }],
    ['an unknown field', { ...outcome, extra: 1 }],
    ['a field of its own in the data', withData({ subject_ref: 'x' })],
    ['an ad platform as the source', withData({ provider: 'social_ads' })],
    ['a value in words', withData({ value: '1250.50' })],
    ['half a contact', withData({ contact: { email: 'ana@example.com' }, contact_withheld: false })],
  ])('is rejected with %s', (_, event) => {
    expect(accepts(event)).toBe(false);
  });

  test.each(Object.keys(outcome))('is rejected without %s', (key) => {
    expect(accepts(Object.fromEntries(Object.entries(outcome).filter(([name]) => name !== key)))).toBe(false);
  });
});
