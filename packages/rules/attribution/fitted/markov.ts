import type { FittedPath, History, ObservationPeriod, Shares } from './history.ts';

/** The removal effect of each type: the fraction of purchases lost when touches of the type lead nowhere. */
export interface MarkovFit {
  readonly types: number;
  readonly removal: readonly number[];
}

/**
 * A Markov chain from touch to touch that ends with a purchase or without one. The removal effect follows in closed
 * form from one matrix inverse for all types: the probability of ever reaching the type, times the probability of a
 * purchase from there. There is no simulation, so the result is unique.
 */
export class MarkovFitter {
  readonly #watch: ObservationPeriod;
  readonly #states: number;
  /** Transition counts from each type, and last from the start: to each type, to a purchase, to the end. */
  readonly #steps: Float64Array;

  constructor(watch: ObservationPeriod) {
    this.#watch = watch;
    this.#states = watch.types + 1;
    this.#steps = new Float64Array(this.#states * (watch.types + 2));
  }

  add({ at, type, boughtAt }: History): void {
    const { types, from } = this.#watch;
    let place = types;
    let next = 0;
    const step = (to: number) => {
      const index = place * (types + 2) + to;
      this.#steps[index] = (this.#steps[index] ?? 0) + 1;
    };
    const walkTo = (moment: number) => {
      for (; next < at.length && (at[next] ?? 0) <= moment; next += 1) {
        step(type[next] ?? 0);
        place = type[next] ?? 0;
      }
    };
    for (const moment of boughtAt) {
      walkTo(moment);
      if (moment >= from) step(types);
      place = types;
    }
    walkTo(Number.POSITIVE_INFINITY);
    if (place !== types) step(types + 1);
  }

  fit(): MarkovFit {
    const { types } = this.#watch;
    const states = this.#states;
    const remaining = new Float64Array(states * states);
    const buys = new Float64Array(states);
    for (let of = 0; of < states; of += 1) {
      const row = this.#steps.subarray(of * (types + 2), (of + 1) * (types + 2));
      const all = row.reduce((sum, count) => sum + count, 0) || 1;
      for (let to = 0; to < states; to += 1)
        remaining[of * states + to] = (of === to ? 1 : 0) - (to < types ? (row[to] ?? 0) / all : 0);
      buys[of] = (row[types] ?? 0) / all;
    }
    const passes = inverse(remaining, states);
    const chance = Array.from({ length: states }, (_, of) =>
      buys.reduce((sum, now, to) => sum + (passes[of * states + to] ?? 0) * now, 0),
    );
    const whole = chance[types] || 1;
    return {
      types,
      removal: Array.from({ length: types }, (_, type) => {
        const comesBy = (passes[types * states + type] ?? 0) / (passes[type * states + type] || 1);
        return (comesBy * (chance[type] ?? 0)) / whole;
      }),
    };
  }
}

/** Divides a purchase among the types of its path by their removal effects, and evenly among touches of one type. */
export class Markov {
  readonly #fit: MarkovFit;

  constructor(fit: MarkovFit) {
    this.#fit = fit;
  }

  sharesOf({ types }: FittedPath): Shares {
    const counts = new Map<number, number>();
    for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
    const lost = (type: number) => this.#fit.removal[type] ?? 0;
    const all = [...counts.keys()].reduce((sum, type) => sum + lost(type), 0);
    if (all <= 0) return [...types.map(() => 0), 1];
    return [...types.map((type) => lost(type) / all / (counts.get(type) ?? 1)), 0];
  }
}

/** Gauss-Jordan elimination with partial pivoting. The matrix has one row per campaign. */
function inverse(matrix: Float64Array, size: number): Float64Array {
  const left = Float64Array.from(matrix);
  const right = new Float64Array(size * size);
  for (let row = 0; row < size; row += 1) right[row * size + row] = 1;
  const swap = (values: Float64Array, a: number, b: number) => {
    const row = values.slice(a * size, (a + 1) * size);
    values.copyWithin(a * size, b * size, (b + 1) * size);
    values.set(row, b * size);
  };
  for (let column = 0; column < size; column += 1) {
    let pivot = column;
    for (let row = column + 1; row < size; row += 1)
      if (Math.abs(left[row * size + column] ?? 0) > Math.abs(left[pivot * size + column] ?? 0)) pivot = row;
    if (pivot !== column) for (const side of [left, right]) swap(side, pivot, column);
    const scale = 1 / (left[column * size + column] || Number.EPSILON);
    for (const side of [left, right])
      for (let k = 0; k < size; k += 1) side[column * size + k] = (side[column * size + k] ?? 0) * scale;
    for (let row = 0; row < size; row += 1) {
      const factor = left[row * size + column] ?? 0;
      if (row === column || factor === 0) continue;
      for (const side of [left, right])
        for (let k = 0; k < size; k += 1)
          side[row * size + k] = (side[row * size + k] ?? 0) - factor * (side[column * size + k] ?? 0);
    }
  }
  return right;
}
