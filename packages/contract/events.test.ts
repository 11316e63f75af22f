import { describe, expect, test } from 'vitest';
import { EventEnvelope, EventName, isReservedEvent, OutcomeRecorded } from './events.ts';

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
  test('ten of them fire', () => {
    expect(EventName.options.filter((name) => !isReservedEvent(name))).toEqual([
      'connection.connected',
      'connection.reconnect_required',
      'connection.revoked',
      'handoff.completed',
      'recompute.completed',
      'conversion.attributed',
      'export.completed',
      'export.failed',
      'profile.freshness.changed',
      'outcome.recorded',
    ]);
  });

  test('[evnt-019] four more names are known, and reserved', () => {
    expect(EventName.options.filter(isReservedEvent)).toEqual([
      'message.received',
      'order.status.changed',
      'catalog.updated',
      'channel.health.updated',
    ]);
  });
});

describe('outcome.recorded', () => {
  test('is an event like the others, narrowed', () => {
    expect(OutcomeRecorded.parse(outcome)).toEqual(outcome);
    expect(EventEnvelope.parse(outcome)).toEqual(outcome);
  });

  test('may carry a person and a value', () => {
    expect(accepts(withData({ contact, contact_withheld: false, value: 1250.5, customer_key: 'c-1' }))).toBe(true);
    expect(accepts(withData({ contact: null, contact_withheld: false }))).toBe(true);
  });

  test('never carries a person that it says is withheld', () => {
    expect(accepts(withData({ contact, contact_withheld: true }))).toBe(false);
  });

  test.each([
    ['another type', { ...outcome, type: 'connection.connected' }],
    ['another provider', { ...outcome, provider: 'email' }],
    ['a connection', { ...outcome, connection_id: id }],
    ['no app', { ...outcome, app_id: null }],
    ['a field of its own', { ...outcome, extra: 1 }],
    ['a field of its own in the data', withData({ subject_ref: 'x' })],
    ['an ad platform as the source', withData({ provider: 'social_ads' })],
    ['a value in words', withData({ value: '1250.50' })],
    ['half a contact', withData({ contact: { email: 'ana@example.com' }, contact_withheld: false })],
  ])('is refused with %s', (_, event) => {
    expect(accepts(event)).toBe(false);
  });

  test.each(Object.keys(outcome))('is refused without %s', (key) => {
    expect(accepts(Object.fromEntries(Object.entries(outcome).filter(([name]) => name !== key)))).toBe(false);
  });

  test.each(Object.keys(outcome.data))('is refused without data.%s', (key) => {
    expect(
      accepts({ ...outcome, data: Object.fromEntries(Object.entries(outcome.data).filter(([name]) => name !== key)) }),
    ).toBe(false);
  });
});
