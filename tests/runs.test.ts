import { expect, test } from 'vitest';
import { benchTable, drillTable, withTable } from './runs.ts';

test('drillTable shows date, drill, size, result, seconds and figures of a run', () => {
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

test('benchTable shows the ratio of a run before its figures', () => {
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

test('withTable replaces only the text between its marks and throws for a page without them', () => {
  const page = 'before\n<!-- runs -->\nold\n<!-- end of runs -->\nafter';
  expect(withTable(page, '| new |')).toBe('before\n<!-- runs -->\n\n| new |\n\n<!-- end of runs -->\nafter');
  expect(() => withTable('nothing', '')).toThrow('has no "<!-- runs -->"');
});
