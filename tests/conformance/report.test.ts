import { expect, test } from 'vitest';
import { readRules, tally } from './report.ts';

const rules = readRules(
  'id\tstate\tnote\nabc-001\twaits\tGET /a\nabc-002\twaits\tGET /b\nabc-003\treserved\tno such route\nabc-004\twaits\tGET /d\n',
);
const report = (...tests: [string, string][]) => ({
  testResults: [{ assertionResults: tests.map(([fullName, status]) => ({ fullName, status })) }],
});

test('a rule is proven by its passing tests only', () => {
  const run = report(
    ['[abc-001] works', 'passed'],
    ['[abc-002] works', 'passed'],
    ['[abc-002] always', 'failed'],
    ['[abc-003] x', 'passed'],
  );
  const [result] = tally(rules, run, ['abc']);
  expect(result?.proven.map(({ id }) => id)).toEqual(['abc-001']);
  expect(result?.waiting.map(({ id }) => id)).toEqual(['abc-002', 'abc-004']);
  expect(result?.reserved.map(({ id }) => id)).toEqual(['abc-003']);
});

test('a test that names a rule which does not exist is an error', () => {
  expect(() => tally(rules, report(['[abc-999] works', 'passed']), ['abc'])).toThrow(/abc-999/);
});
