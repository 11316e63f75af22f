import { divideAmounts, minorDigits, multiplyAmounts, roundAmount } from './money.ts';

/**
 * Ratios are divided in decimals and have at most six of them: a report says 4.9975 and never 4.9975000000000005. Six decimals
 * tell one click in a million impressions.
 */
const ratioScale = 6;

/** An exact decimal as text, or a number, which counts as the shortest decimal that means it. */
type Figure = string | number | null;

/** `times` × dividend / divisor. Null where the divisor is zero or one of the two is unknown. */
export function ratio(dividend: Figure, divisor: Figure, times = 1): number | null {
  return divide(dividend, divisor, times, ratioScale);
}

/** What one of something costs, with the digits of the currency. */
export function unitCost(spend: Figure, count: Figure, currency: string, times = 1): number | null {
  return divide(spend, count, times, minorDigits(currency));
}

/** Platforms count parts of conversions, and some report what their own floats made of them. */
export const roundCount = (count: string): string => roundAmount(count, ratioScale);

function divide(dividend: Figure, divisor: Figure, times: number, scale: number): number | null {
  if (dividend === null || divisor === null || Number(divisor) === 0) return null;
  return Number(divideAmounts(multiplyAmounts(String(dividend), String(times)), String(divisor), scale));
}
