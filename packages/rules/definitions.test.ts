import { conversionTypeNames } from '@tributary/vocabulary';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkDefinition,
  type Definition,
  definitionFinder,
  eventNameKey,
  initialDefinitions,
  revenueType,
} from './index.ts';

const definition = (changes: Partial<Definition>): Definition => ({
  key: 'demo_held',
  conversionType: 'demo_held',
  eventNames: ['demo held'],
  countsAsCash: false,
  isAttributionEligible: true,
  lookbackWindowDays: 90,
  isDefault: false,
  ...changes,
});

describe('what a new profile starts with', () => {
  test('is the standard types, each under its own name, money only as cash by a payment', () => {
    const rows = initialDefinitions.map((one) => [
      one.key,
      one.conversionType,
      one.eventNames.join(),
      revenueType(one),
    ]);
    expect(rows).toEqual([
      ['lead_created', 'lead_created', 'lead_created', 'pipeline'],
      ['messaging_started', 'messaging_started', 'messaging_started', 'pipeline'],
      ['appointment_booked', 'appointment_booked', 'appointment_booked', 'pipeline'],
      ['quote_sent', 'quote_sent', 'quote_sent', 'pipeline'],
      ['closed_won', 'closed_won', 'closed_won', 'pipeline'],
      ['payment_received', 'payment_received', 'payment_received', 'cash'],
      ['order_placed', 'order_placed', 'order_placed', 'gross'],
    ]);
    expect(initialDefinitions.filter(({ isDefault }) => isDefault).map(({ key }) => key)).toEqual(['payment_received']);
    expect(new Set(initialDefinitions.map(({ lookbackWindowDays }) => lookbackWindowDays))).toEqual(new Set([90]));
    expect(initialDefinitions.every(({ isAttributionEligible }) => isAttributionEligible)).toBe(true);
  });

  test('is itself in order', () => {
    for (const one of initialDefinitions) {
      expect(checkDefinition(one, initialDefinitions)).toEqual({ ok: true, definition: one });
    }
  });
});

describe('the kind of money', () => {
  test.each<[conversionType: string, countsAsCash: boolean, type: string]>([
    ['payment_received', true, 'cash'],
    ['order_placed', false, 'gross'],
    ['order_placed', true, 'cash'],
    ['closed_won', false, 'pipeline'],
    ['payment_received', false, 'pipeline'],
    ['demo_held', false, 'pipeline'],
    ['demo_held', true, 'cash'],
  ])('of %s, as cash: %s, is %s', (conversionType, countsAsCash, type) => {
    expect(revenueType({ conversionType, countsAsCash })).toBe(type);
  });
});

describe('the definition of an event', () => {
  const find = definitionFinder([
    ...initialDefinitions,
    definition({ eventNames: ['Demo held', 'démo'] }),
    definition({
      key: 'pos',
      conversionType: 'payment_received',
      eventNames: ['POS sale', 'caja'],
      countsAsCash: true,
    }),
  ]);

  test.each<[eventName: string, eventType: string, key: string | undefined]>([
    ['payment_received', 'payment_received', 'payment_received'],
    ['caja', 'caja', 'pos'],
    ['pos  SALE ', 'x', 'pos'],
    ['DE\u0301MO', 'x', 'demo_held'],
    ['sucursal centro', 'caja', 'pos'],
    ['caja', 'lead_created', 'pos'],
    ['refund', 'refund', undefined],
    ['constructor', '__proto__', undefined],
    ['', '', undefined],
  ])('%j of type %j is %s', (eventName, eventType, key) => {
    expect(find({ eventName, eventType })?.key).toBe(key);
  });

  test('is never one of two', () => {
    const twice = [definition({}), definition({ key: 'other', eventNames: ['DEMO HELD'] })];
    expect(() => definitionFinder(twice)).toThrow(RangeError);
    expect(
      definitionFinder([definition({ eventNames: ['a', 'A'] })])({ eventName: 'a', eventType: 'a' }),
    ).toBeDefined();
  });
});

