import { expect, test } from 'vitest';
import { comparedRange, lastDays, lengthOf, presets, readRange, today, withEnd } from './date-range.ts';

const usual = { from: '2026-05-17', to: '2026-06-15' };

test('lastDays ends today', () => {
  expect(lastDays(30, '2026-06-15')).toEqual(usual);
  expect(lengthOf(usual)).toBe(30);
  expect(today(new Date(2026, 5, 15, 0, 5))).toBe('2026-06-15');
});

test.each<[string, Record<string, unknown>]>([
  ['nothing', {}],
  ['half of it', { from: '2026-01-01' }],
  ['no day', { from: '2026-02-30', to: '2026-03-01' }],
  ['the wrong way round', { from: '2026-03-02', to: '2026-03-01' }],
  ['too long', { from: '2025-01-01', to: '2026-01-02' }],
  ['not even text', { from: 20260101, to: ['2026-03-01'] }],
])('an address with %s means the usual days', (_name, search) => {
  expect(readRange(search, '2026-06-15')).toEqual(usual);
});

test('a range in the URL is used, up to 366 days', () => {
  const year = { from: '2024-01-01', to: '2024-12-31' };
  expect(lengthOf(year)).toBe(366);
  expect(readRange({ ...year, model: 'linear' }, '2026-06-15')).toEqual(year);
});

test('moving one end moves the other when the range would be invalid', () => {
  expect(withEnd(usual, 'from', '2026-06-01')).toEqual({ from: '2026-06-01', to: '2026-06-15' });
  expect(withEnd(usual, 'from', '2026-07-01')).toEqual({ from: '2026-07-01', to: '2026-07-01' });
  expect(withEnd(usual, 'to', '2026-01-31')).toEqual({ from: '2026-01-31', to: '2026-01-31' });
  expect(withEnd(usual, 'from', '2020-01-01')).toEqual({ from: '2020-01-01', to: '2020-12-31' });
  expect(withEnd(usual, 'to', '')).toEqual(usual);
});

test('named ranges, in the middle of a quarter and on 1 January', () => {
  const on = (day: string) => Object.fromEntries(presets.map(({ title, range }) => [title, range(day)]));
  expect(on('2026-05-15')).toEqual({
    Today: { from: '2026-05-15', to: '2026-05-15' },
    Yesterday: { from: '2026-05-14', to: '2026-05-14' },
    'Last 7 days': { from: '2026-05-09', to: '2026-05-15' },
    'Last 30 days': { from: '2026-04-16', to: '2026-05-15' },
    'Last 90 days': { from: '2026-02-15', to: '2026-05-15' },
    'This month': { from: '2026-05-01', to: '2026-05-15' },
    'Last month': { from: '2026-04-01', to: '2026-04-30' },
    'This quarter': { from: '2026-04-01', to: '2026-05-15' },
    'This year': { from: '2026-01-01', to: '2026-05-15' },
  });
  expect(on('2026-01-01')).toMatchObject({
    'Last month': { from: '2025-12-01', to: '2025-12-31' },
    'This quarter': { from: '2026-01-01', to: '2026-01-01' },
  });
});

test.each([
  ['the period before', { from: '2026-03-01', to: '2026-03-31' }, 'period', { from: '2026-01-29', to: '2026-02-28' }],
  ['the year before', { from: '2026-03-01', to: '2026-03-31' }, 'year', { from: '2025-03-01', to: '2025-03-31' }],
  [
    '29 February is compared with 28 February of the previous year',
    { from: '2024-02-29', to: '2024-02-29' },
    'year',
    { from: '2023-02-28', to: '2023-02-28' },
  ],
] as const)('%s has as many days', (_name, range, compared, expected) => {
  const before = comparedRange(range, compared);
  expect(before).toEqual(expected);
  expect(before && lengthOf(before)).toBe(lengthOf(range));
});

test('no range is compared when comparison is off', () => {
  expect(comparedRange(usual, 'none')).toBeUndefined();
});
