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

/** Divided by nothing, a figure is none. */
export const ratio = (dividend: number, divisor: number): number | null => (divisor === 0 ? null : dividend / divisor);

export const countOrNull = (count: string | null): number | null => (count === null ? null : Number(count));

/** What was credited, by conversion type. */
export interface Earned {
  readonly conversions: string;
  readonly payments: string;
  readonly first_payments: string;
  readonly value: string;
}

export function outcomesOf(
  { conversions, payments, first_payments, value }: Earned,
  byType: readonly (readonly [type: string, conversions: string])[],
  currency: string,
) {
  return {
    outcome_count: Number(payments),
    outcome_value: credit(value, currency),
    outcome_count_first_payment: Number(first_payments),
    attributed_outcome_count: Number(conversions),
    attributed_outcomes_by_type: Object.fromEntries(
      byType.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([type, count]) => [type, Number(count)]),
    ),
  };
}
