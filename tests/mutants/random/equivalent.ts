/** A random mutation without an effect that a user, an operator or another process could notice, with the reason. */
export interface Equivalent {
  readonly file: string;
  readonly function: string;
  readonly mutator: string;
  /** The changed lines as the tool prints them, without the signs and the indentation. */
  readonly from: string;
  readonly to: string;
  readonly reason: string;
}

export const equivalents: readonly Equivalent[] = [];
