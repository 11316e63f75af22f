import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { creditFitted, fitterOf, ruleOf } from '../index.ts';
import { ageBins, binOf, binWidths } from './fitted/ages.ts';
import { Branching, type BranchingFit } from './fitted/branching.ts';

const watch = { types: 3, from: 0, until: 90, lookbackDays: 90 };
const history = (touches: [at: number, type: number][], ...boughtAt: number[]) => ({
  at: touches.map(([at]) => at),
  type: touches.map(([, type]) => type),
  boughtAt,
});

/** Paths of up to 12 touches of three types before a purchase on day 90. */
const paths = fc
  .array(fc.tuple(fc.double({ min: 0, max: 89.9, noNaN: true }), fc.nat(2)), { maxLength: 12 })
  .map((touches) => touches.sort(([a], [b]) => a - b))
  .map((touches) => ({
    at: 90,
    lookbackDays: 90,
    times: touches.map(([at]) => at),
    types: touches.map(([, type]) => type),
  }));

const fitAll = () => {
  const people = Array.from({ length: 400 }, (_, person) =>
    history(
      [
        [(person * 7) % 60, person % 3],
        [((person * 7) % 60) + 1 + (person % 5), (person + 1) % 3],
      ],
      ...(person % 4 === 0 ? [((person * 7) % 60) + 8] : []),
    ),
  );
  const fit = (model: 'data_driven' | 'markov' | 'shapley') => {
    const fitter = fitterOf(model, watch);
    for (const one of people) fitter.add(one);
    return fitter.fit();
  };
  return { data_driven: fit('data_driven'), markov: fit('markov'), shapley: fit('shapley') };
};

describe('fitted models', () => {
  test('give the same fit for the same histories', () => {
    expect(JSON.stringify(fitAll())).toBe(JSON.stringify(fitAll()));
  });

  test('credits and the organic value add up to the purchase value for any path', () => {
    const fits = fitAll();
    const rules = (['data_driven', 'markov', 'shapley'] as const).map((model) => ruleOf(model, fits[model] as never));
    fc.assert(
      fc.property(paths, fc.bigInt({ min: -1_000_000_000n, max: 1_000_000_000_000n }), (path, value) => {
        for (const rule of rules) {
          const { credits, anyway } = creditFitted(rule, value, path);
          expect(credits).toHaveLength(path.times.length);
          expect(credits.reduce((sum, credit) => sum + credit, anyway)).toBe(value);
        }
      }),
      { numRuns: 200 },
    );
  });

  test('branching credits each event to its causes, and on to their causes', () => {
    const numbers = (count: number, seed: number) =>
      Array.from({ length: count }, (_, index) => ((index * 37 + seed) % 11) / 200);
    const fit: BranchingFit = { types: 3, own: numbers(4, 3), leads: numbers(12, 5), ages: numbers(4 * ageBins, 1) };
    // Without liveliness, so that the reference implementation stays short.
    const calm = { ...fit, own: [0, 0, 0, 0.02] };
    const slow = (path: { at: number; times: readonly number[]; types: readonly number[] }): number[] => {
      const pull = (of: number, on: number, age: number) =>
        ((calm.leads[of * 4 + on] ?? 0) * (calm.ages[on * ageBins + binOf(age)] ?? 0)) / (binWidths[binOf(age)] ?? 1);
      /** The causes of an event, as shares of the touches and, last, the organic share. */
      const owners = (index: number, on: number, at: number, reach: number): number[] => {
        const shares = new Array<number>(path.times.length + 1).fill(0);
        const causes = path.times.slice(0, index).map((time, cause) => ({
          cause,
          pull: at - time <= reach ? pull(path.types[cause] ?? 0, on, at - time) : 0,
        }));
        const base = on === 3 ? 0.02 : 0;
        const all = causes.reduce((sum, one) => sum + one.pull, base);
        const own = on === 3 ? path.times.length : index;
        if (all === 0) return shares.map((_, place) => (place === own ? 1 : 0));
        shares[own] = base / all;
        for (const { cause, pull: strength } of causes.filter((one) => one.pull > 0)) {
          const theirs = owners(cause, path.types[cause] ?? 0, path.times[cause] ?? 0, 21);
          theirs.forEach((share, place) => {
            shares[place] = (shares[place] ?? 0) + (strength / all) * share;
          });
        }
        return shares;
      };
      return owners(path.times.length, 3, path.at, 90);
    };
    const rule = new Branching(calm);
    fc.assert(
      fc.property(paths, (path) => {
        const [fast, reference] = [rule.sharesOf(path), slow(path)];
        fast.forEach((share, place) => {
          expect(share).toBeCloseTo(reference[place] ?? 0, 9);
        });
      }),
      { numRuns: 100 },
    );
  });

  test('Markov computes the purchases lost without a source', () => {
    const fitter = fitterOf('markov', watch);
    // Half of the people have only touches of type 0 and never buy; half have type 1, then 2, and buy.
    for (let person = 0; person < 10; person += 1) {
      fitter.add(history([[1, 0]]));
      fitter.add(
        history(
          [
            [1, 1],
            [2, 2],
          ],
          3,
        ),
      );
    }
    const { removal } = fitter.fit();
    expect(removal.map((part) => Math.round(part * 1e9) / 1e9)).toEqual([0, 1, 1]);
    const shares = ruleOf('markov', { types: 3, removal }).sharesOf({
      at: 3,
      lookbackDays: 90,
      times: [1, 1.5, 2, 2.5],
      types: [0, 1, 1, 2],
    });
    expect(shares).toEqual([0, 0.25, 0.25, 0.5, 0]);
  });

  test('Shapley credits a source with what it adds, and leaves the base rate organic', () => {
    const rule = ruleOf('shapley', {
      types: 3,
      base: 0.1,
      alone: [0.1, 0.2, 0],
      sets: [
        [[], 1e9, 1e8],
        [[0], 1e9, 2e8],
        [[1], 1e9, 3e8],
        [[0, 1], 1e9, 5e8],
      ],
    });
    // The path is worth 0.5: the first touch adds 0.1 or 0.2, the second 0.2 or 0.3, and the base rate is 0.1.
    const shares = rule.sharesOf({ at: 3, lookbackDays: 90, times: [1, 2], types: [0, 1] });
    expect(shares.map((share) => Math.round(share * 1e5) / 1e5)).toEqual([0.3, 0.5, 0.2]);
  });
});
