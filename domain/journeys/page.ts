/** Where the events of a page stand, when they come from several sources. Nothing is read here. */

export interface Part {
  readonly offset: number;
  readonly limit: number;
}

/** A source's events: how many, and when the first of them happened, in order. */
export interface Counted {
  readonly count: number;
  readonly times: readonly number[];
}

/**
 * Which part of each source stands on the page. Of each source the first `offset + limit` times have to be known. At the same moment
 * an earlier source comes first, and inside a source its own order holds: so every event has one place, and pages neither
 * repeat nor skip one.
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

/** The rows of the parts as one page. The sort is stable, so that the order of the sources decides between equals. */
export function merged<Row extends { readonly at: number }>(parts: readonly (readonly Row[])[]): Row[] {
  return parts.flat().sort((a, b) => a.at - b.at);
}

/** The last of the times that is not after a moment; undefined where there is none. */
export function lastUntil(times: readonly number[], at: number): number | undefined {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] as number) <= at) low = middle + 1;
    else high = middle;
  }
  return times[low - 1];
}
