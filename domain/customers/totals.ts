import type { Tx } from '@tributary/postgres';
import { moneyText } from '@tributary/rules';

/** What a customer's outcomes come to. */
export interface CustomerTotals {
  readonly conversionCount: number;
  /** Exact, in the profile's reporting currency. Null: there are payments, and none of them could be converted. */
  readonly cashRevenue: string | null;
  /** Payments without an exchange rate, by currency: they are in no amount here. */
  readonly withoutRate: readonly WithoutRate[];
}

export interface WithoutRate {
  readonly currency: string;
  readonly count: number;
  readonly amount: string;
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

export const toExclusion = ({ currency, count, amount }: WithoutRate) =>
  ({ of: 'payments', reason: 'no_exchange_rate', currency, count, amount: moneyText(amount, currency) }) as const;
