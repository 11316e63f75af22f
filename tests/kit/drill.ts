/**
 * A drill proves a promise at full size by breaking things on purpose. Each lives in tests/chaos/NAME.drill.ts and exports `drill`. `npm run drill --
 * NAME [--size small|full]` runs it and prints one JSON line at the end: name, passed, the counts.
 */
export interface Drill {
  readonly name: string;
  /** One sentence that would be untrue if this drill failed. */
  readonly promise: string;
  /** The drill creates profiles on both servers when the ledger is split. */
  readonly usesLedgers?: true;
  run(context: DrillContext): Promise<DrillResult>;
}

export interface DrillContext {
  readonly size: 'small' | 'full';
  /** Shows progress: a bar on a terminal, a line every few seconds elsewhere. */
  progress(done: number, total: number, note?: string): void;
  /** How many processes of each kind the drill starts, if it starts any. */
  readonly processes: Processes;
}

export interface Processes {
  readonly api: number;
  readonly collector: number;
  readonly worker: number;
  /** The number of streams over which visits are partitioned. */
  readonly stream: number;
}

export const oneOfEach: Processes = { api: 1, collector: 1, worker: 1, stream: 1 };
export const severalOfEach: Processes = { api: 2, collector: 2, worker: 3, stream: 2 };

export interface DrillResult {
  readonly passed: boolean;
  readonly [count: string]: unknown;
}
