import type { Tx } from '@tributary/postgres';
import { moneyText } from '@tributary/rules';

/** Totals of a customer's outcomes. */
export interface CustomerTotals {
  readonly conversionCount: number;
  /** Exact, in the profile's reporting currency. Null when there are payments and none could be converted. */
  readonly cashRevenue: string | null;
  /** Payments without an exchange rate, by currency. They are not included in `cashRevenue`. */
  readonly withoutRate: readonly WithoutRate[];
}

export interface WithoutRate {
  readonly currency: string;
  readonly count: number;
  readonly amount: string;
}

/**
 * Reads the totals of customers; those without outcomes are missing. Outcomes belong to a module that depends on this one, so the app injects
 * the implementation.
 */
export type FindCustomerTotals = (
  tx: Tx,
  profileId: string,
  customerIds: readonly string[],
) => Promise<ReadonlyMap<string, CustomerTotals>>;

export const toExclusion = ({ currency, count, amount }: WithoutRate) =>
  ({ of: 'payments', reason: 'no_exchange_rate', currency, count, amount: moneyText(amount, currency) }) as const;
