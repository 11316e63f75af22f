import { addWatched, ageBins, binOf, binWidths } from './ages.ts';
import { type BranchingFit, livelinessShape, mostCauses, touchReachDays } from './branching.ts';
import type { History, Watch } from './history.ts';

const rounds = 30;
/** So many touches as a type is taken to have more, leading to what an average touch leads to. */
const shrinkage = 5;

/**
 * Gathers histories one at a time and then finds the numbers of the branching by expectation and maximisation. No chance takes part: the
 * same histories in the same order give the same numbers to the last bit.
 */
export class BranchingFitter {
  readonly #watch: Watch;
  readonly #columns: number;
  /** Events: of which type, whose, and where what may have caused them ends. */
  readonly #type: number[] = [];
  readonly #person: number[] = [];
  readonly #ends: number[] = [];
  readonly #causeType: number[] = [];
  readonly #causeBin: number[] = [];
  /** Of each type: how much of each age was watched. */
  readonly #watched: Float64Array;
  #people = 0;

  constructor(watch: Watch) {
    this.#watch = watch;
    this.#columns = watch.types + 1;
    this.#watched = new Float64Array(watch.types * ageBins);
  }

  add({ at, type, boughtAt }: History): void {
    const { from, until, types, lookbackDays } = this.#watch;
    at.forEach((moment, index) => {
      addWatched(moment, from, until, this.#watched, (type[index] ?? 0) * ageBins);
      if (moment >= from) this.#event(type[index] ?? 0, moment, touchReachDays, at, type, index);
    });
    for (const moment of boughtAt) {
      if (moment < from) continue;
      const before = at.findLastIndex((touched) => touched <= moment) + 1;
      this.#event(types, moment, lookbackDays, at, type, before);
    }
    this.#people += 1;
  }

  #event(
    of: number,
    moment: number,
    reach: number,
    at: readonly number[],
    type: readonly number[],
    before: number,
  ): void {
    for (let cause = before - 1; cause >= 0 && before - cause <= mostCauses; cause -= 1) {
      const age = moment - (at[cause] ?? 0);
      if (age > reach) break;
      this.#causeType.push(type[cause] ?? 0);
      this.#causeBin.push(binOf(age));
    }
    this.#type.push(of);
    this.#person.push(this.#people);
    this.#ends.push(this.#causeType.length);
  }

  fit(): BranchingFit {
    const numbers = this.#begin();
    for (let round = 0; round < rounds; round += 1) this.#improve(numbers);
    return {
      types: this.#watch.types,
      own: [...numbers.own],
      leads: [...numbers.leads],
      ages: [...numbers.ages],
    };
  }

