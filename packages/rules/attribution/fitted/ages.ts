/** Edges of age bins, in days. The effect of one event on another is assumed constant within a bin. */
const edges = [0, 0.02, 0.1, 0.5, 1, 2, 4, 7, 14, 30, 60, 90] as const;

export const ageBins = edges.length - 1;
export const binWidths: readonly number[] = edges.slice(1).map((edge, bin) => edge - (edges[bin] ?? 0));

/** An age beyond the last edge belongs to the last bin. */
export function binOf(age: number): number {
  let bin = 0;
  while (bin < ageBins - 1 && age >= (edges[bin + 1] ?? 0)) bin += 1;
  return bin;
}

/** For an event at `at`, adds the fraction of each age bin that lies within the observed period. */
export function addObserved(at: number, from: number, until: number, into: Float64Array, offset: number): void {
  for (let bin = 0; bin < ageBins; bin += 1) {
    const begins = Math.max(at + (edges[bin] ?? 0), from);
    const ends = Math.min(at + (edges[bin + 1] ?? 0), until);
    if (ends > begins) into[offset + bin] = (into[offset + bin] ?? 0) + (ends - begins) / (binWidths[bin] ?? 1);
  }
}
