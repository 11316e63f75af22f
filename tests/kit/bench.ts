/**
 * A bench compares Tributary with the bare engine. Both sides run alternately in one process, so that a slow minute of the machine affects both. Each
 * lives in bench/NAME.bench.ts and exports `bench`.
 */
export interface Bench {
  readonly name: string;
  /** The question that the ratio answers. */
  readonly question: string;
  readonly better: 'higher' | 'lower';
  /** `isSmall` only checks that the bench runs; its figures mean nothing. */
  run(context: { progress(done: number, total: number, note?: string): void; isSmall: boolean }): Promise<BenchResult>;
}

export interface BenchResult {
  /** Our figure divided by the bare engine's. */
  readonly ratio: number;
  readonly [figure: string]: unknown;
}

export interface Sides {
  readonly ours: readonly number[];
  readonly bare: readonly number[];
}

/** Measures both sides alternately; the first round only warms up. */
export async function alternate(
  rounds: number,
  ours: () => Promise<number>,
  bare: () => Promise<number>,
  progress: (done: number, total: number) => void = () => {},
): Promise<Sides> {
  const sides = { ours: [] as number[], bare: [] as number[] };
  for (let round = 0; round <= rounds; round += 1) {
    const pair = { ours: await ours(), bare: await bare() };
    if (round > 0) {
      sides.ours.push(pair.ours);
      sides.bare.push(pair.bare);
    }
    progress(round, rounds);
  }
  return sides;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = Number.NaN, high = Number.NaN] =
    sorted.length % 2 ? [sorted[middle], sorted[middle]] : sorted.slice(middle - 1, middle + 1);
  return (low + high) / 2;
}

/** The 95th percentile. */
export const p95 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? Number.NaN;
