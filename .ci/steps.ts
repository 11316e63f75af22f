import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Runs the steps one after another, counts what passed and failed in each, and ends with the plain line. */
const root = join(import.meta.dirname, '..');
const total = { passed: 0, failed: 0 };

/** A step beside others takes a minute or two on a busy machine. */
const longestBesideMs = 360_000;

/** The whole has 25 minutes, of which a slow machine needs most for the tests: after so many no further drill is begun. */
const lastStartMs = 19 * 60_000;
const startedAt = Date.now();

/** Said again just before the last line, where whoever reads only the end of a long output looks. */
const failures: string[] = [];

interface Count {
  readonly passed: number;
  readonly failed: number;
  /** What to say of the failures; without it, the end of the output. */
  readonly said?: readonly string[];
}

await step('check', ['tests/check.ts', '--json'], lastLineCount);
await step(
  'tests',
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--reporter=default',
    '--reporter=json',
    '--outputFile=.engines/vitest.json',
  ],
  vitestCount,
);
await step('conformance', ['tests/conformance/main.ts', '--from', '.engines/vitest.json'], exitCount);
// Each drill has engines of its own and waits for them much of the time: two steps at once are as honest as one, and sooner done.
const drills = readdirSync(join(root, 'tests/chaos')).flatMap((file) => /^(.+)\.drill\.ts$/.exec(file)?.[1] ?? []);
const rest = [
  { name: 'mutants', args: ['tests/mutants/main.ts', '--sample'] },
  ...startingAnywhere(drills).map((name) => ({
    name: `drill ${name}`,
    args: ['tests/chaos/main.ts', name, '--size', 'small'],
  })),
];
const isTimeLeft = () => Date.now() - startedAt < lastStartMs;
await Promise.all(
  [1, 2].map(async () => {
    for (let one = rest.shift(); one; one = isTimeLeft() ? rest.shift() : undefined)
      await step(one.name, one.args, exitCount, 'afterwards');
  }),
);
if (rest.length > 0) console.log(`\nNot run for want of time: ${rest.map(({ name }) => name).join(', ')}.`);
await step('engines stop', ['packages/engines/main.ts', 'stop'], exitCount);

if (failures.length > 0) console.log(`\nWhat failed:\n${failures.join('\n')}\n`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exit(total.failed === 0 ? 0 : 1);

/** Every hour another drill is the first, so that those for which time is short are not always the same. */
function startingAnywhere(names: readonly string[]): string[] {
  const at = Math.floor(Date.now() / 3_600_000) % names.length;
  return [...names.slice(at), ...names.slice(0, at)];
}

async function step(
  name: string,
  args: readonly string[],
  count: (code: number, output: string) => Count,
  shown: 'meanwhile' | 'afterwards' = 'meanwhile',
): Promise<void> {
  const beganAt = Date.now();
  if (shown === 'meanwhile') console.log(`\n== ${name}`);
  const { code, output } = await run(args, shown);
  if (shown === 'afterwards') console.log(`\n== ${name}\n${output}`);
  const counted = count(code, output);
  // A step that died without a word has failed, whatever it had counted.
  const failed = code !== 0 && counted.failed === 0 ? 1 : counted.failed;
  total.passed += counted.passed;
  total.failed += failed;
  if (failed > 0) failures.push(`== ${name}`, ...(counted.said ?? [output.split('\n').slice(-20).join('\n')]));
  console.log(`== ${name}: ${counted.passed} ok, ${failed} not, ${Math.round((Date.now() - beganAt) / 1_000)} s`);
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
      ...(!isShown && { timeout: longestBesideMs, killSignal: 'SIGKILL' }),
    });
    let output = '';
    const take = (data: Buffer) => {
      output += data;
      if (isShown) process.stdout.write(data);
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}

function exitCount(code: number): Count {
  return code === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

function lastLineCount(_code: number, output: string): Count {
  return JSON.parse(output.trim().split('\n').at(-1) ?? '{}') as Count;
}

interface VitestReport {
  readonly numPassedTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

function vitestCount(): Count {
  const report = JSON.parse(readFileSync(join(root, '.engines/vitest.json'), 'utf8')) as VitestReport;
  const said = report.testResults.flatMap((file) => {
    const failed = file.assertionResults.filter((test) => test.status === 'failed');
    const path = relative(root, file.name);
    // A file that could not be read, or whose opening failed, has failed without a test of its own.
    if (failed.length === 0) return file.status === 'failed' ? [`${path}\n${file.message}`] : [];
    return failed.map((test) => `${path} > ${test.fullName}\n${test.failureMessages.join('\n').slice(0, 1_500)}`);
  });
  return { passed: report.numPassedTests, failed: said.length, said };
}
