import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The part of vitest's JSON report that CI reads. */
export interface TestReport {
  readonly testResults: readonly TestFile[];
}

interface TestFile {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly {
    readonly fullName: string;
    readonly status: string;
    readonly failureMessages: readonly string[];
  }[];
}

/** A busy machine makes one or two files fail. If more fail, something is wrong and none is retried. */
const maxRetriedFiles = 3;

export function readReport(root: string, file: string): TestReport {
  return JSON.parse(readFileSync(join(root, file), 'utf8')) as TestReport;
}

export function writeReport(root: string, file: string, report: TestReport): void {
  writeFileSync(join(root, file), JSON.stringify(report));
}

export function countPassed({ testResults }: TestReport): number {
  return testResults.flatMap((file) => file.assertionResults).filter(({ status }) => status === 'passed').length;
}

export function filesToRetry({ testResults }: TestReport): string[] {
  const failed = testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
  return failed.length <= maxRetriedFiles ? failed : [];
}

/** Replaces the results of retried files as a whole; a file whose retry did not finish keeps its first result. */
export function withRetries(first: TestReport, second: TestReport): TestReport {
  const again = new Map(second.testResults.map((file) => [file.name, file]));
  return { testResults: first.testResults.map((file) => again.get(file.name) ?? file) };
}

export function describeFailures(root: string, { testResults }: TestReport): string[] {
  return testResults.flatMap((file) => {
    const failed = file.assertionResults.filter((test) => test.status === 'failed');
    const path = relative(root, file.name);
    // A file that could not be loaded, or whose setup failed, has no failed test but counts as one failure.
    if (failed.length === 0) return file.status === 'failed' ? [`${path}\n${file.message}`] : [];
    return failed.map((test) => `${path} > ${test.fullName}\n${test.failureMessages.join('\n').slice(0, 1_500)}`);
  });
}
