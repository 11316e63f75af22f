import { intervalWidth, type Measured } from './people.ts';

/** What becomes of a campaign's credit: how much of it stays, and which part of what would have come anyway it is given besides. */
export interface Moved {
  readonly keep: number;
  readonly extra: number;
}

/**
 * From what paths give to what campaigns are taken to have caused. Where that is less, the rest would have come anyway. Where it is more, paths do not show it: it is taken
 * from what would have come anyway, and never more than there is.
 */
export function shareOut(credits: readonly number[], caused: readonly Measured[], anyway: number): Moved[] {
  const beyond = credits.map((credit, place) => Math.max(0, (caused[place]?.value ?? 0) - credit));
  const asked = beyond.reduce((sum, one) => sum + one, 0);
  const given = asked === 0 || anyway <= 0 ? 0 : Math.min(1, anyway / asked) / anyway;
  return credits.map((credit, place) => ({
    keep: credit > 0 ? Math.min(1, Math.max(0, caused[place]?.value ?? 0) / credit) : 1,
    extra: (beyond[place] ?? 0) * given,
  }));
}

/** How often the credit of some days counts. */
export const timesOf = ({ keep, extra }: Moved, credit: number, anyway: number): number =>
  credit > 0 ? keep + (extra * Math.max(0, anyway)) / credit : keep;

/** What a lift says of how much of all that was bought was caused: of 105 that were bought at a lift of 5%, 5. */
export function causedBy(
  { lift, low, high }: { readonly lift: number; readonly low: number; readonly high: number },
  bought: number,
): Measured {
  const caused = (part: number) => (bought * part) / (1 + Math.max(-0.99, part));
  return { value: caused(lift), error: (caused(high) - caused(low)) / (2 * intervalWidth) };
}
