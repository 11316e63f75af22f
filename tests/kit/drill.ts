/**
 * A drill proves a promise at full size by breaking things on purpose. Each lives in tests/chaos/NAME.drill.ts and exports
 * `drill`; `npm run drill -- NAME [--size small|full]` runs it and ends with one JSON line: name, passed, the counts.
 */
export interface Drill {
  readonly name: string;
  /** One sentence: what would be untrue if this drill failed. */
  readonly promise: string;
  /** Where the ledger is two servers, it makes profiles on both. */
  readonly usesLedgers?: true;
  run(context: DrillContext): Promise<DrillResult>;
}

export interface DrillContext {
  readonly size: 'small' | 'full';
  /** Shows how far the drill is: a bar on a terminal, a line every few seconds elsewhere. */
  progress(done: number, total: number, note?: string): void;
  /** How many of each process of ours it starts, where it starts any. */
  readonly processes: Processes;
}

export interface Processes {
  readonly api: number;
  readonly collector: number;
  readonly worker: number;
  /** And over how many streams the visits between them are spread. */
  readonly stream: number;
}

export const oneOfEach: Processes = { api: 1, collector: 1, worker: 1, stream: 1 };
export const severalOfEach: Processes = { api: 2, collector: 2, worker: 3, stream: 2 };

export interface DrillResult {
  readonly passed: boolean;
  /** What was counted, by name. */
  readonly [count: string]: unknown;
}
