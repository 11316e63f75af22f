/**
 * What fitted models look at: somebody's touches in the order of time, each by the number of its type (a campaign, or a way of
 * coming without one), and when they bought. Times are days and parts of them.
 */
export interface History {
  readonly at: readonly number[];
  readonly type: readonly number[];
  readonly boughtAt: readonly number[];
}

/** What was watched. Before `from` events are known, but nothing is explained: they are causes of later ones alone. */
export interface Watch {
  readonly types: number;
  readonly from: number;
  readonly until: number;
  /** How far back a touch may matter to a purchase. */
  readonly lookbackDays: number;
}

/** Of a purchase: its touches in the order of time, as the path of attribution has them. */
export interface FittedPath {
  readonly at: number;
  readonly lookbackDays: number;
  readonly times: readonly number[];
  readonly types: readonly number[];
}

/** How much of a purchase each touch of the path caused, and last what would have come anyway. The numbers add up to 1. */
export type Shares = readonly number[];

const unit = 2 ** 40;

/** Shares as whole weights, so that money is divided the way it always is: to the minor unit, largest remainder first. */
export const weightsOfShares = (shares: Shares): bigint[] => shares.map((share) => BigInt(Math.round(share * unit)));
