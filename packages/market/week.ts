import { dayMs } from '@tributary/vocabulary';
import type { Dice } from './dice.ts';
import type { Market } from './market.ts';

/** How likely a day that was drawn is taken, from Sunday on; otherwise another is drawn, once. */
const shareOfWeekday = [0.9, 1, 0.9, 0.85, 0.8, 0.45, 0.25] as const;

/** A day of the market by its number. A shop that is shown to people has weeks: most visits from Sunday to Tuesday, fewest on Saturday. */
export function dayIn({ from, days, isGentle }: Pick<Market, 'from' | 'days' | 'isGentle'>, dice: Dice): number {
  const day = dice.below(days);
  if (!isGentle) return day;
  const share = shareOfWeekday[new Date(from + day * dayMs).getUTCDay()] ?? 1;
  return dice.chance(share) ? day : dice.below(days);
}
