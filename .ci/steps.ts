import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { countPassed, describeFailures, filesToRetry, readReport, withRetries, writeReport } from './test-report.ts';

/** Runs the steps, counts passed and failed checks of each, and ends with the line "N passed, N failed". */
const root = join(import.meta.dirname, '..');
const total = { passed: 0, failed: 0 };

/** Time limit of a parallel step, which takes one or two minutes on a busy machine. */
const parallelTimeoutMs = 360_000;

/** How long to wait for the remaining output of a step that has exited. */
const lastOutputMs = 10_000;

/** Time limit of a step with live output, so that a hanging step fails before the CI job is cancelled. */
const liveTimeoutMs = 45 * 60_000;

/** A busy machine makes one or two parallel steps fail; those are retried alone. If more fail, something is wrong. */
const maxRetriedSteps = 2;

/** CI has 30 minutes, most of which the tests need on a slow machine. After this time no further parallel step starts. */
const lastStartMs = 24 * 60_000;
const startedAt = Date.now();

/** Printed just before the last line, because readers of a long output look at its end. */
const failures: string[] = [];

/** What failed in parallel and passed when retried alone: it counts as passed and is listed. */
const flaky: string[] = [];

interface Count {
  readonly passed: number;
  readonly failed: number;
  /** Descriptions of the failures; the default is the end of the output. */
  readonly details?: readonly string[];
  /** What failed the first time and passed when retried. */
  readonly flaky?: readonly string[];
}

interface Step {
  readonly name: string;
  readonly args: readonly string[];
  readonly count: (code: number, output: string) => Count | Promise<Count>;
  readonly shown: 'meanwhile' | 'afterwards';
}

const testsReport = '.engines/vitest.json';
const storiesReport = '.engines/vitest-stories.json';
const retryReport = '.engines/vitest-again.json';
const stories = 'tests/e2e/stories';

await step({ name: 'check', args: ['tests/check.ts', '--json'], count: lastLineCount, shown: 'meanwhile' });
await step({
  name: 'tests',
  args: vitestArgs(testsReport, '--exclude', `${stories}/**`),
  count: () => testsCount(testsReport),
  shown: 'meanwhile',
});
await step({
  name: 'conformance',
  args: ['tests/conformance/main.ts', '--from', testsReport],
  count: exitCount,
  shown: 'meanwhile',
});
// A process that runs stories keeps its installation until it ends, which would slow other tests down if they ran at the same time.
await step({
  name: 'stories',
  args: vitestArgs(storiesReport, stories, '--maxWorkers=2'),
  count: () => testsCount(storiesReport),
  shown: 'meanwhile',
});
// Each drill has its own engines and mostly waits for them, so two can run in parallel and still give correct results.
const drills = readdirSync(join(root, 'tests/chaos')).flatMap((file) => /^(.+)\.drill\.ts$/.exec(file)?.[1] ?? []);
const pending: Step[] = [
  { name: 'security', args: ['tests/security/main.ts', '--from', testsReport] },
  { name: 'mutants', args: ['tests/mutants/main.ts', '--sample', '--most', '24'] },
  // Uses a new seed each time; survivors are listed and do not fail the step.
  { name: 'random mutants', args: ['tests/mutants/main.ts', '--random', '6', '--minutes', '2', '--limit', '60'] },
  ...rotateHourly(drills).map((name) => ({
    name: `drill ${name}`,
    args: ['tests/chaos/main.ts', name, '--size', 'small'],
  })),
].map((one) => ({ ...one, count: exitCount, shown: 'afterwards' }));
const isTimeLeft = () => Date.now() - startedAt < lastStartMs;
const retried: Step[] = [];
await Promise.all(
  [1, 2].map(async () => {
    for (let one = pending.shift(); one; one = isTimeLeft() ? pending.shift() : undefined) {
      const result = await runStep(one);
      if (result.failed === 0 || retried.length === maxRetriedSteps) addToTotal(one, result);
      else retried.push({ ...one, count: (code) => ({ ...exitCount(code), flaky: [one.name, ...result.details] }) });
    }
  }),
);
for (const one of retried) await step(one);
if (pending.length > 0)
  console.log(`\nNot run, because the time limit was reached: ${pending.map(({ name }) => name).join(', ')}.`);
await step({ name: 'engines stop', args: ['packages/engines/main.ts', 'stop'], count: exitCount, shown: 'meanwhile' });

