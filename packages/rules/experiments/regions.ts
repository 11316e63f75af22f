/** Purchases in a region before the test and since its start. */
export interface RegionSums {
  readonly region: string;
  readonly before: number;
  readonly during: number;
}

/** Pairs of regions of similar size. One of each pair is held out, at random. */
export type Pairs = readonly (readonly [string, string])[];

/** Pairs regions by earlier purchases, largest first; with an odd number the smallest is left out. */
export function pairUp(regions: readonly Pick<RegionSums, 'region' | 'before'>[]): Pairs {
  const order = regions.toSorted((a, b) => b.before - a.before || (a.region < b.region ? -1 : 1));
  return Array.from({ length: Math.floor(order.length / 2) }, (_, pair): [string, string] => [
    order[2 * pair]?.region ?? '',
    order[2 * pair + 1]?.region ?? '',
  ]);
}

/** Pseudo-random booleans from a seed, so that a test always gives the same readout. */
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
  /** The relative increase of purchases in regions with ads over the others. */
  readonly lift: number;
  readonly low: number;
  readonly high: number;
  /** The two-sided p-value of a randomisation test. */
  readonly chance: number;
}

const lotCount = 2_000;
const eitherSide = 0.05;
/** The range of effects searched: from half less to three times as much. */
const smallest = -0.5;
const largest = 2;

/**
 * Estimates the lift of regions with ads by a randomisation test. An effect is in the interval if, after it is
 * undone, the actual assignment is not among the 5% most extreme ones on either side. This is valid regardless of
 * regional fluctuations. A textbook error is not, because a region's own variation does not shrink with the number of
 * orders.
 */
export function readRegions(
  sums: readonly RegionSums[],
  pairs: Pairs,
  heldOut: ReadonlySet<string>,
  seed: number,
  count = lotCount,
): RegionReadout {
  const sides = sidesOf(sums, pairs, heldOut);
  const lots = lotsFrom(seed);
  const drawn = Array.from({ length: count }, () => sides(() => lots.next().value));
  const actual = sides((one) => heldOut.has(one));
  /** The fraction of assignments with at least the actual result, after the effect is undone. */
  const above = (undone: number): number => {
    // A tolerance for sums of the same numbers in another order.
    const found = timesWithAds(actual, undone) * (1 - 1e-12);
    return drawn.reduce((sum, lot) => sum + Number(timesWithAds(lot, undone) >= found), 0) / count;
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
    lift: timesWithAds(actual, 0) - 1,
    low: solve(eitherSide),
    high: solve(1 - eitherSide),
    chance: Math.min(1, 2 * Math.min(asExtreme, 1 - asExtreme + 1 / count)),
  };
}

/**
 * Purchases of the regions of one side. Purchases without ads are kept apart, because an effect is undone only there.
 */
interface OneSide {
  before: number;
  withAds: number;
  withoutAds: number;
}

interface Sides {
  readonly out: OneSide;
  readonly in: OneSide;
}

/** The ratio of the growth of regions with ads to that of the others, after an effect is undone. */
function timesWithAds({ out, in: shown }: Sides, undone: number): number {
  const grown = ({ before, withAds, withoutAds }: OneSide) => (withAds + withoutAds * (1 + undone)) / before;
  return grown(shown) / grown(out);
}

/**
 * Prepares the sums of both sides for an assignment, so that effects can be undone without reading the regions again.
 */
function sidesOf(sums: readonly RegionSums[], pairs: Pairs, heldOut: ReadonlySet<string>) {
  const of = new Map(sums.map((one) => [one.region, one]));
  const rows = pairs.flat().map((region) => {
    const { before = 0, during = 0 } = of.get(region) ?? {};
    return { before, during, isWithout: heldOut.has(region) };
  });
  return (isOut: (first: string) => boolean): Sides => {
    const sides: Sides = { out: { ...nothing }, in: { ...nothing } };
    for (const [pair, [first]] of pairs.entries()) {
      const isFirstOut = isOut(first);
      for (const which of [0, 1]) {
        const { before, during, isWithout } = rows[2 * pair + which] as (typeof rows)[number];
        const side = (which === 0) === isFirstOut ? sides.out : sides.in;
        side.before += before;
        if (isWithout) side.withoutAds += during;
        else side.withAds += during;
      }
    }
    return sides;
  };
}

const nothing: Readonly<OneSide> = { before: 0, withAds: 0, withoutAds: 0 };

/** The number of placebo readouts for the power, and of assignments for each. */
const draws = 5;
const lotsOfDraw = 400;
/** From the half width of a 90% interval to the effect detected in four of five cases. */
const noticed = 2.49 / 1.645;

/**
 * The smallest effect that the test would detect in four of five cases, by the width of readouts for days without a
 * test.
 */
export function smallestNoticed(
  sums: readonly RegionSums[],
  pairs: Pairs,
  lots: Iterator<boolean>,
  seed: number,
): number {
  const widths = Array.from({ length: draws }, (_, draw) => {
    const { low, high } = readRegions(sums, pairs, drawHeldOut(pairs, lots), seed + draw, lotsOfDraw);
    return (high - low) / 2;
  });
  return (noticed * widths.reduce((sum, width) => sum + width, 0)) / draws;
}
