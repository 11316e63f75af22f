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

/** A purchase is shared among the types of its path by what each adds to every set of the others; what the empty set is worth is nobody's. */
export class Shapley {
  readonly #fit: ShapleyFit;
  readonly #sets: ReadonlyMap<string, readonly [months: number, bought: number]>;
  readonly #known = new Map<string, readonly number[]>();

  constructor(fit: ShapleyFit) {
    this.#fit = fit;
    this.#sets = new Map(fit.sets.map(([set, months, bought]) => [keyOf(set), [months, bought]]));
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

  #worthOf(set: readonly number[]): number {
    const expected = Math.min(
      0.95,
      set.reduce((sum, type) => sum + (this.#fit.alone[type] ?? 0), this.#fit.base),
    );
    const [months, bought] = this.#sets.get(keyOf(set)) ?? [0, 0];
    return (bought + shrinkage * expected) / (months + shrinkage);
  }

  /** Never below nothing: a type that only meets people who do not buy is not charged for it. */
  #partsOf(set: readonly number[]): readonly number[] {
    const key = keyOf(set);
    const known = this.#known.get(key);
    if (known) return known;
    const subsets = Array.from({ length: 1 << set.length }, (_, bits) =>
      this.#worthOf(set.filter((_, place) => bits & (1 << place))),
    );
    const whole = subsets.at(-1) || 1;
    const parts = set.map((_, place) => {
      let sum = 0;
      for (let bits = 0; bits < subsets.length; bits += 1) {
        if (bits & (1 << place)) continue;
        const others = bitCount(bits);
        const weight = (factorial(others) * factorial(set.length - others - 1)) / factorial(set.length);
        sum += weight * ((subsets[bits | (1 << place)] ?? 0) - (subsets[bits] ?? 0));
      }
      return Math.max(0, sum / whole);
    });
    const all = parts.reduce((sum, part) => sum + part, 0);
    const fair = all > 1 ? parts.map((part) => part / all) : parts;
    this.#known.set(key, fair);
    return fair;
  }
}

const bitCount = (bits: number): number => (bits === 0 ? 0 : (bits & 1) + bitCount(bits >>> 1));
const factorial = (number: number): number => (number <= 1 ? 1 : number * factorial(number - 1));
