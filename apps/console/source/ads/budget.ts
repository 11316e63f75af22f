import { limits } from '../vocabulary.ts';

/** A live daily budget: the decimal that the platform reports, and the same amount in minor units. */
export interface Budget {
  readonly decimal: string;
  readonly minor: number;
}

/** The number of decimals of the currency, taken from how the API writes amounts. */
const digitsOf = ({ decimal }: Budget): number => decimal.split('.')[1]?.length ?? 0;

/** The smallest amount in the currency of the budget: "0.01", or "1". */
export const stepOf = (budget: Budget): string => (10 ** -digitsOf(budget)).toFixed(digitsOf(budget));

export const toDecimal = (minor: number, budget: Budget): string =>
  (minor / 10 ** digitsOf(budget)).toFixed(digitsOf(budget));

/** Undefined if the text is not a positive amount. */
export function toMinor(decimal: string, budget: Budget): number | undefined {
  const minor = Math.round(Number(decimal) * 10 ** digitsOf(budget));
  return decimal.trim() !== '' && Number.isSafeInteger(minor) && minor > 0 ? minor : undefined;
}

/** The range of amounts that one change may set, in minor units. */
export function boundsOf({ minor }: Budget): { readonly least: number; readonly most: number } {
  const { maxChangePercent, floorMinorUnits } = limits.budgetStep;
  const step = Math.floor((minor * maxChangePercent) / 100);
  return { least: Math.max(minor - step, floorMinorUnits), most: minor + step };
}

export interface BudgetAdvice {
  readonly action: 'raise' | 'lower';
  readonly stepPct: number;
}

/** The advised amount, computed from the live budget, which may have changed since the advice was computed. */
export function advisedMinor(budget: Budget, { action, stepPct }: BudgetAdvice): number {
  const change = Math.floor((budget.minor * stepPct) / 100);
  const { least, most } = boundsOf(budget);
  return Math.min(most, Math.max(least, action === 'raise' ? budget.minor + change : budget.minor - change));
}
