import { expect, test } from 'vitest';
import { countPassed, describeFailures, filesToRetry, type TestReport, withRetries } from '../.ci/test-report.ts';

const file = (name: string, ...statuses: string[]): TestReport['testResults'][number] => ({
  name: `/project/${name}`,
  status: statuses.includes('failed') ? 'failed' : 'passed',
  message: '',
  assertionResults: statuses.map((status, at) => ({
    fullName: `test ${at}`,
    status,
    failureMessages: status === 'failed' ? ['why'] : [],
  })),
});

test('the result of a retried file replaces its first result; other files keep theirs', () => {
  const first = { testResults: [file('a', 'passed', 'failed'), file('b', 'failed'), file('c', 'passed')] };
  expect(filesToRetry(first)).toEqual(['/project/a', '/project/b']);
  const merged = withRetries(first, { testResults: [file('b', 'passed'), file('a', 'failed', 'passed')] });
  expect(countPassed(merged)).toBe(3);
  expect(describeFailures('/project', merged)).toEqual(['a > test 0\nwhy']);
});

test('retries no file when many fail; a file whose retry did not run stays failed', () => {
  const many = { testResults: ['a', 'b', 'c', 'd'].map((name) => file(name, 'failed')) };
  expect(filesToRetry(many)).toEqual([]);
  const one = { testResults: [file('a', 'failed')] };
  expect(describeFailures('/project', withRetries(one, { testResults: [] }))).toHaveLength(1);
});
