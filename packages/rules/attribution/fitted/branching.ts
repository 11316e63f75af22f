import { ageBins, binOf, binWidths } from './ages.ts';
import type { FittedPath, Shares } from './history.ts';

/**
 * A branching process: visits and purchases occur spontaneously or are caused by earlier visits. The intensity of an
 * event of type k is `own[k] * liveliness + sum over earlier touches j of leads[j][k] * ages[k][age]`; for a purchase
 * (the type after the last) without the liveliness. `BranchingFitter` estimates the parameters.
 */
export interface BranchingFit {
  readonly types: number;
  /** Spontaneous events per day, by type; the last is the organic purchase. */
  readonly own: readonly number[];
  /** How many events of a type a touch causes: row by the touch's type, column by the event's. */
  readonly leads: readonly number[];
  /** The distribution of causes over age, by the event's type; sums to 1. */
  readonly ages: readonly number[];
}

/** How many days before a touch its causes may lie, and how many of the latest touches are considered. */
export const touchReachDays = 21;
export const mostCauses = 40;
/** Shape of the gamma prior of liveliness; 1 makes it exponential. */
export const livelinessShape = 1;

export class Branching {
  readonly #fit: BranchingFit;
  readonly #columns: number;
  /** Spontaneous touches per day, over all types. */
  readonly #ownOfTouches: number;

  constructor(fit: BranchingFit) {
    this.#fit = fit;
    this.#columns = fit.types + 1;
    this.#ownOfTouches = fit.own.slice(0, fit.types).reduce((sum, rate) => sum + rate, 0);
  }

  #causedRate(of: number, on: number, age: number): number {
    const bin = binOf(age);
    const lead = this.#fit.leads[of * this.#columns + on] ?? 0;
    return (lead * (this.#fit.ages[on * ageBins + bin] ?? 0)) / (binWidths[bin] ?? 1);
  }

  /**
   * Credits a purchase to the touches that caused it, and passes credit on to the causes of those touches. A
   * spontaneous touch keeps the credit that reaches it. The part explained by the purchase's own rate is organic.
   */
  sharesOf({ at, times, types, lookbackDays }: FittedPath): Shares {
    const { types: purchase, own } = this.#fit;
    const liveliness = this.#livelinessOf(times, types, lookbackDays);
    const given = new Float64Array(times.length);
    const causes = (index: number, on: number, moment: number, reach: number, base: number) => {
      const found: { cause: number; rate: number }[] = [];
      let all = base;
      for (let cause = index - 1; cause >= 0 && index - cause <= mostCauses; cause -= 1) {
        const age = moment - (times[cause] ?? 0);
        if (age > reach) break;
        const rate = this.#causedRate(types[cause] ?? 0, on, age);
        if (rate <= 0) continue;
        found.push({ cause, rate });
        all += rate;
      }
      return { found, all };
    };
    const shares = new Array<number>(times.length + 1).fill(0);
    const base = own[purchase] ?? 0;
    const bought = causes(times.length, purchase, at, lookbackDays, base);
    if (bought.all <= 0) {
      shares[times.length] = 1;
      return shares;
    }
    shares[times.length] = base / bought.all;
    for (const { cause, rate } of bought.found) given[cause] = rate / bought.all;
    for (let index = times.length - 1; index >= 0; index -= 1) {
      const weight = given[index] ?? 0;
      if (weight === 0) continue;
      const type = types[index] ?? 0;
      const root = (own[type] ?? 0) * liveliness;
      const { found, all } = causes(index, type, times[index] ?? 0, touchReachDays, root);
      if (all <= 0) {
        shares[index] = weight;
        continue;
      }
      shares[index] = (weight * root) / all;
      for (const { cause, rate } of found) given[cause] = (given[cause] ?? 0) + (weight * rate) / all;
    }
    return shares;
  }

  /**
   * A person's visit rate relative to the average: visits of someone who comes often spontaneously are caused less by
   * earlier visits.
   */
  #livelinessOf(times: readonly number[], types: readonly number[], days: number): number {
    const { own } = this.#fit;
    const causedIntensities = times.map((time, index) => this.#causedIntensity(times, types, index, time));
    let liveliness = 1;
    for (let round = 0; round < 4; round += 1) {
      let spontaneous = 0;
      for (let index = 0; index < times.length; index += 1) {
        const root = (own[types[index] ?? 0] ?? 0) * liveliness;
        const all = root + (causedIntensities[index] ?? 0);
        spontaneous += all > 0 ? root / all : 1;
      }
      liveliness = (livelinessShape + spontaneous) / (livelinessShape + days * this.#ownOfTouches);
    }
    return liveliness;
  }

  /** How strongly earlier touches cause one. */
  #causedIntensity(times: readonly number[], types: readonly number[], index: number, time: number): number {
    const type = types[index] ?? 0;
    let all = 0;
    for (let cause = index - 1; cause >= 0 && index - cause <= mostCauses; cause -= 1) {
      const age = time - (times[cause] ?? 0);
      if (age > touchReachDays) break;
      all += this.#causedRate(types[cause] ?? 0, type, age);
    }
    return all;
  }
}
