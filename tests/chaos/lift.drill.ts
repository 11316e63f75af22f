import { type DemandMarket, demandCampaigns, type Lived, live, openDemandMarket } from '@tributary/market';
import {
  differenceOf,
  drawHeldOut,
  intervalWidth,
  lotsFrom,
  normalBelow,
  type Pairs,
  pairUp,
  type RegionSums,
  readRegions,
  smallestNoticed,
} from '@tributary/rules';
import type { Drill } from '@tributary/testkit';
import type { TacticName } from '@tributary/vocabulary';

const sizes = {
  small: { worlds: 2, people: 4_000, lots: 200, testsOfWorld: 10, largeWorlds: 2, largePeople: 20_000, planted: 40 },
  full: {
    worlds: 20,
    people: 25_000,
    lots: 10_000,
    testsOfWorld: 25,
    largeWorlds: 10,
    largePeople: 500_000,
    planted: 200,
  },
};

/** Days: start of the power estimate, start of the period before the test, start and end of the test, end of the world. */
const [pastFrom, from, testFrom, testUntil, days] = [30, 65, 135, 163, 170];
/** Tactics that a test switches off together. A single campaign would have too small an effect in most worlds. */
const pushAndSearch: readonly TacticName[] = ['push', 'search'];
const groups: readonly (readonly TacticName[])[] = [
  ['push'],
  ['search'],
  pushAndSearch,
  ['brand', 'coupon'],
  [...pushAndSearch, 'retargeting'],
];
const plantedEffect = 0.05;
/** Planted effects, relative to the smallest effect that the plan promises to detect. */
const effects = [0.5, 1, 1.5];

/** Compares the results of lift tests with simulated worlds in which the true effect is known. */
export const drill: Drill = {
  name: 'lift',
  promise:
    'Lift tests have the stated rate of false alarms, their intervals contain the true effect at the stated rate, and they detect the effects that they promise to detect.',
  async run({ size, progress }) {
    const { worlds, people, lots, testsOfWorld, largeWorlds, largePeople, planted } = sizes[size];
    const all = worlds + largeWorlds;
    const results = { alarms: 0, readings: 0, byRegions: new Tally(), byPeople: new Tally() };
    const power = effects.map(() => new Power());
    const promised = new Tally();
    const unpromised = new Tally();
    for (let seed = 1; seed <= worlds; seed += 1) {
      const market = openDemandMarket({ seed, people, days });
      const buyers = new Buyers(people);
      const simulation = live(market, {}, { witness: buyers });
      const world = regionsOf(market, simulation, from);
      results.alarms += countAlarms(world, lots, seed);
      results.readings += lots;
      for (const [groupIndex, tactics] of groups.entries()) {
        const isOff = (campaign: number, _ad: number, _person: number, day: number) =>
          day >= testFrom && day < testUntil && tactics.some((tactic) => tactic === demandCampaigns[campaign]?.tactic);
        const without = new Buyers(people);
        const off = regionsOf(market, live(market, { isOff }, { witness: without }), from);
        for (let test = 0; test < testsOfWorld / groups.length; test += 1) {
          const lot = seed * 1_000 + groupIndex * 100 + test;
          results.byRegions.add(containsLiftByRegions(world, off, lot));
          results.byPeople.add(containsLiftByPeople(buyers, without, lot));
        }
      }
      progress(seed, all, 'worlds simulated with and without ads');
    }
    for (let seed = 1; seed <= largeWorlds; seed += 1) {
      const market = openDemandMarket({ seed: 500 + seed, people: largePeople, days, places: 200 });
      const simulation = live(market);
      const world = regionsOf(market, simulation, from);
      const smallest = smallestNoticed(regionsOf(market, simulation, pastFrom).sums, world.pairs, lotsFrom(seed), seed);
      for (const [effectIndex, times] of effects.entries()) {
        const effect = times * smallest;
        power[effectIndex]?.add(predictedPower(effect, smallest), detectionRate(world, effect, planted, seed));
      }
      const tally = smallest <= plantedEffect ? promised : unpromised;
      tally.addAll(planted * detectionRate(world, plantedEffect, planted, 10_000 + seed), planted);
      progress(worlds + seed, all, 'worlds with a planted effect');
    }
    const falseAlarms = results.alarms / results.readings;
    const points = power.map((one) => one.points());
    const isWithin = (value: number, low: number, high: number) => value >= low && value <= high;
    // The small size has few draws and tests, so its bounds are wide and detect only large errors.
    const [alarmsFrom, alarmsTo, heldFrom, heldTo, apart] =
      size === 'full' ? [0.09, 0.11, 0.88, 0.94, 10] : [0.03, 0.2, 0.6, 1, 40];
    const passed =
      isWithin(falseAlarms, alarmsFrom, alarmsTo) &&
      isWithin(results.byRegions.share(), heldFrom, heldTo) &&
      isWithin(results.byPeople.share(), heldFrom, heldTo) &&
      points.every(({ predicted, achieved }) => Math.abs(predicted - achieved) <= apart) &&
      (size === 'small' || (promised.all > 0 && promised.share() >= 0.8));
    const round = (value: number) => Math.round(value * 1_000) / 1_000;
    return {
      passed,
      worlds: all,
      readings_without_effect: results.readings,
      false_alarms: round(falseAlarms),
      tests_by_regions: results.byRegions.all,
      held_by_regions: round(results.byRegions.share()),
      tests_by_people: results.byPeople.all,
      held_by_people: round(results.byPeople.share()),
      power_in_percent: points.map(({ predicted, achieved }) => [predicted, achieved]),
      five_percent_promised: promised.all,
      found_where_promised: round(promised.share()),
      five_percent_not_promised: unpromised.all,
      found_where_not_promised: round(unpromised.share()),
    };
  },
};

