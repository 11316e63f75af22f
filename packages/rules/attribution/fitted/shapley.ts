import type { FittedPath, History, Shares, Watch } from './history.ts';

/** How often people buy who met exactly a set of types within a month, for the sets that enough people met. */
export interface ShapleyFit {
  readonly types: number;
  /** Of those who met nothing. */
  readonly base: number;
  /** What a type adds alone. */
  readonly alone: readonly number[];
  /** Types in ascending order, how many months and how many of them with a purchase. */
  readonly sets: readonly (readonly [set: readonly number[], months: number, bought: number])[];
}

const monthDays = 30;
/** A set is worked out over all its subsets, so it has an end. */
const mostTypes = 6;
const mostSets = 2_000;
const fewest = 50;
/** A set's own rate counts as much as the sum of its types' when so many months of it were seen. */
const shrinkage = 200;

const keyOf = (set: readonly number[]): string => set.join(',');

export class ShapleyFitter {
  readonly #watch: Watch;
  readonly #seen = new Map<string, { set: readonly number[]; months: number; bought: number }>();

  constructor(watch: Watch) {
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

/** Sets whose parts are kept: most purchases have a path that others have had. */
const mostKnown = 50_000;

/** A purchase is shared among the types of its path by what each adds to every set of the others; what the empty set is worth is nobody's. */
export class Shapley {
  readonly #fit: ShapleyFit;
  readonly #sets: ReadonlyMap<number, readonly [months: number, bought: number]>;
  readonly #known = new Map<number, readonly number[]>();

  constructor(fit: ShapleyFit) {
    this.#fit = fit;
    this.#sets = new Map(fit.sets.map(([set, months, bought]) => [numberOf(set), [months, bought]]));
  }

  /** Of more types than can be worked out, those met last. */
  sharesOf({ types }: FittedPath): Shares {
    const set = [...new Set(types.toReversed())].slice(0, mostTypes).sort((a, b) => a - b);
    const parts = this.#partsOf(set);
    const counts = new Map(set.map((type) => [type, types.filter((one) => one === type).length]));
    const shares = types.map((type) => {
      const place = set.indexOf(type);
      return place === -1 ? 0 : (parts[place] ?? 0) / (counts.get(type) ?? 1);
    });
    return [...shares, Math.max(0, 1 - parts.reduce((sum, part) => sum + part, 0))];
  }

  /** Never below nothing: a type that only meets people who do not buy is not charged for it. */
  #partsOf(set: readonly number[]): readonly number[] {
    const key = numberOf(set);
    const known = this.#known.get(key);
    if (known) return known;
    const worths = this.#worthsOf(set);
    const whole = worths.at(-1) || 1;
    const weights = weightsOf(set.length);
    const parts = set.map((_, place) => {
      let sum = 0;
      for (let bits = 0; bits < worths.length; bits += 1) {
        if (bits & (1 << place)) continue;
        sum += (weights[bits] ?? 0) * ((worths[bits | (1 << place)] ?? 0) - (worths[bits] ?? 0));
      }
      return Math.max(0, sum / whole);
    });
    const all = parts.reduce((sum, part) => sum + part, 0);
    const fair = all > 1 ? parts.map((part) => part / all) : parts;
    if (this.#known.size >= mostKnown) this.#known.clear();
    this.#known.set(key, fair);
    return fair;
  }

  /** What each subset is worth, by the bits of its places: one after the other, each from the one without its last type. */
  #worthsOf(set: readonly number[]): Float64Array {
    const { base, alone } = this.#fit;
    const worths = new Float64Array(1 << set.length);
    const [numbers, expected] = [new Float64Array(worths.length), new Float64Array(worths.length)];
    expected[0] = base;
    for (let bits = 0; bits < worths.length; bits += 1) {
      if (bits > 0) {
        const last = 31 - Math.clz32(bits);
        const rest = bits & ~(1 << last);
        const type = set[last] ?? 0;
        numbers[bits] = withType(numbers[rest] ?? 0, type);
        expected[bits] = (expected[rest] ?? 0) + (alone[type] ?? 0);
      }
      const [months, bought] = this.#sets.get(numbers[bits] ?? 0) ?? unseen;
      worths[bits] = (bought + shrinkage * Math.min(0.95, expected[bits] ?? 0)) / (months + shrinkage);
    }
    return worths;
  }
}

const unseen = [0, 0] as const;

/** A set of types as one number, exactly: no set has more types than fit. */
const typesOfNumber = 256;
const withType = (number: number, type: number): number => number * typesOfNumber + type + 1;
const numberOf = (set: readonly number[]): number => set.reduce(withType, 0);

/** How much each subset counts for somebody who is not in it, by the bits of its places. */
function weightsOf(types: number): Float64Array {
  const known = weightsBySize[types];
  if (known) return known;
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
