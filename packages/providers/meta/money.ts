import { z } from 'zod';
import { decimalText } from '../read-answer.ts';

/** Minimum daily budget of an account, in Meta's unit. */
export const leastBudget = decimalText.pipe(z.string().regex(/^\d{1,18}$/));

/** Currencies that Meta's budgets count in whole units. All others are in hundredths, whatever ISO 4217 says of their digits. */
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

/** A budget as Meta writes it ("4050") as a decimal in major units ("40.50"). */
export function fromMetaUnits(units: string, currency: string): string {
  if (!/^\d+$/.test(units)) throw new RangeError(`${units} is no amount in Meta's unit.`);
  const digits = units.replace(/^0+(?=\d)/, '');
  if (inWholeUnits.has(currency)) return digits;
  const padded = digits.padStart(3, '0');
  return `${padded.slice(0, -2)}.${padded.slice(-2)}`;
}

/** Undefined: the amount has a fraction that Meta's unit cannot say. */
export function toMetaUnits(amount: string, currency: string): string | undefined {
  const read = /^(\d+)(?:\.(\d+))?$/.exec(amount);
  if (!read) return undefined;
  const [, whole = '', fraction = ''] = read;
  const places = inWholeUnits.has(currency) ? 0 : 2;
  const kept = fraction.replace(/0+$/, '');
  if (kept.length > places) return undefined;
  return `${whole}${kept.padEnd(places, '0')}`.replace(/^0+(?=\d)/, '');
}
