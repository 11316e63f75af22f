import { expect, test } from 'vitest';
import { dayText, instant, readJson, wholeText } from './read-answer.ts';

test('removes characters that PostgreSQL cannot store, and keeps amounts as sent', () => {
  const text = '{"name":"A\\u0000na","half":"\\ud800x","amount":0.10,"large":9007199254740993}';
  expect(readJson(text)).toEqual({ name: 'Ana', half: '\ufffdx', amount: '0.10', large: '9007199254740993' });
  expect(readJson('['.repeat(100_000))).toBeUndefined();
});

test('returns an invalid timestamp unchanged, for the ledger to reject', () => {
  expect(instant('2026-03-10T12:00:00-03:00')).toBe('2026-03-10T15:00:00.000Z');
  expect(instant('soon')).toBe('soon');
  expect(instant(new Date(Number.NaN))).toBe('Invalid Date');
});

test('rejects dates and integers that the databases cannot store', () => {
  expect(
    ['2026-03-10', '0000-01-01', '', '2026-02-30', '1999-12-31'].map((day) => dayText.safeParse(day).success),
  ).toEqual([true, false, false, false, false]);
  expect(['1230000', '-5', 12, '1.5', 'x', '9'.repeat(19)].map((one) => wholeText.safeParse(one).success)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});
