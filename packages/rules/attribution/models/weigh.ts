/** The properties of a touch that the models use. */
export interface CreditedTouch {
  readonly at: number;
  readonly channel: string;
}

/**
 * Returns integer weights, one per touch. A touch has a share in the conversion if and only if its weight is above
 * zero.
 */
export type Weigh = (path: readonly CreditedTouch[]) => bigint[];

/** Gives all weight to one touch. */
export const only = (path: readonly CreditedTouch[], position: number): bigint[] =>
  path.map((_, index) => (index === position ? 1n : 0n));
