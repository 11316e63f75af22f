import { isCurrency } from './money.ts';

/** A source's quote for a day: an amount of a currency and the US dollars of equal value. */
export interface Quote {
  /** YYYY-MM-DD */
  readonly day: string;
  readonly currency: string;
  readonly units: string;
  readonly usd: string;
}

/**
 * The file does not have the format that its source publishes. It is rejected as a whole: a part of the rates would
 * be worse than none.
 */
export class UnreadableRates extends Error {
  override readonly name = 'UnreadableRates';
}

const isRate = (text: string): boolean => /^\d{1,12}(\.\d{1,20})?$/.test(text) && Number(text) > 0;
const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;

/** Adds the dollar itself to the quotes of a day. */
const withDollar = (day: string, usd: string, quotes: readonly Quote[]): Quote[] => [
  { day, currency: 'USD', units: usd, usd },
  ...quotes.filter(({ currency }) => currency !== 'USD'),
];

/** Parses one row of an operator's file: day, currency, units per US dollar. Undefined: the row has no valid rate. */
export function readRateRow([day = '', currency = '', perUsd = '']: readonly string[]): Quote[] | undefined {
  const code = currency.trim().toUpperCase();
  const [date, units] = [day.trim(), perUsd.trim()];
  if (!isDay(date) || !isCurrency(code) || !isRate(units) || (code === 'USD' && Number(units) !== 1)) return undefined;
  return withDollar(date, '1', [{ day: date, currency: code, units, usd: '1' }]);
}

/** Parses the European Central Bank's reference rates (eurofxref XML, one day or many): units per euro. */
export function readEcbRates(xml: string): Quote[] {
  const days = [...xml.matchAll(/<Cube\s+time=['"]([\d-]{10})['"]\s*>([\s\S]*?)<\/Cube>/g)];
  const quotes = days.flatMap(([, day = '', cubes = '']) => {
    const rates = [...cubes.matchAll(/<Cube\s+currency=['"]([A-Z]{3})['"]\s+rate=['"]([\d.]+)['"]\s*\/>/g)].map(
      ([, currency = '', units = '']) => ({ currency, units }),
    );
    const usd = rates.find(({ currency }) => currency === 'USD')?.units;
    if (!isDay(day) || usd === undefined || rates.some(({ units }) => !isRate(units)))
      throw new UnreadableRates('A day of the European Central Bank cannot be read.');
    const supportedRates = [...rates, { currency: 'EUR', units: '1' }].filter(({ currency }) => isCurrency(currency));
    return withDollar(
      day,
      usd,
      supportedRates.map((rate) => ({ ...rate, day, usd })),
    );
  });
  if (quotes.length === 0) throw new UnreadableRates('The European Central Bank’s file holds no day.');
  return quotes;
}

/**
 * Parses Banco Central de Chile's series of the observed dollar (JSON): pesos per dollar; days without a rate are
 * "ND".
 */
export function readBcchRates(json: string): Quote[] {
  let series: { Series?: { Obs?: unknown } | null };
  try {
    series = JSON.parse(json) as typeof series;
  } catch {
    throw new UnreadableRates('The answer of Banco Central de Chile is not JSON.');
  }
  const days = series.Series?.Obs;
  if (!Array.isArray(days)) throw new UnreadableRates('The answer of Banco Central de Chile holds no series.');
  return days.flatMap((one: { indexDateString?: unknown; value?: unknown; statusCode?: unknown }) => {
    if (one.statusCode !== 'OK') return [];
    const [, date = '', month = '', year = ''] = /^(\d{2})-(\d{2})-(\d{4})$/.exec(String(one.indexDateString)) ?? [];
    const [day, units] = [`${year}-${month}-${date}`, String(one.value)];
    if (!isDay(day) || !isRate(units)) throw new UnreadableRates('A day of Banco Central de Chile cannot be read.');
    return withDollar(day, '1', [{ day, currency: 'CLP', units, usd: '1' }]);
  });
}
