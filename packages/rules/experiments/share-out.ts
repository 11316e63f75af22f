import { intervalWidth, type Measured } from './people.ts';

/** The adjustment of a campaign's credit: the part it keeps, and its part of the organic value. */
export interface CreditAdjustment {
  readonly keep: number;
  readonly extra: number;
}

/**
 * Moves credit from path-based values to estimated caused values. If a campaign caused less than its credit, the rest
 * becomes organic. If it caused more, the difference is taken from the organic value, at most all of it.
 */
export function shareOut(credits: readonly number[], caused: readonly Measured[], anyway: number): CreditAdjustment[] {
  const beyond = credits.map((credit, index) => Math.max(0, (caused[index]?.value ?? 0) - credit));
  const requested = beyond.reduce((sum, one) => sum + one, 0);
  const granted = requested === 0 || anyway <= 0 ? 0 : Math.min(1, anyway / requested) / anyway;
  return credits.map((credit, index) => ({
    keep: credit > 0 ? Math.min(1, Math.max(0, caused[index]?.value ?? 0) / credit) : 1,
    extra: (beyond[index] ?? 0) * granted,
  }));
}

/** The multiplier of the credit of some days. */
export const timesOf = ({ keep, extra }: CreditAdjustment, credit: number, anyway: number): number =>
  credit > 0 ? keep + (extra * Math.max(0, anyway)) / credit : keep;

/** Converts a lift to caused purchases: of 105 purchases at a lift of 5%, 5 were caused. */
export function causedBy(
  { lift, low, high }: { readonly lift: number; readonly low: number; readonly high: number },
  bought: number,
): Measured {
  const caused = (part: number) => (bought * part) / (1 + Math.max(-0.99, part));
  return { value: caused(lift), error: (caused(high) - caused(low)) / (2 * intervalWidth) };
}
