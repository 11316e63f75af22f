import { divideAmounts, minorDigits, multiplyAmounts, roundAmount } from './money.ts';

/**
 * Ratios are computed in decimals and have at most six of them: a report shows 4.9975 and never 4.9975000000000005.
 * Six decimals can express one click in a million impressions.
 */
const ratioScale = 6;

/** An exact decimal as text, or a number, which stands for its shortest decimal. */
type Figure = string | number | null;

/** `times` × dividend / divisor. Null if the divisor is zero or one of the two is unknown. */
export function ratio(dividend: Figure, divisor: Figure, times = 1): number | null {
  return divide(dividend, divisor, times, ratioScale);
}

/** The cost per unit, with the decimals of the currency. */
export function unitCost(spend: Figure, count: Figure, currency: string, times = 1): number | null {
  return divide(spend, count, times, minorDigits(currency));
}

/** Platforms report fractional conversions, some with floating-point errors. */
export const roundCount = (count: string): string => roundAmount(count, ratioScale);

function divide(dividend: Figure, divisor: Figure, times: number, scale: number): number | null {
  if (dividend === null || divisor === null || Number(divisor) === 0) return null;
  return Number(divideAmounts(multiplyAmounts(String(dividend), String(times)), String(divisor), scale));
}
