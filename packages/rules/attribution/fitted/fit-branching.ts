import { addObserved, ageBins, binOf, binWidths } from './ages.ts';
import { type BranchingFit, livelinessShape, mostCauses, touchReachDays } from './branching.ts';
import type { History, ObservationPeriod } from './history.ts';

const rounds = 30;
/** Each type is shrunk towards the average by this many touches. */
const shrinkage = 5;

/**
 * Collects histories one at a time and then estimates the branching process by expectation maximisation. It is
 * deterministic: the same histories in the same order give the same numbers to the last bit.
 */
export class BranchingFitter {
  readonly #watch: ObservationPeriod;
  readonly #columns: number;
  /** Events: the type, the person, and the end index of possible causes. */
  readonly #type: number[] = [];
  readonly #person: number[] = [];
  readonly #ends: number[] = [];
  readonly #causeType: number[] = [];
  readonly #causeBin: number[] = [];
  /** The observed fraction of each age bin, by type. */
  readonly #observed: Float64Array;
  #people = 0;

  constructor(watch: ObservationPeriod) {
    this.#watch = watch;
    this.#columns = watch.types + 1;
    this.#observed = new Float64Array(watch.types * ageBins);
  }

  add({ at, type, boughtAt }: History): void {
    const { from, until, types, lookbackDays } = this.#watch;
    at.forEach((moment, index) => {
      addObserved(moment, from, until, this.#observed, (type[index] ?? 0) * ageBins);
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

  #begin(): BranchingParameters {
    const { types, from, until } = this.#watch;
    const columns = this.#columns;
    const time = this.#people * (until - from);
    const own = new Float64Array(columns);
    for (const type of this.#type) own[type] = (own[type] ?? 0) + 0.5 / time;
    const leads = new Float64Array(types * columns);
    for (let of = 0; of < types; of += 1) {
      const isSeen = this.#observed.subarray(of * ageBins, (of + 1) * ageBins).some((part) => part > 0);
      leads.fill(isSeen ? 0.05 : 0, of * columns, (of + 1) * columns);
    }
    const ages = new Float64Array(columns * ageBins).fill(1 / ageBins);
    return { own, leads, ages, liveliness: new Float64Array(this.#people).fill(1) };
  }

  #improve(numbers: BranchingParameters): void {
    const { types, from, until } = this.#watch;
    const found = this.#explain(numbers);
    const days = until - from;
    let ofTouches = 0;
    for (let type = 0; type < types; type += 1) ofTouches += numbers.own[type] ?? 0;
    let livelyTime = 0;
    for (let person = 0; person < this.#people; person += 1) {
      const lively = (livelinessShape + (found.spontaneous[person] ?? 0)) / (livelinessShape + days * ofTouches);
      numbers.liveliness[person] = lively;
      livelyTime += lively * days;
    }
    for (let on = 0; on <= types; on += 1) {
      numbers.own[on] = (found.own[on] ?? 0) / (on === types ? this.#people * days : livelyTime);
      this.#improveLeads(on, numbers, found);
      this.#improveAges(on, numbers, found);
    }
  }

  /** Sums the part of every event that each possible cause explains (the expectation step). */
  #explain({ own, leads, ages, liveliness }: BranchingParameters): ExpectedCauses {
    const { types } = this.#watch;
    const columns = this.#columns;
    const found: ExpectedCauses = {
      own: new Float64Array(columns),
      leads: new Float64Array(types * columns),
      ages: new Float64Array(columns * ageBins),
      spontaneous: new Float64Array(this.#people),
    };
    const rates = new Float64Array(mostCauses);
    let begins = 0;
    for (let event = 0; event < this.#type.length; event += 1) {
      const on = this.#type[event] as number;
      const person = this.#person[event] as number;
      const ends = this.#ends[event] as number;
      const base = on === types ? (own[on] as number) : (own[on] as number) * (liveliness[person] as number);
      let all = base;
      for (let cause = begins; cause < ends; cause += 1) {
        const bin = this.#causeBin[cause] as number;
        const rate =
          ((leads[(this.#causeType[cause] as number) * columns + on] as number) *
            (ages[on * ageBins + bin] as number)) /
          (binWidths[bin] as number);
        rates[cause - begins] = rate;
        all += rate;
      }
      const byItself = all > 0 ? base / all : 1;
      (found.own[on] as number) += byItself;
      if (on !== types) (found.spontaneous[person] as number) += byItself;
      for (let cause = begins; all > 0 && cause < ends; cause += 1) {
        const part = (rates[cause - begins] as number) / all;
        (found.leads[(this.#causeType[cause] as number) * columns + on] as number) += part;
        (found.ages[on * ageBins + (this.#causeBin[cause] as number)] as number) += part;
      }
      begins = ends;
    }
    return found;
  }

  #improveLeads(on: number, { leads, ages }: BranchingParameters, found: ExpectedCauses): void {
    const { types } = this.#watch;
    const observedOf = (of: number): number => {
      let observed = 0;
      for (let bin = 0; bin < ageBins; bin += 1)
        observed += (ages[on * ageBins + bin] ?? 0) * (this.#observed[of * ageBins + bin] ?? 0);
      return observed;
    };
    let caused = 0;
    let observed = 0;
    for (let of = 0; of < types; of += 1) {
      caused += found.leads[of * this.#columns + on] ?? 0;
      observed += observedOf(of);
    }
    const usual = observed > 0 ? Math.min(1, caused / observed) : 0;
    for (let of = 0; of < types; of += 1) {
      const own = observedOf(of);
      const index = of * this.#columns + on;
      leads[index] = own > 0 ? ((found.leads[index] ?? 0) + shrinkage * usual) / (own + shrinkage) : 0;
    }
  }

  #improveAges(on: number, { leads, ages }: BranchingParameters, found: ExpectedCauses): void {
    const next = new Float64Array(ageBins);
    let all = 0;
    for (let bin = 0; bin < ageBins; bin += 1) {
      let observed = 0;
      for (let of = 0; of < this.#watch.types; of += 1)
        observed += (leads[of * this.#columns + on] ?? 0) * (this.#observed[of * ageBins + bin] ?? 0);
      next[bin] = observed > 0 ? (found.ages[on * ageBins + bin] ?? 0) / observed : 0;
      all += next[bin] ?? 0;
    }
    if (all > 0) for (let bin = 0; bin < ageBins; bin += 1) ages[on * ageBins + bin] = (next[bin] ?? 0) / all;
  }
}

interface BranchingParameters {
  readonly own: Float64Array;
  readonly leads: Float64Array;
  readonly ages: Float64Array;
  readonly liveliness: Float64Array;
}

interface ExpectedCauses {
  readonly own: Float64Array;
  readonly leads: Float64Array;
  readonly ages: Float64Array;
  readonly spontaneous: Float64Array;
}
