import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Supervisor } from '@tributary/engines';
import { Copy, root } from '../copy.ts';
import { drawMutants, type Mutant } from './draw.ts';
import { type Equivalent, equivalents } from './equivalent.ts';
import { Imports, type TestPlan } from './imports.ts';
import { keepCompiling } from './type-check.ts';

export interface RandomOptions {
  readonly count: number;
  readonly seed: string;
  /** Starts no further mutant after this many minutes. */
  readonly minutes: number;
  /** Stops the tests of one mutant after this many seconds. */
  readonly limitSeconds: number;
  /** Runs only these numbers of the draw. */
  readonly only: readonly number[];
  /** Prints the draw and runs no tests. */
  readonly isListed: boolean;
}

interface Result {
  readonly number: number;
  readonly file: string;
  readonly line: number;
  readonly function: string;
  readonly mutator: string;
  readonly diff: string;
  readonly outcome: 'caught' | 'survived' | 'equivalent' | 'undecided';
  /** The test that failed, or the reason for the outcome. */
  readonly by?: string | undefined;
  readonly tests: number;
  readonly seconds: number;
}

/** Draws this many times more mutants than needed, because the compiler rejects two of three. */
const reserve = 4;

/** Draws random mutants, runs the nearest tests against each, and lists the ones that no test notices. */
export async function runRandom(options: RandomOptions): Promise<void> {
  const { count, seed, minutes } = options;
  const startedAt = Date.now();
  console.error(`Seed ${seed}`);
  const imports = new Imports();
  // Separate copies, because a run of the listed faults may be in progress.
  const copies = [3, 4].map((lane) => new Copy(lane));
  const drawn = [...takeFirst(drawMutants(seed), Math.ceil(count * reserve))];
  const valid = await keepCompiling(drawn, (copies[0] as Copy).path, imports);
  const chosen = valid.slice(0, count).map((mutant, at) => ({ mutant, number: at + 1 }));
  console.error(
    `${drawn.length} drawn, ${drawn.length - valid.length} rejected by the compiler, ${chosen.length} to run`,
  );
  const waiting = chosen.filter(({ number }) => options.only.length === 0 || options.only.includes(number));
  if (options.isListed) {
    for (const { mutant, number } of waiting) console.log(describe({ ...mutant, number }));
    return;
  }
  // Started here, because both lanes would start the engines at once in the same folder.
  await new Supervisor().start();
  const total = waiting.length;
  const results: Result[] = [];
  await Promise.all(
    copies.map(async (copy) => {
      const runner = new Runner(copy, options.limitSeconds, startedAt + minutes * 60_000);
      while (waiting.length > 0 && Date.now() < startedAt + minutes * 60_000) {
        const { mutant, number } = waiting.shift() as (typeof waiting)[number];
        const result = { number, ...(await runner.judge(mutant, imports.planFor(mutant.file))) };
        results.push(result);
        console.error(
          `${results.length}/${total} ${result.seconds} s ${result.outcome}${result.by ? ` by ${result.by}` : ''}: ${describe(result)}`,
        );
        save(seed, results);
      }
      copy.close();
    }),
  );
  report(seed, results, waiting.length);
}

class Runner {
  readonly #copy: Copy;
  readonly #limitMs: number;
  readonly #endsAt: number;
  /** Test files that pass without any mutant. */
  readonly #proven = new Set<string>();
  /** Test files that fail without any mutant and are ignored. */
  readonly #broken = new Set<string>();

  constructor(copy: Copy, limitSeconds: number, endsAt: number) {
    this.#copy = copy;
    this.#limitMs = limitSeconds * 1_000;
    this.#endsAt = endsAt;
  }

  async judge(mutant: Mutant, plan: TestPlan): Promise<Omit<Result, 'number'>> {
    const from = Date.now();
    const { file, line, function: name, mutator, diff } = mutant;
    const about = { file, line, function: name, mutator, diff, tests: plan.flat().length };
    const known = equivalents.find((one) => isEquivalent(one, mutant));
    if (known) return { ...about, outcome: 'equivalent', by: known.reason, seconds: 0 };
    const { outcome, by } = await this.#runTests(
      mutant,
      plan,
      Math.min(from + this.#limitMs, this.#endsAt + this.#limitMs / 4),
    );
    return { ...about, outcome, by, seconds: Math.round((Date.now() - from) / 1_000) };
  }

