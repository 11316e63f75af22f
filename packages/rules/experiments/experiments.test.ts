import { describe, expect, test } from 'vitest';
import {
  advise,
  calibrate,
  causedBy,
  chanceOfSizes,
  combine,
  differenceOf,
  drawHeldOut,
  guessTactic,
  isOfUse,
  lotsFrom,
  normalBelow,
  pairUp,
  priorOf,
  readRegions,
  shareOut,
  timesOf,
} from '../index.ts';

/** Regions whose fluctuations do not shrink with their size. */
const world = (seed: number) => {
  const lots = lotsFrom(seed);
  const shock = () =>
    Array.from({ length: 12 }, () => Number(lots.next().value)).reduce((sum, one) => sum + one, 0) / 12 - 0.5;
  return Array.from({ length: 20 }, (_, region) => ({
    region: String(region),
    before: 1_000 + 100 * region,
    during: Math.round((500 + 50 * region) * (1 + 0.3 * shock())),
  }));
};

describe('a test by regions', () => {
  test('pairs regions of similar size and holds out one of each, reproducibly by seed', () => {
    const pairs = pairUp(world(1));
    expect(pairs).toHaveLength(10);
    expect(pairs[0]).toEqual(['19', '18']);
    const heldOut = drawHeldOut(pairs, lotsFrom(7));
    expect(drawHeldOut(pairs, lotsFrom(7))).toEqual(heldOut);
    expect(pairs.every((pair) => pair.filter((region) => heldOut.has(region)).length === 1)).toBe(true);
  });

  test('has a false positive rate of about one in ten', () => {
    let alarms = 0;
    for (let seed = 0; seed < 150; seed += 1) {
      const sums = world(seed);
      const pairs = pairUp(sums);
      const { low, high } = readRegions(sums, pairs, drawHeldOut(pairs, lotsFrom(1_000 + seed)), seed, 200);
      if (low > 0 || high < 0) alarms += 1;
    }
    expect(alarms / 150).toBeGreaterThan(0.04);
    expect(alarms / 150).toBeLessThan(0.17);
  });

  test('detects a real effect, and its interval contains it', () => {
    let held = 0;
    for (let seed = 0; seed < 60; seed += 1) {
      const sums = world(seed);
      const pairs = pairUp(sums);
      const heldOut = drawHeldOut(pairs, lotsFrom(1_000 + seed));
      const moved = sums.map((one) => (heldOut.has(one.region) ? one : { ...one, during: one.during * 1.3 }));
      const { lift, low, high } = readRegions(moved, pairs, heldOut, seed, 200);
      expect(lift).toBeGreaterThan(0.15);
      if (low <= 0.3 && 0.3 <= high) held += 1;
    }
    expect(held).toBeGreaterThanOrEqual(48);
  });
});

describe('adjusting estimates by tests', () => {
  test('compares groups per person and detects wrong group sizes', () => {
    const shown = { people: 1_000, sum: 120, squares: 130 };
    const { value, error } = differenceOf(shown, { people: 1_000, sum: 100, squares: 110 });
    expect(value).toBeCloseTo(0.02, 9);
    expect(error).toBeCloseTo(Math.sqrt((0.13 - 0.0144) / 999 + (0.11 - 0.01) / 999), 9);
    expect(chanceOfSizes(5_000, 10_000, 0.5)).toBeCloseTo(1, 5);
    expect(chanceOfSizes(4_800, 10_000, 0.5)).toBeLessThan(0.001);
    expect([normalBelow(0), normalBelow(1.645)].map((part) => Math.round(part * 1e4) / 1e4)).toEqual([0.5, 0.95]);
  });

  test('a test changes its campaign and, less, campaigns of its kind; a test wider than the prior changes nothing', () => {
    const known = { credit: 100, spend: 50, factor: 1, kind: 'search' };
    const prior = priorOf(known);
    const test = { value: 20, error: 10 };
    expect(combine(prior, test).value).toBeLessThan(prior.value);
    const all = [known, known, { ...known, kind: 'push' }];
    const [tested, kin, stranger] = calibrate(all, [{ campaigns: [0], found: test }]);
    expect(tested?.value).toBeCloseTo(combine(prior, test).value, 9);
    expect(kin?.value).toBeLessThan(prior.value);
    expect(kin?.value).toBeGreaterThan(tested?.value ?? 0);
    expect(stranger).toEqual(prior);
    const wide = { value: 0, error: prior.error * 1.1 };
    expect(isOfUse(wide, prior)).toBe(false);
    expect(calibrate([known, known], [{ campaigns: [0], found: wide }])).toEqual([prior, prior]);
    // A test of two campaigns measures their sum: the more uncertain one is changed more, and their kinds do not
    // change.
    const pair = [known, { ...known, spend: 200, kind: 'push' }, known];
    const before = pair.map(priorOf);
    const after = calibrate(pair, [{ campaigns: [0, 1], found: { value: 100, error: 1 } }]);
    expect((after[0]?.value ?? 0) + (after[1]?.value ?? 0)).toBeCloseTo(100, 0);
    const moved = after.map(({ value }, place) => (before[place]?.value ?? 0) - value);
    expect(moved[1]).toBeGreaterThan(2 * (moved[0] ?? 0));
    expect(moved[2]).toBe(0);
  });

  test('shareOut leaves the uncaused part organic and takes additional credit from there, at most all of it', () => {
    const caused = (...values: number[]) => values.map((value) => ({ value, error: 1 }));
    expect(shareOut([100, 100], caused(40, 100), 50)).toEqual([
      { keep: 0.4, extra: 0 },
      { keep: 1, extra: 0 },
    ]);
    expect(shareOut([100, 100], caused(110, -5), 50)).toEqual([
      { keep: 1, extra: 0.2 },
      { keep: 0, extra: 0 },
    ]);
    expect(shareOut([100, 0], caused(200, 100), 50).map(({ extra }) => extra)).toEqual([0.5, 0.5]);
    expect([timesOf({ keep: 1, extra: 0.2 }, 20, 10), timesOf({ keep: 1, extra: 0.2 }, 0, 10)]).toEqual([1.1, 1]);
    expect(causedBy({ lift: 0.05, low: 0, high: 0.25 }, 105)).toEqual({ value: 5, error: 21 / 3.29 });
  });

  test.each([
    ['Brand | AR', 'paid_search', 'brand'],
    ['campaña de marca', 'shopping', 'brand'],
    ['Non-brand generic', 'paid_search', 'search'],
    ['sin marca', 'paid_search', 'search'],
    ['Brandenburg', 'paid_search', 'search'],
    ['Brand film', 'paid_social', 'push'],
    ['Remarketing 30d', 'display', 'retargeting'],
    ['Cupón de mayo', 'paid_social', 'coupon'],
    ['Partners', 'affiliate', 'coupon'],
    ['Newsletter', 'email', 'owned'],
    ['', 'paid_video', 'push'],
  ])('guesses the tactic of a campaign called %s with visits by %s: %s', (name, channel, tactic) => {
    expect(guessTactic({ name, channel })).toBe(tactic);
  });

  test('recommends a change only with sufficient probability', () => {
    expect(advise({ value: 200, error: 50 }, 100, 1, 0.8).action).toBe('raise');
    expect(advise({ value: 30, error: 50 }, 100, 1, 0.8).action).toBe('lower');
    expect(advise({ value: 110, error: 50 }, 100, 1, 0.8).action).toBe('leave');
    // Break-even at a margin of a half.
    expect(advise({ value: 150, error: 20 }, 100, 2, 0.8).action).toBe('lower');
  });
});
