import type { Tx } from '@tributary/postgres';

/** What a customer's outcomes come to. */
export interface CustomerTotals {
  readonly conversionCount: number;
  /** Exact, in the profile's reporting currency. */
  readonly cashRevenue: string;
}

/**
 * Outcomes are the business of a room above this one, which is why whoever puts the service together hands this in. A customer
 * without outcomes is not among the found.
 */
export type FindCustomerTotals = (
  tx: Tx,
  profileId: string,
  customerIds: readonly string[],
) => Promise<ReadonlyMap<string, CustomerTotals>>;
