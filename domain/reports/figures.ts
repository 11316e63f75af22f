import { fromMinorUnits, toMinorUnits } from '@tributary/rules';

/**
 * From the exact figures of the columns to those that are shown. Credits come in minor units, what was delivered as decimals that
 * nobody has rounded yet; both are rounded to the minor unit here, once. Ratios divide what is shown, so that whoever divides the two
 * figures of a row finds the third.
 */

/** A sum of credits. */
export const creditText = (minorUnits: string | bigint, currency: string): string =>
  fromMinorUnits(BigInt(minorUnits), currency);
export const credit = (minorUnits: string | bigint, currency: string): number =>
  Number(creditText(minorUnits, currency));

/** A sum of what was delivered, converted already. */
export const costText = (amount: string, currency: string): string =>
  fromMinorUnits(toMinorUnits(amount, currency), currency);
export const cost = (amount: string, currency: string): number => Number(costText(amount, currency));

/** What was spent; null where nothing of it could be converted, which is not the same as nothing. */
export const spendOf = (
  row: { readonly spend: string; readonly is_spend_unknown: number },
  currency: string,
): number | null => (row.is_spend_unknown ? null : cost(row.spend, currency));

/** Cash in minor units; null where there were payments and the value of none is known. */
export const cashOf = ({ payments, value, valued }: Valued): string | null =>
  payments !== '0' && valued === '0' ? null : value;

interface Valued {
  readonly payments: string;
  readonly value: string;
  readonly valued: string;
}

export const countOrNull = (count: string | null): number | null => (count === null ? null : Number(count));

/** What was credited, by conversion type. */
export interface Earned {
  readonly conversions: string;
  readonly payments: string;
  readonly first_payments: string;
  readonly value: string;
  readonly valued: string;
}

export function outcomesOf(
  earned: Earned,
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
