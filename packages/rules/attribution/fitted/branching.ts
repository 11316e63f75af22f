import { ageBins, binOf, binWidths } from './ages.ts';
import type { FittedPath, Shares } from './history.ts';

/**
 * Visits and purchases have causes: themselves, or earlier visits. Of an event of type k the intensity is
 * `own[k] * liveliness + sum over earlier touches j of leads[j][k] * ages[k][age]`; of a purchase (the type after the last) without
 * the liveliness. `fitBranching` finds the numbers.
 */
export interface BranchingFit {
  readonly types: number;
  /** A day, by type; the last is a purchase that would have come anyway. */
  readonly own: readonly number[];
  /** How many events of a type a touch leads to: row by the touch's type, column by the event's. */
  readonly leads: readonly number[];
  /** When: by the event's type and the age, adding up to 1. */
  readonly ages: readonly number[];
}

/** How far back a touch may lead to another, and how many of the latest are looked at. */
export const touchReachDays = 21;
export const mostCauses = 40;
/** Of the gamma that liveliness is drawn from: 1 says that people differ as much as waiting times do. */
export const livelinessShape = 1;

export class Branching {
  readonly #fit: BranchingFit;
  readonly #columns: number;
  /** A day, of touches of every type. */
  readonly #ownOfTouches: number;

  constructor(fit: BranchingFit) {
    this.#fit = fit;
    this.#columns = fit.types + 1;
    this.#ownOfTouches = fit.own.slice(0, fit.types).reduce((sum, rate) => sum + rate, 0);
  }

  #pull(of: number, on: number, age: number): number {
    const bin = binOf(age);
    const lead = this.#fit.leads[of * this.#columns + on] ?? 0;
    return (lead * (this.#fit.ages[on * ageBins + bin] ?? 0)) / (binWidths[bin] ?? 1);
  }

  /**
   * A purchase goes to what caused it, and from there on to what caused that. A touch that came by itself keeps what reaches it; what
   * the purchase's own rate explains is nobody's.
   */
  sharesOf({ at, times, types, lookbackDays }: FittedPath): Shares {
    const { types: purchase, own } = this.#fit;
    const liveliness = this.#livelinessOf(times, types, lookbackDays);
    const given = new Float64Array(times.length);
    const causes = (index: number, on: number, moment: number, reach: number, base: number) => {
      const found: { cause: number; pull: number }[] = [];
      let all = base;
      for (let cause = index - 1; cause >= 0 && index - cause <= mostCauses; cause -= 1) {
        const age = moment - (times[cause] ?? 0);
        if (age > reach) break;
        const pull = this.#pull(types[cause] ?? 0, on, age);
        if (pull <= 0) continue;
        found.push({ cause, pull });
        all += pull;
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
    for (const { cause, pull } of bought.found) given[cause] = pull / bought.all;
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
      for (const { cause, pull } of found) given[cause] = (given[cause] ?? 0) + (weight * pull) / all;
    }
    return shares;
  }

  /** Somebody who comes often by themselves is not led by every visit: how often, to what is usual. */
  #livelinessOf(times: readonly number[], types: readonly number[], days: number): number {
    const { own } = this.#fit;
    const led = times.map((time, index) => this.#ledTo(times, types, index, time));
    let liveliness = 1;
    for (let round = 0; round < 4; round += 1) {
      let byThemselves = 0;
      for (let index = 0; index < times.length; index += 1) {
        const root = (own[types[index] ?? 0] ?? 0) * liveliness;
        const all = root + (led[index] ?? 0);
        byThemselves += all > 0 ? root / all : 1;
      }
      liveliness = (livelinessShape + byThemselves) / (livelinessShape + days * this.#ownOfTouches);
    }
    return liveliness;
  }

  /** How strongly the touches before lead to one. */
  #ledTo(times: readonly number[], types: readonly number[], index: number, time: number): number {
    const type = types[index] ?? 0;
    let all = 0;
    for (let cause = index - 1; cause >= 0 && index - cause <= mostCauses; cause -= 1) {
      const age = time - (times[cause] ?? 0);
      if (age > touchReachDays) break;
      all += this.#pull(types[cause] ?? 0, type, age);
    }
    return all;
  }
}
