import type { FittedPath, History, ObservationPeriod, Shares } from './history.ts';

/**
 * Purchase rates of people who had touches of exactly one set of types within a month, for sets with enough people.
 */
export interface ShapleyFit {
  readonly types: number;
  /** The rate of people without touches. */
  readonly base: number;
  /** The additional rate of a single type. */
  readonly alone: readonly number[];
  /** The types in ascending order, the number of months, and how many of them had a purchase. */
  readonly sets: readonly (readonly [set: readonly number[], months: number, bought: number])[];
}

const monthDays = 30;
/** Limits the size of a set, because every subset is evaluated. */
const mostTypes = 6;
const mostSets = 2_000;
const fewest = 50;
/** A set's own rate and the sum of its types' rates have equal weight at this many months. */
const shrinkage = 200;

const keyOf = (set: readonly number[]): string => set.join(',');

export class ShapleyFitter {
  readonly #watch: ObservationPeriod;
  readonly #seen = new Map<string, { set: readonly number[]; months: number; bought: number }>();

  constructor(watch: ObservationPeriod) {
    this.#watch = watch;
  }

  add({ at, type, boughtAt }: History): void {
    const { from, until } = this.#watch;
    for (let begins = from; begins + monthDays <= until + 1e-9; begins += monthDays) {
      const isIn = (moment: number) => moment >= begins && moment < begins + monthDays;
      const set = [...new Set(type.filter((_, index) => isIn(at[index] ?? 0)))].sort((a, b) => a - b);
      if (set.length > mostTypes) continue;
      const key = keyOf(set);
      const seen = this.#seen.get(key) ?? { set, months: 0, bought: 0 };
      seen.months += 1;
      if (boughtAt.some(isIn)) seen.bought += 1;
      this.#seen.set(key, seen);
    }
  }

  fit(): ShapleyFit {
    const { types } = this.#watch;
    const rateOf = (set: readonly number[]): number | undefined => {
      const seen = this.#seen.get(keyOf(set));
      return seen && seen.months >= fewest ? seen.bought / seen.months : undefined;
    };
    const base = rateOf([]) ?? 0;
    const sets = [...this.#seen.values()]
      .filter(({ months }) => months >= fewest)
      .sort((a, b) => b.months - a.months || (keyOf(a.set) < keyOf(b.set) ? -1 : 1))
      .slice(0, mostSets);
    return {
      types,
      base,
      alone: Array.from({ length: types }, (_, type) => Math.max(0, (rateOf([type]) ?? base) - base)),
      sets: sets.map(({ set, months, bought }) => [set, months, bought]),
    };
  }
}

/** The number of cached sets: most purchases share their set of types with others. */
const maxCached = 50_000;

/** Divides a purchase among the types of its path by their Shapley values. The worth of the empty set is organic. */
export class Shapley {
  readonly #fit: ShapleyFit;
  readonly #sets: ReadonlyMap<number, readonly [months: number, bought: number]>;
  readonly #cache = new Map<number, readonly number[]>();

  constructor(fit: ShapleyFit) {
    this.#fit = fit;
    this.#sets = new Map(fit.sets.map(([set, months, bought]) => [numberOf(set), [months, bought]]));
  }

  /** If there are too many types, only the latest ones are used. */
  sharesOf({ types }: FittedPath): Shares {
    const set = [...new Set(types.toReversed())].slice(0, mostTypes).sort((a, b) => a - b);
    const parts = this.#partsOf(set);
    const counts = new Map(set.map((type) => [type, types.filter((one) => one === type).length]));
    const shares = types.map((type) => {
      const index = set.indexOf(type);
      return index === -1 ? 0 : (parts[index] ?? 0) / (counts.get(type) ?? 1);
    });
    return [...shares, Math.max(0, 1 - parts.reduce((sum, part) => sum + part, 0))];
  }

  /** Never negative: a type that only reaches people who do not buy has no cost. */
  #partsOf(set: readonly number[]): readonly number[] {
    const key = numberOf(set);
    const cached = this.#cache.get(key);
    if (cached) return cached;
    const values = this.#worthsOf(set);
    const whole = values.at(-1) || 1;
    const weights = weightsOf(set.length);
    const parts = set.map((_, index) => {
      let sum = 0;
      for (let bits = 0; bits < values.length; bits += 1) {
        if (bits & (1 << index)) continue;
        sum += (weights[bits] ?? 0) * ((values[bits | (1 << index)] ?? 0) - (values[bits] ?? 0));
      }
      return Math.max(0, sum / whole);
    });
    const all = parts.reduce((sum, part) => sum + part, 0);
    const normalised = all > 1 ? parts.map((part) => part / all) : parts;
    if (this.#cache.size >= maxCached) this.#cache.clear();
    this.#cache.set(key, normalised);
    return normalised;
  }

  /** The worth of each subset, indexed by bit mask; each is derived from the subset without its last type. */
  #worthsOf(set: readonly number[]): Float64Array {
    const { base, alone } = this.#fit;
    const values = new Float64Array(1 << set.length);
    const [numbers, expected] = [new Float64Array(values.length), new Float64Array(values.length)];
    expected[0] = base;
    for (let bits = 0; bits < values.length; bits += 1) {
      if (bits > 0) {
        const last = 31 - Math.clz32(bits);
        const rest = bits & ~(1 << last);
        const type = set[last] ?? 0;
        numbers[bits] = withType(numbers[rest] ?? 0, type);
        expected[bits] = (expected[rest] ?? 0) + (alone[type] ?? 0);
      }
      const [months, bought] = this.#sets.get(numbers[bits] ?? 0) ?? noObservations;
      values[bits] = (bought + shrinkage * Math.min(0.95, expected[bits] ?? 0)) / (months + shrinkage);
    }
    return values;
  }
}

const noObservations = [0, 0] as const;

/** Encodes a set of types as one exact number; sets are small enough to fit. */
const typesOfNumber = 256;
const withType = (number: number, type: number): number => number * typesOfNumber + type + 1;
const numberOf = (set: readonly number[]): number => set.reduce(withType, 0);

/** The Shapley weight of each subset for a type outside it, indexed by bit mask. */
function weightsOf(types: number): Float64Array {
  const cached = weightsBySize[types];
  if (cached) return cached;
  const weights = Float64Array.from({ length: 1 << types }, (_, bits) => {
    const others = bitCount(bits);
    return (factorial(others) * factorial(types - others - 1)) / factorial(types);
  });
  weightsBySize[types] = weights;
  return weights;
}

const weightsBySize: Float64Array[] = [];
const bitCount = (bits: number): number => (bits === 0 ? 0 : (bits & 1) + bitCount(bits >>> 1));
const factorial = (number: number): number => (number <= 1 ? 1 : number * factorial(number - 1));
