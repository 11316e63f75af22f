/** Purchases of one group of an experiment: the number of people, the sum, and the sum of squares. */
export interface Side {
  readonly people: number;
  readonly sum: number;
  readonly squares: number;
}

/** An amount with its standard error. */
export interface Measured {
  readonly value: number;
  readonly error: number;
}

/** The half width of a two-sided 90% normal interval, in standard errors. */
export const intervalWidth = 1.645;

/** The additional purchases per person in the exposed group compared with the holdout group. */
export function differenceOf(shown: Side, heldOut: Side): Measured {
  const mean = ({ sum, people }: Side) => (people === 0 ? 0 : sum / people);
  const spread = (side: Side) =>
    side.people < 2 ? 0 : Math.max(0, side.squares / side.people - mean(side) ** 2) / (side.people - 1);
  return { value: mean(shown) - mean(heldOut), error: Math.sqrt(spread(shown) + spread(heldOut)) };
}

/** The p-value of the group sizes under the planned share. Below one in a thousand, the assignment was not random. */
export function chanceOfSizes(heldOut: number, all: number, share: number): number {
  if (all === 0) return 1;
  const distance = Math.abs(heldOut - all * share) / Math.sqrt(Math.max(1e-9, all * share * (1 - share)));
  return 2 * (1 - normalBelow(distance));
}

/** The cumulative normal distribution (Abramowitz and Stegun 7.1.26, to seven digits). */
export function normalBelow(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const tail =
    ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t * Math.exp(-x * x);
  return z >= 0 ? 1 - tail / 2 : tail / 2;
}
