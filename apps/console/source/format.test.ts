import { expect, test } from 'vitest';
import { count, day, duration, exactMoney, moment, money, nothing, ratio, signed, words } from './format.ts';

/** Intl separates a code and its amount with a non-breaking space. */
const plain = (text: string) => text.replaceAll('\u00a0', ' ');

test.each<[number | string | null, string, string]>([
  [1234.5, 'USD', '$1,234.50'],
  [19990, 'CLP', 'CLP 19,990'],
  ['1.5', 'KWD', 'KWD 1.500'],
  ['9007199254740993.01', 'USD', '$9,007,199,254,740,993.01'],
  [-2, 'EUR', '-€2.00'],
  [0, 'USD', '$0.00'],
  [null, 'USD', nothing],
])('%j in %s is %s', (value, currency, text) => {
  expect(plain(money(value, currency))).toBe(text);
});

test('exactMoney keeps up to four additional decimals', () => {
  expect(exactMoney('1.23456789', 'USD')).toBe('$1.234568');
  expect(exactMoney('1.2345', 'USD')).toBe('$1.234500');
  expect(exactMoney('1.500', 'USD')).toBe('$1.50');
  expect(plain(exactMoney('10.25', 'CLP'))).toBe('CLP 10.2500');
});

test('formats counts, ratios and differences', () => {
  expect([count(12345), count(2.5), count(null)]).toEqual(['12,345', '2.5', nothing]);
  expect([ratio(3), ratio('0.126'), ratio(null)]).toEqual(['3.00', '0.13', nothing]);
  expect([signed(3), signed(-3), signed(0)]).toEqual(['+3', '-3', '0']);
});

test("a date is the same in every time zone, and a timestamp is shown on the profile's clock", () => {
  expect(day('2026-03-01')).toBe('Mar 1');
  expect(moment('2026-03-01T02:30:00.000Z', 'America/Santiago').replaceAll('\u202f', ' ')).toBe(
    'Feb 28, 2026, 11:30 PM',
  );
});

test('API names become words', () => {
  expect(['payment_received', 'direct', 'ai_assistant'].map(words)).toEqual([
    'Payment received',
    'Direct',
    'AI assistant',
  ]);
});

test.each([
  [0, '0 seconds'],
  [59, '59 seconds'],
  [60, '1 minute'],
  [7_300, '2 hours'],
  [1_641_600, '19 days'],
])('%d seconds are formatted as %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});
