import { dayMs } from '@tributary/vocabulary';
import { limits } from './vocabulary.ts';

/** The days of a report, both included, as they stand in the address. */
export interface DateRange {
  readonly from: string;
  readonly to: string;
}

const usualDays = 30;

export const presets = [7, 30, 90] as const;

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

function moved(date: string, days: number): string {
  return new Date(Date.parse(date) + days * dayMs).toISOString().slice(0, 10);
}

/** 30 February is none. */
function isDay(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return false;
  const at = Date.parse(value);
  return Number.isFinite(at) && new Date(at).toISOString().slice(0, 10) === value;
}
