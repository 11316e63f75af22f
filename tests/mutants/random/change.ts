/** One change of the source text. */
export interface Change {
  readonly mutator: string;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}
