/** Computes which events of several sources belong to a page. Reads nothing itself. */

export interface Part {
  readonly offset: number;
  readonly limit: number;
}

/** The number of a source's events and the times of the first of them, sorted. */
export interface Counted {
  readonly count: number;
  readonly times: readonly number[];
}

/**
 * Computes which part of each source belongs to the page. Needs the first `offset + limit` times of each source. At equal times an earlier
 * source comes first and each source keeps its order, so every event has one position and pages neither repeat nor skip one.
 */
export function partsOf(sources: readonly Counted[], { offset, limit }: Part): Part[] {
  const next = sources.map(() => 0);
  const advance = (steps: number) => {
    for (let step = 0; step < steps; step += 1) {
      let earliest = -1;
      let at = Number.POSITIVE_INFINITY;
      for (const [index, { times }] of sources.entries()) {
        const time = times[next[index] as number];
        if (time !== undefined && time < at) {
          at = time;
          earliest = index;
        }
      }
      if (earliest === -1) return;
      next[earliest] = (next[earliest] as number) + 1;
    }
  };
  advance(offset);
  const starts = [...next];
  advance(limit);
  return starts.map((start, index) => ({ offset: start, limit: (next[index] as number) - start }));
}

/** Merges the rows of the parts into one page. The sort is stable, so the order of the sources decides between equal times. */
export function merged<Row extends { readonly at: number }>(parts: readonly (readonly Row[])[]): Row[] {
  return parts.flat().sort((a, b) => a.at - b.at);
}

/** The last of the sorted times that is not after `at`; undefined if there is none. */
export function lastUntil(times: readonly number[], at: number): number | undefined {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] as number) <= at) low = middle + 1;
    else high = middle;
  }
  return times[low - 1];
}
