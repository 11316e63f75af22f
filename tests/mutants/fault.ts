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
