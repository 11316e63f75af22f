import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { failuresOf, filesToTryAgain, keepReport, passedOf, readReport, triedAgain } from './test-report.ts';

/** Runs the steps one after another, counts what passed and failed in each, and ends with the plain line. */
const root = join(import.meta.dirname, '..');
const total = { passed: 0, failed: 0 };

/** A step beside others takes a minute or two on a busy machine. */
const longestBesideMs = 360_000;

/** How long the output of a step that has ended is waited for. */
const lastOutputMs = 10_000;

/** What hangs in a step that prints as it goes fails after so long: the whole run must end well before the machine is taken away. */
const longestShownMs = 45 * 60_000;

/** A busy machine spoils one or two; when more fail, something is wrong. */
const mostAlone = 2;

/** The whole has 30 minutes, of which a slow machine needs most for the tests: after so many no further drill is begun. */
const lastStartMs = 24 * 60_000;
const startedAt = Date.now();

/** Said again just before the last line, where whoever reads only the end of a long output looks. */
const failures: string[] = [];

/** What failed beside others and passed by itself: it counts as passed, and is said with the failures. */
const unsteady: string[] = [];

interface Count {
  readonly passed: number;
  readonly failed: number;
  /** What to say of the failures; without it, the end of the output. */
  readonly said?: readonly string[];
  /** What failed the first time and passed the second. */
  readonly unsteady?: readonly string[];
}

interface Step {
  readonly name: string;
  readonly args: readonly string[];
  readonly count: (code: number, output: string) => Count | Promise<Count>;
  readonly shown: 'meanwhile' | 'afterwards';
}

const wholeReport = '.engines/vitest.json';
const storiesReport = '.engines/vitest-stories.json';
const secondReport = '.engines/vitest-again.json';
const stories = 'tests/e2e/stories';

await step({ name: 'check', args: ['tests/check.ts', '--json'], count: lastLineCount, shown: 'meanwhile' });
await step({
  name: 'tests',
  args: vitestInto(wholeReport, '--exclude', `${stories}/**`),
  count: () => testsCount(wholeReport),
  shown: 'meanwhile',
});
await step({
  name: 'conformance',
  args: ['tests/conformance/main.ts', '--from', wholeReport],
  count: exitCount,
  shown: 'meanwhile',
});
// A process that runs stories keeps its installation until it ends. Beside other tests, installations would slow these down for no reason.
await step({
  name: 'stories',
  args: vitestInto(storiesReport, stories, '--maxWorkers=2'),
  count: () => testsCount(storiesReport),
  shown: 'meanwhile',
});
// Each drill has engines of its own and waits for them much of the time: two steps at once are as honest as one, and sooner done.
const drills = readdirSync(join(root, 'tests/chaos')).flatMap((file) => /^(.+)\.drill\.ts$/.exec(file)?.[1] ?? []);
const rest: Step[] = [
  { name: 'security', args: ['tests/security/main.ts', '--from', wholeReport] },
  { name: 'mutants', args: ['tests/mutants/main.ts', '--sample', '--most', '24'] },
  // Another seed each time; survivors are listed and fail nothing.
  { name: 'random mutants', args: ['tests/mutants/main.ts', '--random', '6', '--minutes', '2', '--limit', '60'] },
  ...startingAnywhere(drills).map((name) => ({
    name: `drill ${name}`,
    args: ['tests/chaos/main.ts', name, '--size', 'small'],
  })),
].map((one) => ({ ...one, count: exitCount, shown: 'afterwards' }));
const isTimeLeft = () => Date.now() - startedAt < lastStartMs;
const alone: Step[] = [];
await Promise.all(
  [1, 2].map(async () => {
    for (let one = rest.shift(); one; one = isTimeLeft() ? rest.shift() : undefined) {
      const taken = await take(one);
      if (taken.failed === 0 || alone.length === mostAlone) book(one, taken);
      else alone.push({ ...one, count: (code) => ({ ...exitCount(code), unsteady: [one.name, ...taken.said] }) });
    }
  }),
);
for (const one of alone) await step(one);
if (rest.length > 0) console.log(`\nNot run for want of time: ${rest.map(({ name }) => name).join(', ')}.`);
await step({ name: 'engines stop', args: ['packages/engines/main.ts', 'stop'], count: exitCount, shown: 'meanwhile' });

