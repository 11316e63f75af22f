import type { FittedModel } from '@tributary/vocabulary';
import { allocate } from '../../money.ts';
import { Branching, type BranchingFit } from './branching.ts';
import { BranchingFitter } from './fit-branching.ts';
import { type FittedPath, type History, type ObservationPeriod, type Shares, weightsOfShares } from './history.ts';
import { Markov, type MarkovFit, MarkovFitter } from './markov.ts';
import { Shapley, type ShapleyFit, ShapleyFitter } from './shapley.ts';

/** Learns from histories, one at a time. The resulting fit can be stored as JSON. */
interface Fitter<Fit> {
  add(history: History): void;
  fit(): Fit;
}

/** Divides a purchase among the touches of its path. */
export interface FittedRule {
  sharesOf(path: FittedPath): Shares;
}

interface Fits {
  data_driven: BranchingFit;
  markov: MarkovFit;
  shapley: ShapleyFit;
}

/** Every fitted model with its fitter and its rule. A model without one does not compile. */
const rules: { readonly [Model in FittedModel]: FittedModelEntry<Fits[Model]> } = {
  data_driven: { fitter: (watch) => new BranchingFitter(watch), rule: (fit) => new Branching(fit) },
  markov: { fitter: (watch) => new MarkovFitter(watch), rule: (fit) => new Markov(fit) },
  shapley: { fitter: (watch) => new ShapleyFitter(watch), rule: (fit) => new Shapley(fit) },
};

interface FittedModelEntry<Fit> {
  fitter(watch: ObservationPeriod): Fitter<Fit>;
  rule(fit: Fit): FittedRule;
}

export const fitterOf = <Model extends FittedModel>(model: Model, watch: ObservationPeriod): Fitter<Fits[Model]> =>
  rules[model].fitter(watch);
export const ruleOf = <Model extends FittedModel>(model: Model, fit: Fits[Model]): FittedRule => rules[model].rule(fit);

export interface FittedCredit {
  /** In minor units, one for each touch of the path. */
  readonly credits: readonly bigint[];
  /** The organic value. Together with the credits it adds up to the value. */
  readonly anyway: bigint;
}

/** Computes the credits of a purchase under a fitted rule, to the minor unit. */
export function creditFitted(rule: FittedRule, value: bigint, path: FittedPath): FittedCredit {
  if (path.times.length === 0) return { credits: [], anyway: value };
  const parts = allocate(value, weightsOfShares(rule.sharesOf(path)));
  return { credits: parts.slice(0, -1), anyway: parts.at(-1) ?? 0n };
}
