import type { ScoreWindow } from '@tributary/contract';
import { dayMs } from '@tributary/vocabulary';

export interface WindowOfDays {
  readonly name: ScoreWindow;
  readonly firstDay: string;
  readonly lastDay: string;
}

const lengths: Readonly<Record<ScoreWindow, number | null>> = { '7d': 7, '14d': 14, '28d': 28, lifetime: null };

/** Before it nobody told of ads. */
const firstOfAll = '2000-01-01';

/** The stretches of days that ads are scored over. They end with the last day that is over where the profile is. */
export function windowsOf(now: Date, timeZone: string): WindowOfDays[] {
  const today = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(now);
  const lastDay = daysBefore(today, 1);
  return (Object.keys(lengths) as ScoreWindow[]).map((name) => {
    const length = lengths[name];
    return { name, lastDay, firstDay: length === null ? firstOfAll : daysBefore(today, length) };
  });
}

const daysBefore = (day: string, count: number): string =>
  new Date(Date.parse(day) - count * dayMs).toISOString().slice(0, 10);