if (flaky.length > 0) console.log(`\nFailed in parallel, passed alone:\n${flaky.join('\n')}\n`);
if (failures.length > 0) console.log(`\nWhat failed:\n${failures.join('\n')}\n`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);

/** Starts with another drill every hour, so that the time limit does not always cut off the same ones. */
function rotateHourly(names: readonly string[]): string[] {
  const at = Math.floor(Date.now() / 3_600_000) % names.length;
  return [...names.slice(at), ...names.slice(0, at)];
}

async function step(one: Step): Promise<void> {
  addToTotal(one, await runStep(one));
}

interface StepResult extends Count {
  readonly details: readonly string[];
  readonly seconds: number;
}

async function runStep({ name, args, count, shown }: Step): Promise<StepResult> {
  const stepStartedAt = Date.now();
  if (shown === 'meanwhile') console.log(`\n== ${name}`);
  const { code, output } = await run(args, shown);
  if (shown === 'afterwards') console.log(`\n== ${name}\n${output}`);
  const counted = await count(code, output);
  // A non-zero exit code counts as a failure even if no failure was counted.
  const exitedWithError = code !== 0 && counted.failed === 0 && !counted.flaky?.length;
  return {
    details: [output.split('\n').slice(-20).join('\n')],
    ...counted,
    failed: exitedWithError ? 1 : counted.failed,
    seconds: Math.round((Date.now() - stepStartedAt) / 1_000),
  };
}

function addToTotal({ name }: Step, { passed, failed, details, flaky: once = [], seconds }: StepResult): void {
  total.passed += passed;
  total.failed += failed;
  if (failed > 0) failures.push(`== ${name}`, ...details);
  else flaky.push(...once);
  console.log(`== ${name}: ${passed} ok, ${failed} not, ${seconds} s`);
}

function run(args: readonly string[], shown: 'meanwhile' | 'afterwards'): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const isShown = shown === 'meanwhile';
    const child = spawn(process.execPath, args, {
      cwd: root,
      // Drills start the same processes repeatedly: the shared cache lets them strip types and compile only once.
      env: { ...process.env, NODE_COMPILE_CACHE: join(root, '.engines/compile-cache'), FAST_CHECK_SEED: '20261116' },
      stdio: ['ignore', 'pipe', isShown ? 'inherit' : 'pipe'],
      // Kills a hanging step, which then counts as failed with the output so far.
      timeout: isShown ? liveTimeoutMs : parallelTimeoutMs,
      killSignal: 'SIGKILL',
    });
    let output = '';
    const append = (data: Buffer) => {
      output += data;
      if (isShown) process.stdout.write(data);
    };
    child.stdout?.on('data', append);
    child.stderr?.on('data', append);
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
    // Do not wait for 'close': an orphaned child process keeps the output open.
    child.on('exit', (code) => setTimeout(() => resolve({ code: code ?? 1, output }), lastOutputMs).unref());
  });
}

function exitCount(code: number): Count {
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

function lastLineCount(_code: number, output: string): Count {
  return JSON.parse(output.trim().split('\n').at(-1) ?? '{}') as Count;
}

function vitestArgs(file: string, ...more: string[]): string[] {
  return [
    'node_modules/vitest/vitest.mjs',
    'run',
    ...more,
    '--reporter=default',
    '--reporter=json',
    `--outputFile=${file}`,
  ];
}

/** Retries the failed files without parallel files if they are few, to rule out failures caused by load. */
async function testsCount(report: string): Promise<Count> {
  if (!existsSync(join(root, report)))
    return { passed: 0, failed: 1, details: ['The tests were interrupted before they finished.'] };
  const first = readReport(root, report);
  const failed = describeFailures(root, first);
  const again = filesToRetry(first);
  if (again.length === 0) return { passed: countPassed(first), failed: failed.length, details: failed };
  console.log(`\n== retrying alone: ${again.join(', ')}`);
  const { code } = await run(vitestArgs(retryReport, ...again, '--no-file-parallelism'), 'meanwhile');
  const merged = withRetries(first, readReport(root, retryReport));
  const details = describeFailures(root, merged);
  if (code !== 0 && details.length === 0) return { passed: countPassed(first), failed: failed.length, details: failed };
  writeReport(root, report, merged);
  return { passed: countPassed(merged), failed: details.length, details, flaky: failed };
}