  #begin(): Numbers {
    const { types, from, until } = this.#watch;
    const columns = this.#columns;
    const time = this.#people * (until - from);
    const own = new Float64Array(columns);
    for (const type of this.#type) own[type] = (own[type] ?? 0) + 0.5 / time;
    const leads = new Float64Array(types * columns);
    for (let of = 0; of < types; of += 1) {
      const isSeen = this.#watched.subarray(of * ageBins, (of + 1) * ageBins).some((part) => part > 0);
      leads.fill(isSeen ? 0.05 : 0, of * columns, (of + 1) * columns);
    }
    const ages = new Float64Array(columns * ageBins).fill(1 / ageBins);
    return { own, leads, ages, liveliness: new Float64Array(this.#people).fill(1) };
  }

  #improve(numbers: Numbers): void {
    const { types, from, until } = this.#watch;
    const found = this.#explain(numbers);
    const days = until - from;
    let ofTouches = 0;
    for (let type = 0; type < types; type += 1) ofTouches += numbers.own[type] ?? 0;
    let livelyTime = 0;
    for (let person = 0; person < this.#people; person += 1) {
      const lively = (livelinessShape + (found.byThemselves[person] ?? 0)) / (livelinessShape + days * ofTouches);
      numbers.liveliness[person] = lively;
      livelyTime += lively * days;
    }
    for (let on = 0; on <= types; on += 1) {
      numbers.own[on] = (found.own[on] ?? 0) / (on === types ? this.#people * days : livelyTime);
      this.#improveLeads(on, numbers, found);
      this.#improveAges(on, numbers, found);
    }
  }

  /** Which part of every event each of its possible causes explains, added up. */
  #explain({ own, leads, ages, liveliness }: Numbers): Explained {
    const { types } = this.#watch;
    const columns = this.#columns;
    const found: Explained = {
      own: new Float64Array(columns),
      leads: new Float64Array(types * columns),
      ages: new Float64Array(columns * ageBins),
      byThemselves: new Float64Array(this.#people),
    };
    const pulls = new Float64Array(mostCauses);
    let begins = 0;
    for (let event = 0; event < this.#type.length; event += 1) {
      const on = this.#type[event] as number;
      const person = this.#person[event] as number;
      const ends = this.#ends[event] as number;
      const base = on === types ? (own[on] as number) : (own[on] as number) * (liveliness[person] as number);
      let all = base;
      for (let cause = begins; cause < ends; cause += 1) {
        const bin = this.#causeBin[cause] as number;
        const pull =
          ((leads[(this.#causeType[cause] as number) * columns + on] as number) *
            (ages[on * ageBins + bin] as number)) /
          (binWidths[bin] as number);
        pulls[cause - begins] = pull;
        all += pull;
      }
      const byItself = all > 0 ? base / all : 1;
      (found.own[on] as number) += byItself;
      if (on !== types) (found.byThemselves[person] as number) += byItself;
      for (let cause = begins; all > 0 && cause < ends; cause += 1) {
        const part = (pulls[cause - begins] as number) / all;
        (found.leads[(this.#causeType[cause] as number) * columns + on] as number) += part;
        (found.ages[on * ageBins + (this.#causeBin[cause] as number)] as number) += part;
      }
      begins = ends;
    }
    return found;
  }

  #improveLeads(on: number, { leads, ages }: Numbers, found: Explained): void {
    const { types } = this.#watch;
    const watchedOf = (of: number): number => {
      let watched = 0;
      for (let bin = 0; bin < ageBins; bin += 1)
        watched += (ages[on * ageBins + bin] ?? 0) * (this.#watched[of * ageBins + bin] ?? 0);
      return watched;
    };
    let led = 0;
    let watched = 0;
    for (let of = 0; of < types; of += 1) {
      led += found.leads[of * this.#columns + on] ?? 0;
      watched += watchedOf(of);
    }
    const usual = watched > 0 ? Math.min(1, led / watched) : 0;
    for (let of = 0; of < types; of += 1) {
      const mine = watchedOf(of);
      const place = of * this.#columns + on;
      leads[place] = mine > 0 ? ((found.leads[place] ?? 0) + shrinkage * usual) / (mine + shrinkage) : 0;
    }
  }

  #improveAges(on: number, { leads, ages }: Numbers, found: Explained): void {
    const next = new Float64Array(ageBins);
    let all = 0;
    for (let bin = 0; bin < ageBins; bin += 1) {
      let watched = 0;
      for (let of = 0; of < this.#watch.types; of += 1)
        watched += (leads[of * this.#columns + on] ?? 0) * (this.#watched[of * ageBins + bin] ?? 0);
      next[bin] = watched > 0 ? (found.ages[on * ageBins + bin] ?? 0) / watched : 0;
      all += next[bin] ?? 0;
    }
    if (all > 0) for (let bin = 0; bin < ageBins; bin += 1) ages[on * ageBins + bin] = (next[bin] ?? 0) / all;
  }
}

interface Numbers {
  readonly own: Float64Array;
  readonly leads: Float64Array;
  readonly ages: Float64Array;
  readonly liveliness: Float64Array;
}

interface Explained {
  readonly own: Float64Array;
  readonly leads: Float64Array;
  readonly ages: Float64Array;
  readonly byThemselves: Float64Array;
}
