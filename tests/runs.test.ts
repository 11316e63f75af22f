import { expect, test } from 'vitest';
import { benchTable, drillTable, withTable } from './runs.ts';

test('a run of a drill is a row of words: date, size, result, seconds and its figures', () => {
  const run = {
    date: '2026-11-15',
    name: 'loss',
    size: 'full',
    passed: false,
    sent: 597780,
    after: { lost: 2 },
    seconds: 9.5,
  };
  expect(drillTable([run]).split('\n').at(-1)).toBe(
    '| 2026-11-15 | `loss` | full | failed | 9.5 | sent 597,780, after lost 2 |',
  );
});

test('a run of a bench shows its ratio first', () => {
  const run = {
    date: '2026-11-15',
    name: 'events',
    better: 'higher',
    ratio: 0.725,
    per_second: { ours: 215, bare: 296.4 },
  };
  expect(benchTable([run]).split('\n').at(-1)).toBe(
    '| 2026-11-15 | `events` | 0.725 | higher | per second ours 215, per second bare 296.4 |',
  );
});

test('only what stands between the marks is made anew, and a page without them is an error', () => {
  const page = 'before\n<!-- runs -->\nold\n<!-- end of runs -->\nafter';
  expect(withTable(page, '| new |')).toBe('before\n<!-- runs -->\n\n| new |\n\n<!-- end of runs -->\nafter');
  expect(() => withTable('nothing', '')).toThrow('has no "<!-- runs -->"');
});
