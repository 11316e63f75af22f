import { join } from 'node:path';
import { createVitest, type TestCase, type TestModule } from 'vitest/node';

/** What a lane is asked: to run the tests of a file or folder, or of several files, after these files have changed. */
export interface Asked {
  readonly tests: string | readonly string[];
  readonly changed: readonly string[];
}

/** The first test that failed, if one did; or why none could be run. */
export interface Answered {
  readonly failed?: string | undefined;
  readonly broken?: string;
}

/** One vitest for many runs, in a process of its own whose folder is the copy: beginning anew would cost more than most runs do. */
const at = process.cwd();
let failed: string | undefined;
const vitest = await createVitest({
  watch: false,
  // Two lanes share the machine, and the files of one worker share what they import.
  maxWorkers: 1,
  reporters: [{ onTestCaseResult: seeTest, onTestModuleEnd: seeModule }],
});
await vitest.standalone();

process.on('message', ({ tests, changed }: Asked) => {
  run(tests, changed).then(
    (failed) => process.send?.({ failed } satisfies Answered),
    (error: unknown) => process.send?.({ broken: String(error) } satisfies Answered),
  );
});
process.on('disconnect', () => process.exit());
process.send?.({});

async function run(tests: Asked['tests'], changed: readonly string[]): Promise<string | undefined> {
  for (const file of changed) vitest.invalidateFile(join(at, file));
  const paths = [tests].flat().filter((path) => path !== '');
  const found = await vitest.globTestSpecifications(paths.map((path) => join(at, path)));
  if (found.length === 0) throw new Error(`There are no tests ${tests}.`);
  failed = undefined;
  const { unhandledErrors } = await vitest.runTestSpecifications(found);
  if (unhandledErrors.length > 0) failed ??= `${tests}: ${String(unhandledErrors[0])}`;
  return failed;
}

/** One that has noticed is enough. */
function seeTest(test: TestCase): void {
  if (test.result().state !== 'failed') return;
  failed ??= `${test.module.relativeModuleId} > ${test.fullName}`;
  void vitest.cancelCurrentRun('test-failure');
}

/** A file that could not be read, or whose opening failed, has failed without a test of its own. */
function seeModule(module: TestModule): void {
  const [error] = module.errors();
  if (error) failed ??= `${module.relativeModuleId}: ${error.message.split('\n')[0]}`;
}
