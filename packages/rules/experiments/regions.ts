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
  const sides = sidesOf(sums, pairs, heldOut);
  const lots = lotsFrom(seed);
  const drawn = Array.from({ length: count }, () => sides(() => lots.next().value));
  const actual = sides((one) => heldOut.has(one));
  /** Of the lots, how many say as much or more once the effect is undone. */
  const above = (undone: number): number => {
    // What sums of the same numbers in another order may differ by.
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

/** What the regions of one side bought. What was bought without the ads stands apart: only there an effect is undone. */
interface OneSide {
  before: number;
  withAds: number;
  withoutAds: number;
}

interface Sides {
  readonly out: OneSide;
  readonly in: OneSide;
}

/** By how many times those with the ads grew more than those without, once an effect is undone. */
function timesWithAds({ out, in: shown }: Sides, undone: number): number {
  const grown = ({ before, withAds, withoutAds }: OneSide) => (withAds + withoutAds * (1 + undone)) / before;
  return grown(shown) / grown(out);
}

/** Adds up both sides of a lot, which says of the first of each pair whether it is out: once, so that any effect can be undone in it without looking at the regions again. */
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

/** Draws whose readouts are taken for the power, and lots that each is read with. */
const draws = 5;
const lotsOfDraw = 400;
/** From half the width of a 90% interval to what is noticed in four of five cases. */
const noticed = 2.49 / 1.645;

/** The smallest effect that such a test would notice in four of five cases: by how wide its readout was on days on which nothing was switched off. */
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
