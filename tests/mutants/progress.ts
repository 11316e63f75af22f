import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Copy, root } from './copy.ts';
import type { Fault } from './fault.ts';

interface Verdict {
  /** The test that noticed the fault. */
  readonly by?: string | undefined;
  readonly seconds: number;
}

/** The verdicts so far, one line per fault, so that an interrupted run can be resumed. */
export class Progress {
  readonly #file = join(root, '.engines/mutants.jsonl');
  readonly #verdicts = new Map<string, Verdict>();
  readonly #copy: Copy;
  /** A hash of all product code: tests are proven again when any of it changes. */
  readonly #product: string;

  constructor(copy: Copy, isResumed: boolean) {
    this.#copy = copy;
    this.#product = copy.fingerprint([], (file) => !/\.test\.tsx?$|\.md$|^tests\/mutants\/|^docs\//.test(file));
    if (!isResumed) rmSync(this.#file, { force: true });
    const lines = existsSync(this.#file) ? readFileSync(this.#file, 'utf8').trim().split('\n') : [];
    for (const line of lines.filter((text) => text !== '')) {
      const { key, ...verdict } = JSON.parse(line) as Verdict & { key: string };
      this.#verdicts.set(key, verdict);
    }
  }

  of(fault: Fault): Verdict | undefined {
    return this.#verdicts.get(this.#keyOf(fault));
  }

  add(fault: Fault, verdict: Verdict): void {
    this.#write(this.#keyOf(fault), verdict, fault.id);
  }

  isProven(test: string): boolean {
    return this.#verdicts.has(this.#keyOfTest(test));
  }

  addProven(test: string): void {
    this.#write(this.#keyOfTest(test), { seconds: 0 }, test);
  }

  #write(key: string, verdict: Verdict, name: string): void {
    this.#verdicts.set(key, verdict);
    appendFileSync(this.#file, `${JSON.stringify({ name, key, ...verdict })}\n`);
  }

  #keyOf(fault: Fault): string {
    const { file, from, to, tests } = fault;
    const hash = createHash('sha256').update(JSON.stringify([file, from, to, tests]));
    return hash
      .update(this.#copy.fingerprint([file, ...tests]))
      .digest('hex')
      .slice(0, 16);
  }

  #keyOfTest = (test: string): string => `${this.#product} ${this.#copy.fingerprint([test])} ${test}`;
}