describe('a new definition', () => {
  const existing = [...initialDefinitions, definition({ eventNames: ['demo held', 'demo'] })];

  test.each<[title: string, changes: Partial<Definition>]>([
    ['of its own type', { key: 'visit', conversionType: 'visit', eventNames: ['visit'] }],
    ['of a standard type', { key: 'pos', conversionType: 'payment_received', eventNames: ['purchase'] }],
    ['that changes its own version', { eventNames: ['demo held', 'demo done'] }],
    ['with the shortest lookback', { lookbackWindowDays: 1 }],
    ['with the longest lookback', { lookbackWindowDays: 365 }],
  ])('%s is accepted', (_, changes) => {
    const candidate = definition(changes);
    expect(checkDefinition(candidate, existing)).toEqual({ ok: true, definition: candidate });
  });

  test('keeps each name once, as it will be compared', () => {
    const checked = checkDefinition(definition({ eventNames: [' Demo  Held', 'demo held', 'X'] }), existing);
    expect(checked).toMatchObject({ ok: true, definition: { eventNames: ['demo held', 'x'] } });
  });

  test.each<[changes: Partial<Definition>, refusal: object]>([
    [
      { key: 'pos', conversionType: 'pos', eventNames: ['sale', 'Payment_Received'] },
      { reason: 'event_name_taken', field: 'eventNames', eventName: 'payment_received', takenBy: 'payment_received' },
    ],
    [
      { key: 'other', conversionType: 'other', eventNames: ['demo'] },
      { reason: 'event_name_taken', field: 'eventNames', eventName: 'demo', takenBy: 'demo_held' },
    ],
    [{ key: 'Demo' }, { reason: 'malformed_key', field: 'key' }],
    [{ key: '' }, { reason: 'malformed_key', field: 'key' }],
    [{ key: 'x'.repeat(65) }, { reason: 'malformed_key', field: 'key' }],
    [{ conversionType: 'sale' }, { reason: 'unknown_conversion_type', field: 'conversionType' }],
    [{ eventNames: [] }, { reason: 'no_event_name', field: 'eventNames' }],
    [{ eventNames: ['a', ' '] }, { reason: 'no_event_name', field: 'eventNames' }],
    [{ lookbackWindowDays: 0 }, { reason: 'lookback_out_of_range', field: 'lookbackWindowDays' }],
    [{ lookbackWindowDays: 366 }, { reason: 'lookback_out_of_range', field: 'lookbackWindowDays' }],
    [{ lookbackWindowDays: 1.5 }, { reason: 'lookback_out_of_range', field: 'lookbackWindowDays' }],
    [{ lookbackWindowDays: Number.NaN }, { reason: 'lookback_out_of_range', field: 'lookbackWindowDays' }],
  ])('with %j is refused', (changes, refusal) => {
    expect(checkDefinition(definition(changes), existing)).toEqual({ ok: false, ...refusal });
  });

  test('whatever was accepted, one after another, an event means one thing', () => {
    const candidates = fc.record({
      key: fc.constantFrom('a', 'b', 'c', ...conversionTypeNames),
      eventNames: fc.array(fc.constantFrom('x', 'X ', 'y', 'z', 'lead_created', 'order_placed'), { maxLength: 3 }),
    });
    fc.assert(
      fc.property(fc.array(candidates, { maxLength: 10 }), (rows) => {
        let profile = [...initialDefinitions];
        for (const { key, eventNames } of rows) {
          const checked = checkDefinition(definition({ key, conversionType: key, eventNames }), profile);
          if (checked.ok) profile = [...profile.filter((other) => other.key !== key), checked.definition];
        }
        expect(() => definitionFinder(profile)).not.toThrow();
      }),
    );
  });

  test('a name compared is a name kept', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        expect(eventNameKey(eventNameKey(name))).toBe(eventNameKey(name));
      }),
    );
  });
});
