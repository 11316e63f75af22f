import { convert, type Quote } from '@tributary/rules';
import { dayMs } from '@tributary/vocabulary';
import { SeededRandom } from './seeded-random.ts';

export interface Rates {
  /** All quotes, as a source would publish them: none on weekends. */
  readonly quotes: readonly Quote[];
  /** Converts an amount at the rate of a day, to minor units. Undefined: no rate is known. */
  convert(amount: string, currency: string, to: string, day: string): Converted | undefined;
}

export interface Converted {
  readonly value: bigint;
  readonly rate: string;
  readonly rateDate: string;
}

/** Occasionally used in payments; no source has a rate for it. */
export const currencyWithoutRate = 'PEN';

/** Approximate units per dollar for common currencies; others use 10. */
const typicalUnits: Readonly<Record<string, number>> = {
  USD: 1,
  EUR: 0.91,
  CLP: 950,
  KWD: 0.31,
  JPY: 149,
  BRL: 5.4,
  MXN: 18,
};
export const unitsForDollar = (currency: string): number => typicalUnits[currency] ?? 10;

/** A purchase on a Sunday on the first day, far east of Greenwich, needs the rate of the Friday before. */
const leadDays = 5;

export function createRates(of: {
  readonly seed: number;
  readonly from: number;
  readonly days: number;
  readonly currencies: readonly string[];
}): Rates {
  const currencies = [...new Set(['USD', ...of.currencies])].filter((currency) => currency !== currencyWithoutRate);
  const lastOf = new Map<string, ReadonlyMap<string, { units: string; day: string }>>();
  const quotes: Quote[] = [];
  for (const [index, currency] of currencies.entries()) {
    const dice = new SeededRandom(of.seed, 0x7a7e5, index);
    const byDay = new Map<string, { units: string; day: string }>();
    let units = unitsForDollar(currency);
    let last = { units: '', day: '' };
    for (let number = -leadDays; number < of.days + 2; number += 1) {
      const at = of.from + number * dayMs;
      const day = new Date(at).toISOString().slice(0, 10);
      units *= 0.995 + dice.unit() / 100;
      if (![0, 6].includes(new Date(at).getUTCDay()) || last.day === '') {
        last = { units: currency === 'USD' ? '1' : units.toFixed(6), day };
        quotes.push({ day, currency, units: last.units, usd: '1' });
      }
      byDay.set(day, last);
    }
    lastOf.set(currency, byDay);
  }
  return {
    quotes,
    convert(amount, currency, to, day) {
      if (currency === to) return { value: convert(amount, '1', to), rate: '1', rateDate: day };
      const [source, target] = [lastOf.get(currency)?.get(day), lastOf.get(to)?.get(day)];
      if (!source || !target) return undefined;
      const rate = quotient(target.units, source.units);
      return {
        value: convert(amount, rate, to),
        rate,
        rateDate: source.day, // All currencies are quoted on the same days.
      };
    },
  };
}

/** To 20 decimals, half rounded up. Both operands have at most six. */
function quotient(dividend: string, divisor: string): string {
  const [top, bottom] = [millionths(dividend), millionths(divisor)];
  const units = (top * 10n ** 20n * 2n + bottom) / (bottom * 2n);
  const digits = units.toString().padStart(21, '0');
  return `${digits.slice(0, -20)}.${digits.slice(-20)}`;
}

function millionths(text: string): bigint {
  const [whole = '0', decimals = ''] = text.split('.');
  return BigInt(whole + decimals.padEnd(6, '0'));
}