  async #runTests(mutant: Mutant, plan: TestPlan, endsAt: number): Promise<Pick<Result, 'outcome' | 'by'>> {
    for (const group of plan) {
      let tests = group.filter((one) => !this.#broken.has(one));
      while (tests.length > 0) {
        const beganAt = Date.now();
        const running = tests;
        const failed = await this.#within(endsAt, () => this.#copy.runChanged(mutant.file, mutant.mutated, running));
        if (failed === 'late') return this.#judgeLate(tests, Date.now() - beganAt, endsAt);
        if (failed === undefined) break;
        const test = failed.test.replace(/(\.test\.tsx?).*$/s, '$1');
        if (await this.#isProven(test)) return { outcome: 'caught', by: failed.test };
        console.error(`${test} fails without any mutant and is left out`);
        this.#broken.add(test);
        tests = tests.filter((one) => one !== test);
      }
    }
    return { outcome: 'survived' };
  }

  /** Tests that hang with the mutant have noticed it, unless they are as slow without it. */
  async #judgeLate(tests: readonly string[], tookMs: number, endsAt: number): Promise<Pick<Result, 'outcome' | 'by'>> {
    if (tookMs < this.#limitMs / 2 || endsAt > this.#endsAt) return { outcome: 'undecided', by: 'out of time' };
    const passed = await this.#within(Date.now() + tookMs / 2, () => this.#copy.run(tests));
    return passed === undefined
      ? { outcome: 'caught', by: `${tests.length} test files that hang` }
      : { outcome: 'undecided', by: 'out of time' };
  }

  /** The first failure, or `late` if the tests were stopped by the time limit. */
  async #within(
    endsAt: number,
    run: () => Promise<string | undefined>,
  ): Promise<{ readonly test: string } | 'late' | undefined> {
    const timer = new AbortController();
    const late = wait(Math.max(0, endsAt - Date.now()), 'late' as const, { signal: timer.signal });
    late.catch(() => {});
    const running = run().then(
      (test) => (test === undefined ? undefined : { test }),
      (error: unknown) => ({ test: `the tests ended: ${String(error).slice(0, 300)}` }),
    );
    const first = await Promise.race([running, late]);
    timer.abort();
    if (first !== 'late') return first;
    this.#copy.kill();
    await running;
    return 'late';
  }

  /** A test that fails without any mutant would count every mutant as caught. */
  async #isProven(test: string): Promise<boolean> {
    if (!/\.test\.tsx?$/.test(test) || this.#proven.has(test)) return true;
    const failed = await this.#copy.run([test]);
    if (failed === undefined) this.#proven.add(test);
    return failed === undefined;
  }
}

export function isEquivalent(known: Equivalent, { file, function: name, mutator, diff }: Mutant): boolean {
  const part = (sign: string) =>
    diff
      .split('\n')
      .filter((line) => line.startsWith(sign))
      .map((line) => line.slice(1).trim())
      .join('\n');
  const isHere = known.file === file && known.function === name && known.mutator === mutator;
  return isHere && part('-') === known.from && part('+') === known.to;
}

function describe(one: Pick<Result, 'number' | 'file' | 'line' | 'function' | 'mutator' | 'diff'>): string {
  return `#${one.number} ${one.file}:${one.line} ${one.function}, ${one.mutator}\n${one.diff}`;
}

function* takeFirst<One>(all: Iterable<One>, count: number): Generator<One> {
  let yielded = 0;
  for (const one of all) {
    yield one;
    yielded += 1;
    if (yielded === count) return;
  }
}

function summarize(results: readonly Result[]) {
  const countOf = (outcome: Result['outcome']) => results.filter((one) => one.outcome === outcome).length;
  const [caught, survived] = [countOf('caught'), countOf('survived')];
  const rate = caught + survived === 0 ? null : Math.round((caught / (caught + survived)) * 1_000) / 10;
  return { caught, survived, equivalent: countOf('equivalent'), undecided: countOf('undecided'), rate };
}

function save(seed: string, results: readonly Result[]): string {
  const folder = join(root, '.engines/mutants-random');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${seed}.json`);
  const sorted = results.toSorted((one, other) => one.number - other.number);
  writeFileSync(file, JSON.stringify({ seed, ...summarize(results), results: sorted }, null, 2));
  return file;
}

function report(seed: string, results: readonly Result[], notRun: number): void {
  const file = save(seed, results);
  const listed = results.filter(({ outcome }) => outcome === 'survived' || outcome === 'undecided');
  for (const one of listed.toSorted((a, b) => a.number - b.number))
    console.log(`${one.outcome}${one.by ? ` (${one.by})` : ''} ${describe(one)}\n`);
  console.log(`Results: ${file}`);
  console.log(JSON.stringify({ name: 'mutants-random', seed, ...summarize(results), notRun }));
}
