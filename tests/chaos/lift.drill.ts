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

/** Days of a world: of what was before the test, of the same before the days that its power is found on, and of the test itself. */
const [pastFrom, from, testFrom, testUntil, days] = [30, 65, 135, 163, 170];
/** What tests switch off: a single campaign would be too small for most of these worlds. */
const makesAndMeets: readonly TacticName[] = ['push', 'search'];
const groups: readonly (readonly TacticName[])[] = [
  ['push'],
  ['search'],
  makesAndMeets,
  ['brand', 'coupon'],
  [...makesAndMeets, 'retargeting'],
];
const plantedEffect = 0.05;
/** To the smallest effect that is promised to be noticed. */
const effects = [0.5, 1, 1.5];

/** Everything that a readout of a test says is held against worlds of which all is known. */
export const drill: Drill = {
  name: 'lift',
  promise:
    'A lift test raises a false alarm as often as it says, its interval holds the truth as often as it says, and it notices what it promised to notice.',
  async run({ size, progress }) {
    const { worlds, people, lots, testsOfWorld, largeWorlds, largePeople, planted } = sizes[size];
    const all = worlds + largeWorlds;
    const said = { alarms: 0, readings: 0, byRegions: new Tally(), byPeople: new Tally() };
    const power = effects.map(() => new Power());
    const promised = new Tally();
    const unpromised = new Tally();
    for (let seed = 1; seed <= worlds; seed += 1) {
      const market = openDemandMarket({ seed, people, days });
      const buyers = new Buyers(people);
      const lived = live(market, {}, { witness: buyers });
      const world = regionsOf(market, lived, from);
      said.alarms += countAlarms(world, lots, seed);
      said.readings += lots;
      for (const [place, tactics] of groups.entries()) {
        const isOff = (campaign: number, _ad: number, _person: number, day: number) =>
          day >= testFrom && day < testUntil && tactics.some((tactic) => tactic === demandCampaigns[campaign]?.tactic);
        const without = new Buyers(people);
        const off = regionsOf(market, live(market, { isOff }, { witness: without }), from);
        for (let test = 0; test < testsOfWorld / groups.length; test += 1) {
          const lot = seed * 1_000 + place * 100 + test;
          said.byRegions.add(holdsByRegions(world, off, lot));
          said.byPeople.add(holdsByPeople(buyers, without, lot));
        }
      }
      progress(seed, all, 'worlds lived with and without ads');
    }
    for (let seed = 1; seed <= largeWorlds; seed += 1) {
      const market = openDemandMarket({ seed: 500 + seed, people: largePeople, days, places: 200 });
      const lived = live(market);
      const world = regionsOf(market, lived, from);
      const smallest = smallestNoticed(regionsOf(market, lived, pastFrom).sums, world.pairs, lotsFrom(seed), seed);
      for (const [place, times] of effects.entries()) {
        const effect = times * smallest;
        power[place]?.add(chanceToNotice(effect, smallest), noticedOf(world, effect, planted, seed));
      }
      const tally = smallest <= plantedEffect ? promised : unpromised;
      tally.addAll(planted * noticedOf(world, plantedEffect, planted, 10_000 + seed), planted);
      progress(worlds + seed, all, 'worlds with an effect planted');
    }
    const falseAlarms = said.alarms / said.readings;
    const points = power.map((one) => one.points());
    const isRight = (value: number, low: number, high: number) => value >= low && value <= high;
    // So few lots and tests as the small version has say little: it shows that nothing is far off.
    const [alarmsFrom, alarmsTo, heldFrom, heldTo, apart] =
      size === 'full' ? [0.09, 0.11, 0.88, 0.94, 10] : [0.03, 0.2, 0.6, 1, 40];
    const passed =
      isRight(falseAlarms, alarmsFrom, alarmsTo) &&
      isRight(said.byRegions.share(), heldFrom, heldTo) &&
      isRight(said.byPeople.share(), heldFrom, heldTo) &&
      points.every(({ predicted, achieved }) => Math.abs(predicted - achieved) <= apart) &&
      (size === 'small' || (promised.all > 0 && promised.share() >= 0.8));
    const round = (value: number) => Math.round(value * 1_000) / 1_000;
    return {
      passed,
      worlds: all,
      readings_without_effect: said.readings,
      false_alarms: round(falseAlarms),
      tests_by_regions: said.byRegions.all,
      held_by_regions: round(said.byRegions.share()),
      tests_by_people: said.byPeople.all,
      held_by_people: round(said.byPeople.share()),
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

/** What was promised to be noticed and what was, over worlds. */
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

/** How often each bought in the days of the test. */
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

/** A test of 28 days and 7 to cool down, after twice as many before it. */
function regionsOf({ places }: DemandMarket, { ordersOfDay }: Lived, beginning: number): World {
  const start = beginning + (testFrom - from);
  const sum = (place: number, first: number, end: number) =>
    ordersOfDay.subarray(place * days + first, place * days + end).reduce((all, orders) => all + orders, 0);
  const sums = Array.from({ length: places }, (_, place) => ({
    region: String(place),
    before: sum(place, beginning, start),
    during: sum(place, start, start + days - testFrom),
  }));
  return { sums, pairs: pairUp(sums) };
}

const isFound = ({ low, high }: { readonly low: number; readonly high: number }) => low > 0 || high < 0;

/** Nothing was switched off. */
function countAlarms({ sums, pairs }: World, lots: number, seed: number): number {
  const drawn = lotsFrom(seed);
  let alarms = 0;
  for (let lot = 0; lot < lots; lot += 1)
    alarms += Number(isFound(readRegions(sums, pairs, drawHeldOut(pairs, drawn), 100_000 * seed + lot)));
  return alarms;
}

/** No place knows of another: a test holds out what the world without the ads has there. */
function holdsByRegions(on: World, off: World, seed: number): boolean {
  const heldOut = drawHeldOut(on.pairs, lotsFrom(seed));
  const sums = on.sums.map((one, place) => (heldOut.has(one.region) ? (off.sums[place] as RegionSums) : one));
  const tested = new Set(on.pairs.flat());
  const bought = ({ sums: all }: World) =>
    all.reduce((sum, { region, during }) => sum + (tested.has(region) ? during : 0), 0);
  const lift = bought(on) / bought(off) - 1;
  const { low, high } = readRegions(sums, on.pairs, heldOut, seed);
  return low <= lift && lift <= high;
}

/** Nor does anybody know of another person. */
function holdsByPeople({ bought: on }: Buyers, { bought: off }: Buyers, seed: number): boolean {
  const lots = lotsFrom(seed);
  const sides = [0, 1].map(() => ({ people: 0, sum: 0, squares: 0 }));
  let caused = 0;
  for (let person = 0; person < on.length; person += 1) {
    const isHeldOut = lots.next().value;
    const orders = (isHeldOut ? off : on)[person] ?? 0;
    caused += (on[person] ?? 0) - (off[person] ?? 0);
    const side = sides[Number(isHeldOut)] as (typeof sides)[number];
    side.people += 1;
    side.sum += orders;
    side.squares += orders * orders;
  }
  const [shown, heldOut] = sides;
  if (!shown || !heldOut) throw new Error('A test has two sides.');
  const { value, error } = differenceOf(shown, heldOut);
  return Math.abs(value - caused / on.length) <= intervalWidth * error;
}

/** How often an effect of this size is found. */
function noticedOf({ sums, pairs }: World, effect: number, tests: number, seed: number): number {
  const lots = lotsFrom(seed);
  let found = 0;
  for (let test = 0; test < tests; test += 1) {
    const heldOut = drawHeldOut(pairs, lots);
    const planted = sums.map((one) => (heldOut.has(one.region) ? one : { ...one, during: one.during * (1 + effect) }));
    found += Number(readRegions(planted, pairs, heldOut, 1_000 * seed + test).low > 0);
  }
  return found / tests;
}

/** Four of five for the smallest that is promised; of other effects what follows from the same width. */
function chanceToNotice(effect: number, smallest: number): number {
  const error = smallest / (intervalWidth + fourOfFive);
  return normalBelow(effect / error - intervalWidth);
}

const fourOfFive = 0.842;
