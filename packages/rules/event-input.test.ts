import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkEvent, type EventInput, type OutcomeContent, resolveEvent } from './index.ts';

const now = new Date('2026-03-01T12:00:00.000Z');
const after = (ms: number) => new Date(now.getTime() + ms);
const minuteMs = 60_000;

const payment: EventInput = { eventName: 'payment_received', idempotencyKey: 'k1', value: 12.5, currency: 'USD' };

describe('checkEvent', () => {
  test('accepts an event with all fields', () => {
    const input = { ...payment, eventType: 'pos', occurredAt: after(-minuteMs), subjectRef: 'kid_1' };
    expect(checkEvent(input, now)).toEqual({
      ok: true,
      event: {
        eventName: 'payment_received',
        eventType: 'pos',
        idempotencyKey: 'k1',
        occurredAt: after(-minuteMs),
        money: { amount: '12.5', currency: 'USD' },
        subjectRef: 'kid_1',
      },
    });
  });

  test('accepts an event with only a name: the type is the name, and it has no money and no key', () => {
    const event = {
      eventName: 'lead_created',
      eventType: 'lead_created',
      idempotencyKey: null,
      occurredAt: null,
      money: null,
      subjectRef: null,
    };
    const nulls = {
      eventType: null,
      idempotencyKey: null,
      occurredAt: null,
      value: null,
      currency: null,
      subjectRef: null,
    };
    expect(checkEvent({ eventName: 'lead_created' }, now)).toEqual({ ok: true, event });
    expect(checkEvent({ eventName: 'lead_created', ...nulls }, now)).toEqual({ ok: true, event });
    expect(checkEvent({ eventName: 'lead_created', currency: 'USD' }, now)).toEqual({ ok: true, event });
  });

  test.each<[ms: number, isTaken: boolean]>([
    [-20 * 365 * 24 * 60 * minuteMs, true],
    [0, true],
    [5 * minuteMs, true],
    [5 * minuteMs + 1, false],
  ])('for an event %i ms ahead accepts: %s', (ms, isTaken) => {
    const checked = checkEvent({ ...payment, occurredAt: after(ms) }, now);
    if (isTaken) expect(checked.ok).toBe(true);
    else expect(checked).toEqual({ ok: false, field: 'occurred_at', reason: 'in_the_future' });
  });

  test.each<[changes: Partial<EventInput>, field: string, reason: string]>([
    [{ idempotencyKey: undefined }, 'idempotency_key', 'required_with_money'],
    [{ idempotencyKey: null }, 'idempotency_key', 'required_with_money'],
    [{ idempotencyKey: ' ' }, 'idempotency_key', 'required_with_money'],
    [{ idempotencyKey: undefined, value: 0 }, 'idempotency_key', 'required_with_money'],
    [{ value: -1 }, 'properties.value', 'negative'],
    [{ value: '-0.01' }, 'properties.value', 'negative'],
    [{ value: Number.NaN }, 'properties.value', 'not_a_decimal'],
    [{ value: '1,000' }, 'properties.value', 'not_a_decimal'],
    [{ value: 1e21 }, 'properties.value', 'too_many_digits'],
    [{ currency: undefined }, 'properties.currency', 'required_with_value'],
    [{ currency: 'usd' }, 'properties.currency', 'unknown_currency'],
    [{ currency: 'XXX' }, 'properties.currency', 'unknown_currency'],
    [{ subjectRef: 'jane@example.com' }, 'properties.subject_ref', 'at_sign'],
    [{ subjectRef: '' }, 'properties.subject_ref', 'malformed'],
    [{ subjectRef: '1990-01-31' }, 'properties.subject_ref', 'date'],
  ])('with %j rejects the field %s', (changes, field, reason) => {
    expect(checkEvent({ ...payment, ...changes }, now)).toEqual({ ok: false, field, reason });
  });

  test.each([0, -0, '0.00'])('accepts %j as money, without a sign', (value) => {
    expect(checkEvent({ ...payment, value }, now)).toMatchObject({
      ok: true,
      event: { money: { amount: '0', currency: 'USD' } },
    });
  });
});

