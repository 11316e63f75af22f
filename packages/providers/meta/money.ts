import { z } from 'zod';
import { decimalText } from '../read-answer.ts';

/** Minimum daily budget of an account, in Meta's unit. */
export const minDailyBudget = decimalText.pipe(z.string().regex(/^\d{1,18}$/));

/** Currencies in which Meta's budgets are whole units. All others are in hundredths, regardless of ISO 4217. */
const inWholeUnits: ReadonlySet<string> = new Set([
  'CLP',
  'COP',
  'CRC',
  'HUF',
  'IDR',
  'ISK',
  'JPY',
  'KRW',
  'PYG',
  'TWD',
  'VND',
]);

/** Converts a budget in Meta's unit ("4050") to a decimal in major units ("40.50"). */
export function fromMetaUnits(units: string, currency: string): string {
  if (!/^\d+$/.test(units)) throw new RangeError(`${units} is no amount in Meta's unit.`);
  const digits = units.replace(/^0+(?=\d)/, '');
  if (inWholeUnits.has(currency)) return digits;
  const padded = digits.padStart(3, '0');
  return `${padded.slice(0, -2)}.${padded.slice(-2)}`;
}

/** Returns undefined if the amount has more fraction digits than Meta's unit. */
export function toMetaUnits(amount: string, currency: string): string | undefined {
  const read = /^(\d+)(?:\.(\d+))?$/.exec(amount);
  if (!read) return undefined;
  const [, whole = '', fraction = ''] = read;
  const places = inWholeUnits.has(currency) ? 0 : 2;
  const significant = fraction.replace(/0+$/, '');
  if (significant.length > places) return undefined;
  return `${whole}${significant.padEnd(places, '0')}`.replace(/^0+(?=\d)/, '');
}
