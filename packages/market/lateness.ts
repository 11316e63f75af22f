import { dayMs } from '@tributary/vocabulary';
import type { SeededRandom } from './seeded-random.ts';

/** An arrival later than this is late: a report may have been read before. */
const lateMs = dayMs;
export const isLate = ({ at, arrivesAt }: { readonly at: number; readonly arrivesAt: number }): boolean =>
  arrivesAt - at > lateMs;

/** Immediately, or two to twenty days later. */
export function arrivalTime(dice: SeededRandom, at: number): number {
  return dice.chance(0.02) ? at + dice.between(2 * dayMs, 20 * dayMs) : at + dice.between(200, 5_000);
}
