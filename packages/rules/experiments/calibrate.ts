import type { Measured } from './people.ts';

/** What a fitted model says of a campaign, what it cost, and what kind it is. */
export interface Credited {
  readonly credit: number;
  readonly spend: number;
  /** How much of the credit of such campaigns is caused, as far as is known before any test. */
  readonly factor: number;
  /** Campaigns of one kind learn from each other's tests. */
  readonly kind: string;
}

/** What a test says that some campaigns caused together, of the same days and spend as their credit. */
export interface TestOf {
  /** Their places in the list. */
  readonly campaigns: readonly number[];
  readonly found: Measured;
}

/** Set once and not tuned: how wrong paths may be, as a part of what they say and of what was spent. */
const wrongByCredit = 0.5;
const wrongBySpend = 0.7;
/** How far campaigns of one kind differ in how much of their credit is caused. */
const kindSpread = 0.5;

export const priorOf = ({ credit, spend, factor }: Omit<Credited, 'kind'>): Measured => {
  const value = credit * factor;
  return { value, error: Math.sqrt((wrongByCredit * value) ** 2 + (wrongBySpend * spend) ** 2) };
};

/** Two things known of one number, weighed by how sure each is. */
export function combine(one: Measured, other: Measured): Measured {
  const [a, b] = [1 / one.error ** 2, 1 / other.error ** 2];
  return { value: (one.value * a + other.value * b) / (a + b), error: Math.sqrt(1 / (a + b)) };
}

/** A test wider than what was known before it moves nothing: it was too small for its question. */
export const isOfUse = (test: Measured, prior: Measured): boolean => test.error > 0 && test.error < prior.error;

/**
 * What each campaign is taken to have caused: what paths say, times what is known of its kind, moved by its own tests and, a little, by the tests of others of its kind.
 */
export function calibrate(campaigns: readonly Credited[], tests: readonly TestOf[]): Measured[] {
  const usual = campaigns.map(priorOf);
  const ofKinds = tests.flatMap((test) => factorOf(campaigns, usual, test) ?? []);
  const known = campaigns.map((campaign, place) => {
    const factor = ofKinds
      .filter(({ kind, of }) => kind === campaign.kind && !of.includes(place))
      .reduce((sum, { found }) => combine(sum, found), { value: campaign.factor, error: kindSpread });
    return priorOf({ ...campaign, factor: Math.max(0, factor.value) });
  });
  for (const test of tests) move(known, test);
  return known;
}

/** How much of the credit of a kind was caused, as a test of nothing but that kind says. */
function factorOf(campaigns: readonly Credited[], usual: readonly Measured[], { campaigns: of, found }: TestOf) {
  const kinds = new Set(of.map((place) => campaigns[place]?.kind));
  const credit = of.reduce((sum, place) => sum + (campaigns[place]?.credit ?? 0), 0);
  const [kind] = kinds;
  if (kinds.size !== 1 || credit <= 0 || !isOfUse(found, sumOf(usual, of))) return undefined;
  return { kind, of, found: { value: found.value / credit, error: Math.hypot(found.error / credit, kindSpread) } };
}

/** A test of several says what they caused together: each is moved by as much of the difference as it was in doubt. */
function move(known: Measured[], { campaigns: of, found }: TestOf): void {
  const together = sumOf(known, of);
  if (!isOfUse(found, together)) return;
  const doubt = together.error ** 2 + found.error ** 2;
  for (const place of of) {
    const { value, error } = known[place] as Measured;
    const weight = error ** 2 / doubt;
    known[place] = {
      value: value + weight * (found.value - together.value),
      error: error * Math.sqrt(1 - weight),
    };
  }
}

const sumOf = (known: readonly Measured[], of: readonly number[]): Measured => {
  const chosen = of.map((place) => known[place] as Measured);
  return {
    value: chosen.reduce((sum, { value }) => sum + value, 0),
    error: Math.hypot(...chosen.map(({ error }) => error)),
  };
};
