import { fromMinorUnits, toMinorUnits } from '@tributary/rules';

/**
 * Converts exact ClickHouse figures to displayed figures. Credits arrive in minor units and delivery as unrounded decimals; both are
 * rounded to the minor unit here, once. Ratios divide the displayed figures, so that a reader who divides two figures of a row gets the
 * third.
 */

/** A sum of credits. */
export const creditText = (minorUnits: string | bigint, currency: string): string =>
  fromMinorUnits(BigInt(minorUnits), currency);
export const credit = (minorUnits: string | bigint, currency: string): number =>
  Number(creditText(minorUnits, currency));

/** A sum of delivery amounts that are already converted. */
export const costText = (amount: string, currency: string): string =>
  fromMinorUnits(toMinorUnits(amount, currency), currency);
export const cost = (amount: string, currency: string): number => Number(costText(amount, currency));

/** Null when none of the spend could be converted, which differs from zero spend. */
export const spendOf = (
  row: { readonly spend: string; readonly is_spend_unknown: number },
  currency: string,
): number | null => (row.is_spend_unknown ? null : cost(row.spend, currency));

/** Cash in minor units; null when there were payments but none has a known value. */
export const cashOf = ({ payments, value, valued }: CashTotals): string | null =>
  payments !== '0' && valued === '0' ? null : value;

interface CashTotals {
  readonly payments: string;
  readonly value: string;
  readonly valued: string;
}

export const countOrNull = (count: string | null): number | null => (count === null ? null : Number(count));

/** Credited totals, as ClickHouse returns them. */
export interface CreditedTotals {
  readonly conversions: string;
  readonly payments: string;
  readonly first_payments: string;
  readonly value: string;
  readonly valued: string;
}

export function outcomesOf(
  earned: CreditedTotals,
  byType: readonly (readonly [type: string, conversions: string])[],
  currency: string,
) {
  const value = cashOf(earned);
  return {
    outcome_count: Number(earned.payments),
    outcome_value: value === null ? null : credit(value, currency),
    outcome_count_first_payment: Number(earned.first_payments),
    attributed_outcome_count: Number(earned.conversions),
    attributed_outcomes_by_type: Object.fromEntries(
      byType.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([type, count]) => [type, Number(count)]),
    ),
  };
}
