import { readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** What CI reads of vitest's JSON report. */
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

/** A machine that is busy spoils one test or two; when more fail, something is wrong and nothing is tried again. */
const mostFilesAgain = 3;

export function readReport(root: string, file: string): TestReport {
  return JSON.parse(readFileSync(join(root, file), 'utf8')) as TestReport;
}

export function keepReport(root: string, file: string, report: TestReport): void {
  writeFileSync(join(root, file), JSON.stringify(report));
}

export function passedOf({ testResults }: TestReport): number {
  return testResults.flatMap((file) => file.assertionResults).filter(({ status }) => status === 'passed').length;
}

export function filesToTryAgain({ testResults }: TestReport): string[] {
  const failed = testResults.filter(({ status }) => status === 'failed').map(({ name }) => name);
  return failed.length <= mostFilesAgain ? failed : [];
}

/** A file that ran again stands as it did the second time, whole; one that did not come to an end stays as it was. */
export function triedAgain(first: TestReport, second: TestReport): TestReport {
  const again = new Map(second.testResults.map((file) => [file.name, file]));
  return { testResults: first.testResults.map((file) => again.get(file.name) ?? file) };
}

export function failuresOf(root: string, { testResults }: TestReport): string[] {
  return testResults.flatMap((file) => {
    const failed = file.assertionResults.filter((test) => test.status === 'failed');
    const path = relative(root, file.name);
    // A file that could not be read, or whose opening failed, has failed without a test of its own.
    if (failed.length === 0) return file.status === 'failed' ? [`${path}\n${file.message}`] : [];
    return failed.map((test) => `${path} > ${test.fullName}\n${test.failureMessages.join('\n').slice(0, 1_500)}`);
  });
}
