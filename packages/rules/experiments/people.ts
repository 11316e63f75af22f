/** What one side of a test by people bought, per person: how many people, the sum, and the sum of squares. */
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

/** Of 90 in a hundred, on both sides of a normal. */
export const intervalWidth = 1.645;

/** What each person of those who were shown the ads bought more than each who was not. */
export function differenceOf(shown: Side, heldOut: Side): Measured {
  const mean = ({ sum, people }: Side) => (people === 0 ? 0 : sum / people);
  const spread = (side: Side) =>
    side.people < 2 ? 0 : Math.max(0, side.squares / side.people - mean(side) ** 2) / (side.people - 1);
  return { value: mean(shown) - mean(heldOut), error: Math.sqrt(spread(shown) + spread(heldOut)) };
}

/**
 * Whether two sides have the sizes that the lot promised: the chance of a difference as large as this, if it was drawn as it should be. Below one in
 * a thousand something else than the lot decided.
 */
export function chanceOfSizes(heldOut: number, all: number, share: number): number {
  if (all === 0) return 1;
  const distance = Math.abs(heldOut - all * share) / Math.sqrt(Math.max(1e-9, all * share * (1 - share)));
  return 2 * (1 - normalBelow(distance));
}

/** The part of a normal that lies below (Abramowitz and Stegun 7.1.26, to seven digits). */
export function normalBelow(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + 0.3275911 * x);
  const tail =
    ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t * Math.exp(-x * x);
  return z >= 0 ? 1 - tail / 2 : tail / 2;
}
