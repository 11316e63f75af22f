/**
 * The percentile of each value: the share of lower values plus half of the equal ones (including itself), times 100.
 * So the middle of any sample is 50, and a single value is 50. Null stays null and is not ranked.
 */
export function percentiles(values: readonly (number | null)[]): (number | null)[] {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  const ranks = new Map<number, number>();
  for (let from = 0; from < sorted.length; ) {
    const value = sorted[from] as number;
    let to = from;
    while (to < sorted.length && sorted[to] === value) to += 1;
    ranks.set(value, (100 * (from + to)) / 2 / sorted.length);
    from = to;
  }
  return values.map((value) => (value === null ? null : (ranks.get(value) ?? null)));
}
