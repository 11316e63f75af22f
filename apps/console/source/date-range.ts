import { dayMs } from '@tributary/vocabulary';
import { t } from './messages/index.ts';
import { limits } from './vocabulary.ts';

/** The dates of a report, both inclusive, as the URL contains them. */
export interface DateRange {
  readonly from: string;
  readonly to: string;
}

const usualDays = 30;

/** Named ranges that end today. */
export const presets: readonly { readonly title: string; readonly range: (today: string) => DateRange }[] = [
  { title: t.days.today, range: (day) => ({ from: day, to: day }) },
  { title: t.days.yesterday, range: (day) => ({ from: moved(day, -1), to: moved(day, -1) }) },
  { title: t.days.last7, range: (day) => lastDays(7, day) },
  { title: t.days.last30, range: (day) => lastDays(usualDays, day) },
  { title: t.days.last90, range: (day) => lastDays(90, day) },
  { title: t.days.thisMonth, range: (day) => ({ from: monthsBack(day, 0), to: day }) },
  { title: t.days.lastMonth, range: (day) => ({ from: monthsBack(day, 1), to: moved(monthsBack(day, 0), -1) }) },
  {
    title: t.days.thisQuarter,
    range: (day) => ({ from: monthsBack(day, (Number(day.slice(5, 7)) - 1) % 3), to: day }),
  },
  { title: t.days.thisYear, range: (day) => ({ from: `${day.slice(0, 4)}-01-01`, to: day }) },
];

/** The periods that a report can be compared with. */
export const comparisons = {
  period: t.days.periodBefore,
  year: t.days.yearBefore,
  none: t.days.noComparison,
} as const;
export type Compared = keyof typeof comparisons;

/** The period of the same length right before, or the same dates one year earlier. */
export function comparedRange(range: DateRange, compared: Compared): DateRange | undefined {
  if (compared === 'none') return undefined;
  const days = lengthOf(range);
  if (compared === 'period') return { from: moved(range.from, -days), to: moved(range.from, -1) };
  const from = yearBefore(range.from);
  return { from, to: moved(from, days - 1) };
}

/** Before any ad that a report could contain. */
export const earliest = '2000-01-01';

/** The reader's local date: close enough to the profile's time zone for choosing dates. */
export function today(now = new Date()): string {
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 10);
}

/** The given number of days, ending on `to`. */
export const lastDays = (days: number, to: string): DateRange => ({ from: moved(to, 1 - days), to });

export const lengthOf = ({ from, to }: DateRange): number => (Date.parse(to) - Date.parse(from)) / dayMs + 1;

/** The range in the URL if it is valid, otherwise the default range. */
export function readRange(search: Readonly<Record<string, unknown>>, now = today()): DateRange {
  const { from, to } = search;
  if (!isDay(from) || !isDay(to)) return lastDays(usualDays, now);
  const range = { from, to };
  return from <= to && lengthOf(range) <= limits.rangeDays ? range : lastDays(usualDays, now);
}

/** Sets one end and moves the other one if the range would be invalid. */
export function withEnd(range: DateRange, end: 'from' | 'to', value: string): DateRange {
  if (!isDay(value)) return range;
  const next = { ...range, [end]: value };
  const other = end === 'from' ? 'to' : 'from';
  if (next.from > next.to) return { ...next, [other]: value };
  if (lengthOf(next) <= limits.rangeDays) return next;
  return { ...next, [other]: moved(value, (end === 'from' ? 1 : -1) * (limits.rangeDays - 1)) };
}

/** The first day of the month that lies the given number of months before the date's month. */
function monthsBack(date: string, months: number): string {
  const [year = 0, month = 1] = date.split('-').map(Number);
  return new Date(Date.UTC(year, month - 1 - months, 1)).toISOString().slice(0, 10);
}

/** 29 February has no counterpart, so 28 February is used. */
function yearBefore(date: string): string {
  const year = Number(date.slice(0, 4)) - 1;
  return date.slice(4) === '-02-29' ? `${year}-02-28` : `${year}${date.slice(4)}`;
}

export function moved(date: string, days: number): string {
  return new Date(Date.parse(date) + days * dayMs).toISOString().slice(0, 10);
}

/** Rejects dates that do not exist, such as 30 February. */
function isDay(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const at = Date.parse(value);
  return Number.isFinite(at) && new Date(at).toISOString().slice(0, 10) === value;
}
