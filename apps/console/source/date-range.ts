import { dayMs } from '@tributary/vocabulary';
import { limits } from './vocabulary.ts';
import { say } from './words/index.ts';

/** The days of a report, both included, as they stand in the address. */
export interface DateRange {
  readonly from: string;
  readonly to: string;
}

const usualDays = 30;

/** Ranges that people ask for by name, up to the day that is today. */
export const presets: readonly { readonly title: string; readonly range: (today: string) => DateRange }[] = [
  { title: say.days.today, range: (day) => ({ from: day, to: day }) },
  { title: say.days.yesterday, range: (day) => ({ from: moved(day, -1), to: moved(day, -1) }) },
  { title: say.days.last7, range: (day) => lastDays(7, day) },
  { title: say.days.last30, range: (day) => lastDays(usualDays, day) },
  { title: say.days.last90, range: (day) => lastDays(90, day) },
  { title: say.days.thisMonth, range: (day) => ({ from: monthsBack(day, 0), to: day }) },
  { title: say.days.lastMonth, range: (day) => ({ from: monthsBack(day, 1), to: moved(monthsBack(day, 0), -1) }) },
  {
    title: say.days.thisQuarter,
    range: (day) => ({ from: monthsBack(day, (Number(day.slice(5, 7)) - 1) % 3), to: day }),
  },
  { title: say.days.thisYear, range: (day) => ({ from: `${day.slice(0, 4)}-01-01`, to: day }) },
];

/** What the days of a report are held against. */
export const comparisons = {
  period: say.days.periodBefore,
  year: say.days.yearBefore,
  none: say.days.noComparison,
} as const;
export type Compared = keyof typeof comparisons;

/** As many days right before, or the same days a year earlier. */
export function comparedRange(range: DateRange, compared: Compared): DateRange | undefined {
  if (compared === 'none') return undefined;
  const days = lengthOf(range);
  if (compared === 'period') return { from: moved(range.from, -days), to: moved(range.from, -1) };
  const from = yearBefore(range.from);
  return { from, to: moved(from, days - 1) };
}

/** Nobody advertised here before. */
export const earliest = '2000-01-01';

/** The reader's own day: near enough to choose days by, whatever the profile's time zone. */
export function today(now = new Date()): string {
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 10);
}

/** So many days, the last of them today. */
export const lastDays = (days: number, to: string): DateRange => ({ from: moved(to, 1 - days), to });

export const lengthOf = ({ from, to }: DateRange): number => (Date.parse(to) - Date.parse(from)) / dayMs + 1;

/** What an address says, if it can be asked for; else the usual days. */
export function readRange(search: Readonly<Record<string, unknown>>, now = today()): DateRange {
  const { from, to } = search;
  if (!isDay(from) || !isDay(to)) return lastDays(usualDays, now);
  const range = { from, to };
  return from <= to && lengthOf(range) <= limits.rangeDays ? range : lastDays(usualDays, now);
}

/** Takes one end and moves the other along where the two would no longer make a range that can be asked for. */
export function withEnd(range: DateRange, end: 'from' | 'to', value: string): DateRange {
  if (!isDay(value)) return range;
  const next = { ...range, [end]: value };
  const other = end === 'from' ? 'to' : 'from';
  if (next.from > next.to) return { ...next, [other]: value };
  if (lengthOf(next) <= limits.rangeDays) return next;
  return { ...next, [other]: moved(value, (end === 'from' ? 1 : -1) * (limits.rangeDays - 1)) };
}

/** The first day of a month, so many months before that of a day. */
function monthsBack(date: string, months: number): string {
  const [year = 0, month = 1] = date.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1 - months, 1)).toISOString().slice(0, 10);
}

/** 29 February has none: the day before takes its place. */
function yearBefore(date: string): string {
  const year = Number(date.slice(0, 4)) - 1;
  return date.slice(4) === '-02-29' ? `${year}-02-28` : `${year}${date.slice(4)}`;
}

export function moved(date: string, days: number): string {
  return new Date(Date.parse(date) + days * dayMs).toISOString().slice(0, 10);
}

/** 30 February is none. */
function isDay(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const at = Date.parse(value);
  return Number.isFinite(at) && new Date(at).toISOString().slice(0, 10) === value;
}
