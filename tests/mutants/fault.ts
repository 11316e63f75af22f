/** A plausible mistake in product code, and the tests that should notice it. */
export interface Fault {
  /** Short and its own: `attribution-decay-slow`. */
  readonly id: string;
  readonly file: string;
  /** Occurs once in the file. */
  readonly from: string;
  readonly to: string;
  /** What would be wrong for a user. */
  readonly breaks: string;
  /** Where it is looked for first; whatever these miss is looked for by the whole suite when `--whole` is given. */
  readonly tests: readonly string[];
}

/** Several mistakes in one file that the same tests should notice: by id, what stands there, what would, what that breaks. */
export const faultsIn = (
  file: string,
  tests: readonly string[],
  mistakes: Readonly<Record<string, readonly [from: string, to: string, breaks: string]>>,
): Fault[] => Object.entries(mistakes).map(([id, [from, to, breaks]]) => ({ id, file, from, to, breaks, tests }));
