/** A plausible fault in product code, and the tests that should notice it. */
export interface Fault {
  /** A short, unique name: `attribution-decay-slow`. */
  readonly id: string;
  readonly file: string;
  /** Must occur exactly once in the file. */
  readonly from: string;
  readonly to: string;
  /** The effect on a user. */
  readonly breaks: string;
  /** The test files or folders that run first. With `--whole`, the whole suite runs if these miss the fault. */
  readonly tests: readonly string[];
}

/** Builds several faults in one file that the same tests should notice, by id. */
export const faultsIn = (
  file: string,
  tests: readonly string[],
  mistakes: Readonly<Record<string, readonly [from: string, to: string, breaks: string]>>,
): Fault[] => Object.entries(mistakes).map(([id, [from, to, breaks]]) => ({ id, file, from, to, breaks, tests }));
