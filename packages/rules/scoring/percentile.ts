/**
 * Where each value stands among all of them: the share of those below it, and half of its equals (itself among them), in a hundred.
 * So the middle of any sample is 50, and one value alone is 50. Null stays null, and stands nowhere.
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
