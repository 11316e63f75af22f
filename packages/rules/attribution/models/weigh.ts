/** What the models look at. */
export interface CreditedTouch {
  readonly at: number;
  readonly channel: string;
}

/** Integer weights, one a touch. A touch has a share in the conversion if and only if its weight is above zero. */
export type Weigh = (path: readonly CreditedTouch[]) => bigint[];

/** All for the touch at one place. */
export const only = (path: readonly CreditedTouch[], place: number): bigint[] =>
  path.map((_, index) => (index === place ? 1n : 0n));
