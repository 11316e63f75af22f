import { join } from 'node:path';
import { createVitest, type TestCase, type TestModule } from 'vitest/node';

/** A request to run the tests of a file or folder, or of several files, after these files have changed. */
export interface LaneRequest {
  readonly tests: string | readonly string[];
  readonly changed: readonly string[];
}

/** The first test that failed, if any, or the error that prevented the run. */
export interface LaneResponse {
  readonly failed?: string | undefined;
  readonly broken?: string;
}

/** One vitest process for many runs, started in the folder of the copy, because starting vitest takes longer than most runs. */
const at = process.cwd();
let failed: string | undefined;
const vitest = await createVitest({
  watch: false,
  // Two lanes share the machine, and the test files of one worker share their imports.
  maxWorkers: 1,
  reporters: [{ onTestCaseResult: seeTest, onTestModuleEnd: seeModule }],
});
await vitest.standalone();

process.on('message', ({ tests, changed }: LaneRequest) => {
  run(tests, changed).then(
    (failed) => process.send?.({ failed } satisfies LaneResponse),
    (error: unknown) => process.send?.({ broken: String(error) } satisfies LaneResponse),
  );
});
process.on('disconnect', () => process.exit());
process.send?.({});

async function run(tests: LaneRequest['tests'], changed: readonly string[]): Promise<string | undefined> {
  for (const file of changed) vitest.invalidateFile(join(at, file));
  const paths = [tests].flat().filter((path) => path !== '');
  const found = await vitest.globTestSpecifications(paths.map((path) => join(at, path)));
  if (found.length === 0) throw new Error(`There are no tests ${tests}.`);
  failed = undefined;
  const { unhandledErrors } = await vitest.runTestSpecifications(found);
  if (unhandledErrors.length > 0) failed ??= `${tests}: ${String(unhandledErrors[0])}`;
  return failed;
}

/** Cancels the run after the first failed test. */
function seeTest(test: TestCase): void {
  if (test.result().state !== 'failed') return;
  failed ??= `${test.module.relativeModuleId} > ${test.fullName}`;
  void vitest.cancelCurrentRun('test-failure');
}

/** A file that could not be loaded, or whose setup failed, has no failed test but counts as a failure. */
function seeModule(module: TestModule): void {
  const [error] = module.errors();
  if (error) failed ??= `${module.relativeModuleId}: ${error.message.split('\n')[0]}`;
}
