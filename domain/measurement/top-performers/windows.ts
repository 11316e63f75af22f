import type { ScoreWindow } from '@tributary/contract';
import { dayMs } from '@tributary/vocabulary';

export interface WindowOfDays {
  readonly name: ScoreWindow;
  readonly firstDay: string;
  readonly lastDay: string;
}

const lengths: Readonly<Record<ScoreWindow, number | null>> = { '7d': 7, '14d': 14, '28d': 28, lifetime: null };

/** Earlier than any reported ad. */
const earliestDay = '2000-01-01';

/** The windows over which ads are scored. They end with the last complete day in the profile's time zone. */
export function windowsOf(now: Date, timeZone: string): WindowOfDays[] {
  const today = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(now);
  const lastDay = daysBefore(today, 1);
  return (Object.keys(lengths) as ScoreWindow[]).map((name) => {
    const length = lengths[name];
    return { name, lastDay, firstDay: length === null ? earliestDay : daysBefore(today, length) };
  });
}

const daysBefore = (day: string, count: number): string =>
  new Date(Date.parse(day) - count * dayMs).toISOString().slice(0, 10);
