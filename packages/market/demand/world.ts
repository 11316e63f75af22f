import { campaignCount } from './campaigns.ts';
import { hashRandom, thrownNormal } from './hash-random.ts';

/** The parameters of a world. */
export interface Nature {
  /** How strongly ads create needs. */
  readonly strength: number;
  /** The daily probability of a spontaneous need per person. */
  readonly needs: number;
  /** The share of people who are lost to a competitor if they search for the shop's name and see no ad of it. */
  readonly lostWithoutBrand: number;
  /** The share of buyers who look for a coupon at checkout. */
  readonly couponSeekers: number;
  /** How often a retargeting ad is the way back for a person who would have returned anyway. */
  readonly followed: number;
  readonly season: number;
  /** The variation of places from day to day, and of budgets from week to week. */
  readonly shock: number;
  readonly budgetSpread: number;
  /** The share of buyers' devices that are never linked to them. */
  readonly lostDevices: number;
}

export const usualNature: Nature = {
  strength: 1,
  needs: 0.0042,
  lostWithoutBrand: 0.05,
  couponSeekers: 0.22,
  followed: 0.25,
  season: 0.25,
  shock: 0.05,
  budgetSpread: 0.3,
  lostDevices: 0.25,
};

/**
 * Random parameters: every number from half to double the default, uniform in its logarithm; the share lost without
 * brand ads from zero to one half, unlinked devices from a tenth to a half. These ranges were fixed before any model
 * was tried on such a world.
 */
export function randomNature(seed: number): Nature {
  const names = Object.keys(usualNature) as (keyof Nature)[];
  const drawn = Object.fromEntries(
    names.map((name, place) => [name, usualNature[name] * 2 ** (2 * hashRandom(seed, place, 0, 9_100) - 1)]),
  ) as Record<keyof Nature, number>;
  return {
    ...drawn,
    lostWithoutBrand: 0.5 * hashRandom(seed, 0, 1, 9_100),
    lostDevices: 0.1 + 0.4 * hashRandom(seed, 0, 2, 9_100),
  };
}

export interface DemandOptions {
  readonly seed: number;
  readonly people: number;
  readonly places?: number;
  readonly days?: number;
  /** Earlier days are simulated as a warm-up; purchases in them do not count. */
  readonly countFrom?: number;
  readonly nature?: Nature;
}

/** The fixed part of a world, created before the simulation. */
export interface DemandMarket extends Required<DemandOptions> {
  readonly placeOf: Uint16Array;
  /** A person's interest in the product, around 1. */
  readonly affinity: Float32Array;
  readonly season: Float64Array;
  /** By place and day. */
  readonly shocks: Float64Array;
  /** Factors of the usual campaign spend, by place, day and campaign. Budgets follow the season. */
  readonly budgets: Float64Array;
  /** Shares of the population. */
  readonly sizes: Float64Array;
}

/**
 * Creates a world in which ads are shown to people who need the product anyway, so observed and caused purchases
 * differ.
 */
export function openDemandMarket(options: DemandOptions): DemandMarket {
  const settled = { places: 40, days: 150, countFrom: 30, nature: usualNature, ...options };
  const { seed, places } = settled;
  const raw = Float64Array.from({ length: places }, (_, place) => Math.exp(0.7 * thrownNormal(seed, place, 1, 9_001)));
  const whole = raw.reduce((sum, size) => sum + size, 0);
  const sizes = raw.map((size) => size / whole);
  const season = seasonOf(settled);
  const shocks = shocksOf(settled);
  return {
    ...settled,
    sizes,
    season,
    shocks,
    ...peopleOf(settled, sizes),
    budgets: budgetsOf(settled, season, shocks),
  };
}

function peopleOf({ seed, people, places }: Required<DemandOptions>, sizes: Float64Array) {
  const placeOf = new Uint16Array(people);
  const affinity = new Float32Array(people);
  for (let person = 0; person < people; person += 1) {
    let left = hashRandom(seed, person, 0, 9_002);
    let place = 0;
    while (place < places - 1 && left >= (sizes[place] ?? 0)) {
      left -= sizes[place] ?? 0;
      place += 1;
    }
    placeOf[person] = place;
    affinity[person] = Math.exp(0.7 * thrownNormal(seed, person, 0, 9_003) - 0.245);
  }
  return { placeOf, affinity };
}

const seasonOf = ({ seed, days, nature }: Required<DemandOptions>): Float64Array =>
  Float64Array.from(
    { length: days },
    (_, day) =>
      1 + nature.season * Math.sin((2 * Math.PI * (day + (seed % 7) * 11)) / 75) + (day % 7 > 4 ? 0.12 : -0.04),
  );

function shocksOf({ seed, places, days, nature }: Required<DemandOptions>): Float64Array {
  const shocks = new Float64Array(places * days);
  for (let place = 0; place < places; place += 1) {
    let level = 0;
    for (let day = 0; day < days; day += 1) {
      level = 0.85 * level + nature.shock * thrownNormal(seed, place, day, 9_004);
      shocks[place * days + day] = Math.exp(level);
    }
  }
  return shocks;
}

function budgetsOf(options: Required<DemandOptions>, season: Float64Array, shocks: Float64Array): Float64Array {
  const { seed, places, days, nature } = options;
  const spread = nature.budgetSpread;
  const budgets = new Float64Array(places * days * campaignCount);
  for (let campaign = 0; campaign < campaignCount; campaign += 1) {
    for (let place = 0; place < places; place += 1) {
      for (let day = 0; day < days; day += 1) {
        const week = Math.floor(day / 7);
        const decided =
          spread * thrownNormal(seed, campaign * 1_000 + place, week, 9_005) -
          (spread * spread) / 2 +
          0.35 * thrownNormal(seed, campaign, week, 9_006) -
          0.06;
        const follows = (season[day] ?? 1) * Math.sqrt(shocks[place * days + day] ?? 1);
        budgets[(place * days + day) * campaignCount + campaign] = Math.exp(decided) * follows;
      }
    }
  }
  return budgets;
}
