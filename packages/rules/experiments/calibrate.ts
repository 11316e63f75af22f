import type { Measured } from './people.ts';

/** What a fitted model says of a campaign, what it cost, and what kind it is. */
export interface Credited {
  readonly credit: number;
  readonly spend: number;
  /** How much of the credit of such campaigns is caused, as far as is known before any test. */
  readonly factor: number;
  /** Campaigns of one kind learn from each other's tests. */
  readonly kind: string;
  /** What a test measured, of the same days and spend. */
  readonly test?: Measured;
}

/** Set once and not tuned: how wrong paths may be, as a part of what they say and of what was spent. */
const wrongByCredit = 0.5;
const wrongBySpend = 0.7;
/** How far campaigns of one kind differ in how much of their credit is caused. */
const kindSpread = 0.5;

export const priorOf = ({ credit, spend, factor }: Omit<Credited, 'test' | 'kind'>): Measured => {
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
 * What each campaign is taken to have caused: what paths say, times what is known of its kind, moved by its own test and, a little, by the tests of others of its kind.
 */
export function calibrate(campaigns: readonly Credited[]): Measured[] {
  return campaigns.map((campaign) => {
    const kin = campaigns.filter((one) => one !== campaign && one.kind === campaign.kind && one.credit > 0);
    const factor = kin.reduce(
      (known, { credit, test, spend, factor: usual }): Measured => {
        const isUsed = test && isOfUse(test, priorOf({ credit, spend, factor: usual }));
        if (!isUsed) return known;
        return combine(known, { value: test.value / credit, error: Math.hypot(test.error / credit, kindSpread) });
      },
      { value: campaign.factor, error: kindSpread },
    );
    const prior = priorOf({ ...campaign, factor: Math.max(0, factor.value) });
    return campaign.test && isOfUse(campaign.test, prior) ? combine(prior, campaign.test) : prior;
  });
}
