import { dayMs } from '@tributary/vocabulary';

/** The UTC day of a moment. */
export const dayOf = (moment: Date): string => moment.toISOString().slice(0, 10);

/** All days from first to last, inclusive. */
export function daysOf(firstDay: string, lastDay: string): string[] {
  const [first, last] = [Date.parse(firstDay), Date.parse(lastDay)];
  return Array.from({ length: (last - first) / dayMs + 1 }, (_, index) => dayOf(new Date(first + index * dayMs)));
}
