/**
 * A drill proves a promise at full size by breaking things on purpose. Each lives in tests/chaos/NAME.drill.ts and exports
 * `drill`; `npm run drill -- NAME [--size small|full]` runs it and ends with one JSON line: name, passed, the counts.
 */
export interface Drill {
  readonly name: string;
  /** One sentence: what would be untrue if this drill failed. */
  readonly promise: string;
  run(context: DrillContext): Promise<DrillResult>;
}

export interface DrillContext {
  readonly size: 'small' | 'full';
  /** Shows how far the drill is: a bar on a terminal, a line every few seconds elsewhere. */
  progress(done: number, total: number, note?: string): void;
}

export interface DrillResult {
  readonly passed: boolean;
  /** What was counted, by name. */
  readonly [count: string]: unknown;
}
