import { dayMs } from '@tributary/vocabulary';
import type { Market } from './market.ts';
import type { SeededRandom } from './seeded-random.ts';

/** The probability that a drawn day is accepted, from Sunday on; otherwise another day is drawn, once. */
const shareOfWeekday = [0.9, 1, 0.9, 0.85, 0.8, 0.45, 0.25] as const;

/**
 * A random day of the market, by index. A demo shop has a weekly pattern: most visits from Sunday to Tuesday, fewest
 * on Saturday.
 */
export function dayIn(
  { from, days, isGentle }: Pick<Market, 'from' | 'days' | 'isGentle'>,
  dice: SeededRandom,
): number {
  const day = dice.below(days);
  if (!isGentle) return day;
  const share = shareOfWeekday[new Date(from + day * dayMs).getUTCDay()] ?? 1;
  return dice.chance(share) ? day : dice.below(days);
}
