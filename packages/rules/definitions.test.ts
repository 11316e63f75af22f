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

describe('the definitions of a new profile', () => {
  test('are the standard types, each under its own name, with only payments as cash', () => {
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

  test('are valid', () => {
    for (const one of initialDefinitions) {
      expect(checkDefinition(one, initialDefinitions)).toEqual({ ok: true, definition: one });
    }
  });
});

describe('the revenue type', () => {
  test.each<[conversionType: string, countsAsCash: boolean, type: string]>([
    ['payment_received', true, 'cash'],
    ['order_placed', false, 'gross'],
    ['order_placed', true, 'cash'],
    ['closed_won', false, 'pipeline'],
    ['payment_received', false, 'pipeline'],
    ['demo_held', false, 'pipeline'],
    ['demo_held', true, 'cash'],
  ])('of %s with countsAsCash=%s is %s', (conversionType, countsAsCash, type) => {
    expect(revenueType({ conversionType, countsAsCash })).toBe(type);
  });
});

describe('definitionFinder', () => {
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
  ])('maps %j of type %j to %s', (eventName, eventType, key) => {
    expect(find({ eventName, eventType })?.key).toBe(key);
  });

  test('throws when two definitions list the same event', () => {
    const twice = [definition({}), definition({ key: 'other', eventNames: ['DEMO HELD'] })];
    expect(() => definitionFinder(twice)).toThrow(RangeError);
    expect(
      definitionFinder([definition({ eventNames: ['a', 'A'] })])({ eventName: 'a', eventType: 'a' }),
    ).toBeDefined();
  });
});

describe('checkDefinition', () => {
  const existing = [...initialDefinitions, definition({ eventNames: ['demo held', 'demo'] })];

  test.each<[title: string, changes: Partial<Definition>]>([
    ['of its own type', { key: 'visit', conversionType: 'visit', eventNames: ['visit'] }],
    ['of a standard type', { key: 'pos', conversionType: 'payment_received', eventNames: ['purchase'] }],
    ['that changes its own version', { eventNames: ['demo held', 'demo done'] }],
    ['with the shortest lookback', { lookbackWindowDays: 1 }],
    ['with the longest lookback', { lookbackWindowDays: 365 }],
  ])('accepts a definition %s', (_, changes) => {
    const candidate = definition(changes);
    expect(checkDefinition(candidate, existing)).toEqual({ ok: true, definition: candidate });
  });

  test('deduplicates and normalises event names', () => {
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
  ])('rejects a definition with %j', (changes, refusal) => {
    expect(checkDefinition(definition(changes), existing)).toEqual({ ok: false, ...refusal });
  });

  test('after any sequence of accepted definitions an event has one meaning', () => {
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

  test('eventNameKey is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        expect(eventNameKey(eventNameKey(name))).toBe(eventNameKey(name));
      }),
    );
  });
});
