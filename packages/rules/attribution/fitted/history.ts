/**
 * The input of fitted models: a person's touches in order of time, each with the number of its type (a campaign, or a
 * channel without one), and the times of purchases. Times are fractional days.
 */
export interface History {
  readonly at: readonly number[];
  readonly type: readonly number[];
  readonly boughtAt: readonly number[];
}

/** The observed period. Earlier events only serve as causes of later ones. */
export interface ObservationPeriod {
  readonly types: number;
  readonly from: number;
  readonly until: number;
  /** How many days before a purchase a touch may matter. */
  readonly lookbackDays: number;
}

/** A purchase with its touches in order of time, as on the attribution path. */
export interface FittedPath {
  readonly at: number;
  readonly lookbackDays: number;
  readonly times: readonly number[];
  readonly types: readonly number[];
}

/** The part of a purchase that each touch of the path caused, and last the organic part. They add up to 1. */
export type Shares = readonly number[];

const unit = 2 ** 40;

/**
 * Converts shares to integer weights, so that money is divided as everywhere: to the minor unit, largest remainder
 * first.
 */
export const weightsOfShares = (shares: Shares): bigint[] => shares.map((share) => BigInt(Math.round(share * unit)));