describe('settleEvent', () => {
  const input = {
    eventName: 'payment_received',
    eventType: 'payment_received',
    occurredAt: after(-minuteMs),
    money: { amount: '12.5', currency: 'USD' },
    subjectRef: 'kid_1',
    rest: { click_ids: { gclid: 'g', fbc: 'f' }, tags: ['a', 'b'], page_url: null },
    customerId: 'c1',
  };

  test('records the first message under a key', () => {
    expect(resolveEvent(undefined, input, now)).toEqual({ status: 'recorded', outcome: input });
  });

  test('uses the current time for a message without a time', () => {
    expect(resolveEvent(undefined, { ...input, occurredAt: null }, now).outcome.occurredAt).toEqual(now);
  });

  test.each<[title: string, again: Partial<typeof input> | { occurredAt: null }]>([
    ['word for word', {}],
    ['in another order', { rest: { page_url: null, tags: ['a', 'b'], click_ids: { fbc: 'f', gclid: 'g' } } }],
    ['without what was null', { rest: { tags: ['a', 'b'], click_ids: { fbc: 'f', gclid: 'g' } } as never }],
    ['without a time', { occurredAt: null }],
  ])('treats a message with the same content, %s, as a duplicate that changes nothing', (_, again) => {
    expect(resolveEvent(input, { ...input, ...again }, after(10 * minuteMs))).toEqual({
      status: 'duplicate',
      outcome: input,
    });
  });

  test('compares outcome fields only, not other columns of the stored row', () => {
    const row = { ...input, id: 'o1', recordedAt: now };
    expect(resolveEvent(row, input, now)).toEqual({ status: 'duplicate', outcome: row });
  });

  test.each<[title: string, changes: Partial<OutcomeContent>]>([
    ['another name', { eventName: 'x' }],
    ['another type', { eventType: 'x' }],
    ['another time', { occurredAt: after(-minuteMs + 1) }],
    ['another amount', { money: { amount: '12.51', currency: 'USD' } }],
    ['another currency', { money: { amount: '12.5', currency: 'CLP' } }],
    ['no money', { money: null }],
    ['another subject', { subjectRef: 'kid_2' }],
    ['another customer', { customerId: 'c2' }],
    ['another order of a list', { rest: { ...input.rest, tags: ['b', 'a'] } }],
    ['another click id', { rest: { ...input.rest, click_ids: { gclid: 'h', fbc: 'f' } } }],
    ['less', { rest: {} }],
  ])('with %s updates the whole outcome', (_, changes) => {
    const message = { ...input, ...changes };
    expect(resolveEvent(input, message, now)).toEqual({ status: 'updated', outcome: message });
  });

  test('adds a subject_ref, and removes it when the message has none', () => {
    const untagged = { ...input, subjectRef: null };
    expect(resolveEvent(untagged, input, now)).toMatchObject({ status: 'updated', outcome: { subjectRef: 'kid_1' } });
    expect(resolveEvent(input, untagged, now)).toMatchObject({ status: 'updated', outcome: { subjectRef: null } });
  });

  test('treats any message sent again as a duplicate', () => {
    const messages = fc.record({
      eventName: fc.string(),
      eventType: fc.string(),
      occurredAt: fc.option(fc.date({ noInvalidDate: true, min: new Date(0), max: now })),
      money: fc.option(fc.constant({ amount: '1', currency: 'USD' })),
      subjectRef: fc.option(fc.constantFrom('a', 'b')),
      rest: fc.dictionary(fc.string(), fc.jsonValue()),
      customerId: fc.option(fc.uuid()),
    });
    fc.assert(
      fc.property(messages, fc.option(messages, { nil: undefined }), (message, before) => {
        const stored = before && resolveEvent(undefined, before as never, now).outcome;
        const first = resolveEvent(stored, message as never, now);
        // As it is read back from the store.
        const readBack = { ...first.outcome, rest: JSON.parse(JSON.stringify(first.outcome.rest)) };
        expect(resolveEvent(readBack, message as never, after(minuteMs)).status).toBe('duplicate');
      }),
    );
  });
});