class Tally {
  yes = 0;
  all = 0;

  add(isYes: boolean): void {
    this.addAll(Number(isYes), 1);
  }

  addAll(yes: number, all: number): void {
    this.yes += yes;
    this.all += all;
  }

  share(): number {
    return this.all === 0 ? 0 : this.yes / this.all;
  }
}

/** Predicted and achieved detection rates, averaged over worlds. */
class Power {
  readonly #predicted: number[] = [];
  readonly #achieved: number[] = [];

  add(predicted: number, achieved: number): void {
    this.#predicted.push(predicted);
    this.#achieved.push(achieved);
  }

  points(): { predicted: number; achieved: number } {
    const mean = (values: readonly number[]) =>
      Math.round((1_000 * values.reduce((sum, value) => sum + value, 0)) / values.length) / 10;
    return { predicted: mean(this.#predicted), achieved: mean(this.#achieved) };
  }
}

/** Number of purchases of each person from the start of the test. */
class Buyers {
  readonly bought: Float64Array;

  constructor(people: number) {
    this.bought = new Float64Array(people);
  }

  buy(person: number, at: number): void {
    if (at >= testFrom) this.bought[person] = (this.bought[person] ?? 0) + 1;
  }
}

interface World {
  readonly sums: readonly RegionSums[];
  readonly pairs: Pairs;
}

/** Sums the orders of each region before and during a test. The test has 28 days and 7 days of cool-down; the period before it is twice as long. */
function regionsOf({ places }: DemandMarket, { ordersOfDay }: Lived, beginning: number): World {
  const start = beginning + (testFrom - from);
  const sum = (region: number, first: number, end: number) =>
    ordersOfDay.subarray(region * days + first, region * days + end).reduce((all, orders) => all + orders, 0);
  const sums = Array.from({ length: places }, (_, region) => ({
    region: String(region),
    before: sum(region, beginning, start),
    during: sum(region, start, start + days - testFrom),
  }));
  return { sums, pairs: pairUp(sums) };
}

const isFound = ({ low, high }: { readonly low: number; readonly high: number }) => low > 0 || high < 0;

/** Counts significant results in a world where nothing was switched off. */
function countAlarms({ sums, pairs }: World, lots: number, seed: number): number {
  const drawn = lotsFrom(seed);
  let alarms = 0;
  for (let lot = 0; lot < lots; lot += 1)
    alarms += Number(isFound(readRegions(sums, pairs, drawHeldOut(pairs, drawn), 100_000 * seed + lot)));
  return alarms;
}

/** Whether the interval of a region test contains the true lift. Regions are independent, so held-out ones get the orders of the world without ads. */
function containsLiftByRegions(on: World, off: World, seed: number): boolean {
  const heldOut = drawHeldOut(on.pairs, lotsFrom(seed));
  const sums = on.sums.map((one, index) => (heldOut.has(one.region) ? (off.sums[index] as RegionSums) : one));
  const tested = new Set(on.pairs.flat());
  const bought = ({ sums: all }: World) =>
    all.reduce((sum, { region, during }) => sum + (tested.has(region) ? during : 0), 0);
  const lift = bought(on) / bought(off) - 1;
  const { low, high } = readRegions(sums, on.pairs, heldOut, seed);
  return low <= lift && lift <= high;
}

/** Whether the interval of a test by people contains the true effect. People are independent, like regions. */
function containsLiftByPeople({ bought: on }: Buyers, { bought: off }: Buyers, seed: number): boolean {
  const lots = lotsFrom(seed);
  const groupSums = [0, 1].map(() => ({ people: 0, sum: 0, squares: 0 }));
  let caused = 0;
  for (let person = 0; person < on.length; person += 1) {
    const isHeldOut = lots.next().value;
    const orders = (isHeldOut ? off : on)[person] ?? 0;
    caused += (on[person] ?? 0) - (off[person] ?? 0);
    const group = groupSums[Number(isHeldOut)] as (typeof groupSums)[number];
    group.people += 1;
    group.sum += orders;
    group.squares += orders * orders;
  }
  const [shown, heldOut] = groupSums;
  if (!shown || !heldOut) throw new Error('A test has two groups.');
  const { value, error } = differenceOf(shown, heldOut);
  return Math.abs(value - caused / on.length) <= intervalWidth * error;
}

/** Share of tests that detect an effect of this size. */
function detectionRate({ sums, pairs }: World, effect: number, tests: number, seed: number): number {
  const lots = lotsFrom(seed);
  let found = 0;
  for (let test = 0; test < tests; test += 1) {
    const heldOut = drawHeldOut(pairs, lots);
    const planted = sums.map((one) => (heldOut.has(one.region) ? one : { ...one, during: one.during * (1 + effect) }));
    found += Number(readRegions(planted, pairs, heldOut, 1_000 * seed + test).low > 0);
  }
  return found / tests;
}

/** Predicted detection rate: 80% for the smallest promised effect. For other effects it follows from the same interval width. */
function predictedPower(effect: number, smallest: number): number {
  const error = smallest / (intervalWidth + fourOfFive);
  return normalBelow(effect / error - intervalWidth);
}

const fourOfFive = 0.842;
