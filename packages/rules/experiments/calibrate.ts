import type { Measured } from './people.ts';

/** A campaign's credit by a fitted model, its spend and its kind. */
export interface Credited {
  readonly credit: number;
  readonly spend: number;
  /** The share of the credit of such campaigns that is caused, as assumed before any test. */
  readonly factor: number;
  /** Campaigns of one kind learn from each other's tests. */
  readonly kind: string;
}

/** The result of a test: what some campaigns caused together, for the same days and spend as their credit. */
export interface TestOf {
  /** Their indexes in the list. */
  readonly campaigns: readonly number[];
  readonly found: Measured;
}

/** Fixed and not tuned: the assumed error of path-based credit, relative to the credit and to the spend. */
const wrongByCredit = 0.5;
const wrongBySpend = 0.7;
/** How much campaigns of one kind differ in the caused share of their credit. */
const kindSpread = 0.5;

export const priorOf = ({ credit, spend, factor }: Omit<Credited, 'kind'>): Measured => {
  const value = credit * factor;
  return { value, error: Math.sqrt((wrongByCredit * value) ** 2 + (wrongBySpend * spend) ** 2) };
};

/** Combines two measurements of one number, weighted by their precision. */
export function combine(one: Measured, other: Measured): Measured {
  const [a, b] = [1 / one.error ** 2, 1 / other.error ** 2];
  return { value: (one.value * a + other.value * b) / (a + b), error: Math.sqrt(1 / (a + b)) };
}

/** Whether a test is precise enough: one with a larger error than the prior changes nothing. */
export const isOfUse = (test: Measured, prior: Measured): boolean => test.error > 0 && test.error < prior.error;

/**
 * Estimates what each campaign caused: its path-based credit, times the factor of its kind, adjusted by its own tests
 * and, less, by tests of others of its kind.
 */
export function calibrate(campaigns: readonly Credited[], tests: readonly TestOf[]): Measured[] {
  const priors = campaigns.map(priorOf);
  const ofKinds = tests.flatMap((test) => factorOf(campaigns, priors, test) ?? []);
  const estimates = campaigns.map((campaign, index) => {
    const factor = ofKinds
      .filter(({ kind, of }) => kind === campaign.kind && !of.includes(index))
      .reduce((sum, { found }) => combine(sum, found), { value: campaign.factor, error: kindSpread });
    return priorOf({ ...campaign, factor: Math.max(0, factor.value) });
  });
  for (const test of tests) applyTest(estimates, test);
  return estimates;
}

/** The caused share of the credit of a kind, if the test covers only that kind. */
function factorOf(campaigns: readonly Credited[], priors: readonly Measured[], { campaigns: of, found }: TestOf) {
  const kinds = new Set(of.map((index) => campaigns[index]?.kind));
  const credit = of.reduce((sum, index) => sum + (campaigns[index]?.credit ?? 0), 0);
  const [kind] = kinds;
  if (kinds.size !== 1 || credit <= 0 || !isOfUse(found, sumOf(priors, of))) return undefined;
  return { kind, of, found: { value: found.value / credit, error: Math.hypot(found.error / credit, kindSpread) } };
}

/** A test of several campaigns measures their sum: each is adjusted by its share of the uncertainty. */
function applyTest(estimates: Measured[], { campaigns: of, found }: TestOf): void {
  const together = sumOf(estimates, of);
  if (!isOfUse(found, together)) return;
  const doubt = together.error ** 2 + found.error ** 2;
  for (const index of of) {
    const { value, error } = estimates[index] as Measured;
    const weight = error ** 2 / doubt;
    estimates[index] = {
      value: value + weight * (found.value - together.value),
      error: error * Math.sqrt(1 - weight),
    };
  }
}

const sumOf = (estimates: readonly Measured[], of: readonly number[]): Measured => {
  const chosen = of.map((index) => estimates[index] as Measured);
  return {
    value: chosen.reduce((sum, { value }) => sum + value, 0),
    error: Math.hypot(...chosen.map(({ error }) => error)),
  };
};
