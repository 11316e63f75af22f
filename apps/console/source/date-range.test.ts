import { expect, test } from 'vitest';
import { lastDays, lengthOf, readRange, today, withEnd } from './date-range.ts';

const usual = { from: '2026-05-17', to: '2026-06-15' };

test('the last days end today', () => {
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

test('an address with a range means it, up to 366 days', () => {
  const year = { from: '2024-01-01', to: '2024-12-31' };
  expect(lengthOf(year)).toBe(366);
  expect(readRange({ ...year, model: 'linear' }, '2026-06-15')).toEqual(year);
});

test('the other end comes along where it must', () => {
  expect(withEnd(usual, 'from', '2026-06-01')).toEqual({ from: '2026-06-01', to: '2026-06-15' });
  expect(withEnd(usual, 'from', '2026-07-01')).toEqual({ from: '2026-07-01', to: '2026-07-01' });
  expect(withEnd(usual, 'to', '2026-01-31')).toEqual({ from: '2026-01-31', to: '2026-01-31' });
  expect(withEnd(usual, 'from', '2020-01-01')).toEqual({ from: '2020-01-01', to: '2020-12-31' });
  expect(withEnd(usual, 'to', '')).toEqual(usual);
});