if (unsteady.length > 0) console.log(`\nFailed beside others, passed alone:\n${unsteady.join('\n')}\n`);
if (failures.length > 0) console.log(`\nWhat failed:\n${failures.join('\n')}\n`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);

/** Every hour another drill is the first, so that those for which time is short are not always the same. */
function startingAnywhere(names: readonly string[]): string[] {
  const at = Math.floor(Date.now() / 3_600_000) % names.length;
  return [...names.slice(at), ...names.slice(0, at)];
}

async function step(one: Step): Promise<void> {
  book(one, await take(one));
}

interface Taken extends Count {
  readonly said: readonly string[];
  readonly seconds: number;
}

async function take({ name, args, count, shown }: Step): Promise<Taken> {
  const beganAt = Date.now();
  if (shown === 'meanwhile') console.log(`\n== ${name}`);
  const { code, output } = await run(args, shown);
  if (shown === 'afterwards') console.log(`\n== ${name}\n${output}`);
  const counted = await count(code, output);
  // A step that died without a word has failed, whatever it had counted.
  const hasDied = code !== 0 && counted.failed === 0 && !counted.unsteady?.length;
  return {
    said: [output.split('\n').slice(-20).join('\n')],
    ...counted,
    failed: hasDied ? 1 : counted.failed,
    seconds: Math.round((Date.now() - beganAt) / 1_000),
  };
}

function book({ name }: Step, { passed, failed, said, unsteady: once = [], seconds }: Taken): void {
  total.passed += passed;
  total.failed += failed;
  if (failed > 0) failures.push(`== ${name}`, ...said);
  else unsteady.push(...once);
  console.log(`== ${name}: ${passed} ok, ${failed} not, ${seconds} s`);
}

function run(args: readonly string[], shown: 'meanwhile' | 'afterwards'): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const isShown = shown === 'meanwhile';
    const child = spawn(process.execPath, args, {
      cwd: root,
      // Drills start the same processes again and again: types are taken off and code is compiled once for all of them.
      env: { ...process.env, NODE_COMPILE_CACHE: join(root, '.engines/compile-cache'), FAST_CHECK_SEED: '20261116' },
      stdio: ['ignore', 'pipe', isShown ? 'inherit' : 'pipe'],
      // One that hangs fails, with its last words, and holds nobody up.
      timeout: isShown ? longestShownMs : longestBesideMs,
      killSignal: 'SIGKILL',
    });
    let output = '';
    const take = (data: Buffer) => {
      output += data;
      if (isShown) process.stdout.write(data);
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
    // A process that it started and left behind keeps its output open.
    child.on('exit', (code) => setTimeout(() => resolve({ code: code ?? 1, output }), lastOutputMs).unref());
  });
}

function exitCount(code: number): Count {
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

function lastLineCount(_code: number, output: string): Count {
  return JSON.parse(output.trim().split('\n').at(-1) ?? '{}') as Count;
}

function vitestInto(file: string, ...more: string[]): string[] {
  return [
    'node_modules/vitest/vitest.mjs',
    'run',
    ...more,
    '--reporter=default',
    '--reporter=json',
    `--outputFile=${file}`,
  ];
}

/** Few files that failed are run once more with nothing beside them, so that a full machine is told from a fault. */
async function testsCount(report: string): Promise<Count> {
  if (!existsSync(join(root, report)))
    return { passed: 0, failed: 1, said: ['The tests were interrupted before they finished.'] };
  const first = readReport(root, report);
  const failed = failuresOf(root, first);
  const again = filesToTryAgain(first);
  if (again.length === 0) return { passed: passedOf(first), failed: failed.length, said: failed };
  console.log(`\n== tests that failed, alone: ${again.join(', ')}`);
  const { code } = await run(vitestInto(secondReport, ...again, '--no-file-parallelism'), 'meanwhile');
  const merged = triedAgain(first, readReport(root, secondReport));
  const said = failuresOf(root, merged);
  if (code !== 0 && said.length === 0) return { passed: passedOf(first), failed: failed.length, said: failed };
  keepReport(root, report, merged);
  return { passed: passedOf(merged), failed: said.length, said, unsteady: failed };
}
