import { expect, test } from 'vitest';
import { failuresOf, filesToTryAgain, passedOf, type TestReport, triedAgain } from '../.ci/test-report.ts';

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

test('a file that failed stands as it did when it ran alone; others as they did', () => {
  const first = { testResults: [file('a', 'passed', 'failed'), file('b', 'failed'), file('c', 'passed')] };
  expect(filesToTryAgain(first)).toEqual(['/project/a', '/project/b']);
  const merged = triedAgain(first, { testResults: [file('b', 'passed'), file('a', 'failed', 'passed')] });
  expect(passedOf(merged)).toBe(3);
  expect(failuresOf('/project', merged)).toEqual(['a > test 0\nwhy']);
});

test('when many files fail, none is tried again; a file that did not run a second time stays failed', () => {
  const many = { testResults: ['a', 'b', 'c', 'd'].map((name) => file(name, 'failed')) };
  expect(filesToTryAgain(many)).toEqual([]);
  const one = { testResults: [file('a', 'failed')] };
  expect(failuresOf('/project', triedAgain(one, { testResults: [] }))).toHaveLength(1);
});
