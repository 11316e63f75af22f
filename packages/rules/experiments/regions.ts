/** What was bought in a region before the test and from its start on. */
export interface RegionSums {
  readonly region: string;
  readonly before: number;
  readonly during: number;
}

/** Regions of like size, by twos. One of each pair is held out, by lot. */
export type Pairs = readonly (readonly [string, string])[];

/** By what was bought before, the largest first; of an odd number the smallest stays out. */
export function pairUp(regions: readonly Pick<RegionSums, 'region' | 'before'>[]): Pairs {
  const order = regions.toSorted((a, b) => b.before - a.before || (a.region < b.region ? -1 : 1));
  return Array.from({ length: Math.floor(order.length / 2) }, (_, pair): [string, string] => [
    order[2 * pair]?.region ?? '',
    order[2 * pair + 1]?.region ?? '',
  ]);
}

/** Lots that follow from a seed: the same test is read the same way whenever it is read. */
export function* lotsFrom(seed: number): Generator<boolean, never> {
  let state = seed | 0;
  for (;;) {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    yield ((mixed ^ (mixed >>> 14)) & 1) === 1;
  }
}

export function drawHeldOut(pairs: Pairs, lots: Iterator<boolean>): ReadonlySet<string> {
  return new Set(pairs.map(([one, other]) => (lots.next().value ? one : other)));
}

export interface RegionReadout {
  /** What regions with the ads bought more, as a part of what the others did. */
  readonly lift: number;
  readonly low: number;
  readonly high: number;
  /** How often lots alone would say so much or more, in either direction. */
  readonly chance: number;
}

const lotCount = 2_000;
const eitherSide = 0.05;
/** Effects that are looked for: from a half less to three times as much. */
const smallest = -0.5;
const largest = 2;

/**
 * How much more was bought where the ads ran. The error is found by drawing the lots again: an effect is believable while, once it is undone,
 * the lots that were drawn are not among the five in a hundred most extreme on either side. That is right whatever regions do by
 * themselves; the error of the textbook is not, because a region's own ups and downs do not shrink with the number of orders.
 */
export function readRegions(
  sums: readonly RegionSums[],
  pairs: Pairs,
  heldOut: ReadonlySet<string>,
  seed: number,
  count = lotCount,
): RegionReadout {
  const of = new Map(sums.map((one) => [one.region, one]));
  const rows = pairs.flat().map((region) => ({
    before: of.get(region)?.before ?? 0,
    during: of.get(region)?.during ?? 0,
    isHeldOut: heldOut.has(region),
  }));
  const lots = lotsFrom(seed);
  // Row 2k and row 2k + 1 are a pair.
  const drawn = Array.from({ length: count }, () => pairs.map(() => lots.next().value));
  const actual = pairs.map((_, pair) => rows[2 * pair]?.isHeldOut ?? false);
  const statistic = (isFirst: readonly boolean[], undone: number): number => {
    let [outBefore, outDuring, inBefore, inDuring] = [0, 0, 0, 0];
    for (let pair = 0; pair < isFirst.length; pair += 1) {
      for (const side of [0, 1]) {
        const row = rows[2 * pair + side] as (typeof rows)[number];
        const during = row.isHeldOut ? row.during * (1 + undone) : row.during;
        if ((side === 0) === isFirst[pair]) {
          outBefore += row.before;
          outDuring += during;
        } else {
          inBefore += row.before;
          inDuring += during;
        }
      }
    }
    return Math.log((inDuring / inBefore) * (outBefore / outDuring));
  };
  /** Of the lots, how many say as much or more once the effect is undone. */
  const above = (undone: number): number => {
    const found = statistic(actual, undone);
    return drawn.filter((lot) => statistic(lot, undone) >= found - 1e-12).length / count;
  };
  const solve = (target: number): number => {
    let [low, high] = [smallest, largest];
    for (let round = 0; round < 20; round += 1) {
      const middle = (low + high) / 2;
      if (above(middle) < target) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  };
  const asExtreme = above(0);
  return {
    lift: Math.exp(statistic(actual, 0)) - 1,
    low: solve(eitherSide),
    high: solve(1 - eitherSide),
    chance: Math.min(1, 2 * Math.min(asExtreme, 1 - asExtreme + 1 / count)),
  };
}
