import { dayOf } from '@tributary/rules';
import { dayMs } from '@tributary/vocabulary';

/** A query parameter holds 128 KiB; the remainder is for quotes. */
const parameterLength = 125_000;
const parameters = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16] as const;

/** Every currency on every day of the longest report, each rate with all its digits. */
export const maxRates = 70_000;

/**
 * Encodes exchange rates as parameters of the delivery queries. Input lines are "currency day rate"; lines of consecutive days are joined,
 * so that each further day costs only the digits of its rate and a comma.
 */
export function rateParameters(lines: readonly string[]) {
  const filled = fill(joinDays(lines));
  const parts = parameters.map((number) => [`rates_${number}`, filled[number - 1] ?? []]);
  return Object.fromEntries(parts) as Record<`rates_${(typeof parameters)[number]}`, string[]>;
}

const dayAfter = (day: string): string => dayOf(new Date(Date.parse(day) + dayMs));

function joinDays(lines: readonly string[]): string[] {
  const joined: string[] = [];
  let [runOf, nextDay] = ['', ''];
  let run: string[] = [];
  for (const line of lines.toSorted()) {
    const [currency = '', day = '', rate = ''] = line.split(' ');
    if (currency === runOf && day === nextDay) run.push(rate);
    else {
      if (run.length > 0) joined.push(run.join());
      run = [`${currency} ${day} ${rate}`];
    }
    [runOf, nextDay] = [currency, dayAfter(day)];
  }
  if (run.length > 0) joined.push(run.join());
  return joined;
}

function fill(lines: readonly string[]): string[][] {
  const filled: string[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const line of lines) {
    length += line.length + 3;
    if (length > parameterLength) {
      filled.push([]);
      length = line.length + 3;
    }
    filled.at(-1)?.push(line);
  }
  if (filled.length > parameters.length) throw new RangeError('There are more exchange rates than a report can take.');
  return filled;
}
