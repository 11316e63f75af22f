import { isCurrency } from './money.ts';

/** What a source says of a day: units of a currency, and US dollars, for one and the same thing. */
export interface Quote {
  /** YYYY-MM-DD */
  readonly day: string;
  readonly currency: string;
  readonly units: string;
  readonly usd: string;
}

/** A source's file was not what that source publishes. Nothing of it is taken: half of the rates would be worse than none. */
export class UnreadableRates extends Error {
  override readonly name = 'UnreadableRates';
}

const isRate = (text: string): boolean => /^\d{1,12}(\.\d{1,20})?$/.test(text) && Number(text) > 0;
const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && new Date(`${text}T00:00:00Z`).toJSON()?.slice(0, 10) === text;

/** Each day of quotes says what a dollar is, too. */
const withDollar = (day: string, usd: string, quotes: readonly Quote[]): Quote[] => [
  { day, currency: 'USD', units: usd, usd },
  ...quotes.filter(({ currency }) => currency !== 'USD'),
];

/** One row of a file of one's own: day, currency, units for one US dollar. Undefined: it says no rate. */
export function readRateRow([day = '', currency = '', perUsd = '']: readonly string[]): Quote[] | undefined {
  const code = currency.trim().toUpperCase();
  const [date, units] = [day.trim(), perUsd.trim()];
  if (!isDay(date) || !isCurrency(code) || !isRate(units) || (code === 'USD' && Number(units) !== 1)) return undefined;
  return withDollar(date, '1', [{ day: date, currency: code, units, usd: '1' }]);
}

/** The European Central Bank's reference rates (eurofxref XML, one day or many): units for one euro. */
export function readEcbRates(xml: string): Quote[] {
  const days = [...xml.matchAll(/<Cube\s+time=['"]([\d-]{10})['"]\s*>([\s\S]*?)<\/Cube>/g)];
  const quotes = days.flatMap(([, day = '', cubes = '']) => {
    const rates = [...cubes.matchAll(/<Cube\s+currency=['"]([A-Z]{3})['"]\s+rate=['"]([\d.]+)['"]\s*\/>/g)].map(
      ([, currency = '', units = '']) => ({ currency, units }),
    );
    const usd = rates.find(({ currency }) => currency === 'USD')?.units;
    if (!isDay(day) || usd === undefined || rates.some(({ units }) => !isRate(units)))
      throw new UnreadableRates('A day of the European Central Bank cannot be read.');
    const known = [...rates, { currency: 'EUR', units: '1' }].filter(({ currency }) => isCurrency(currency));
    return withDollar(
      day,
      usd,
      known.map((rate) => ({ ...rate, day, usd })),
    );
  });
  if (quotes.length === 0) throw new UnreadableRates('The European Central Bank’s file holds no day.');
  return quotes;
}

/** The series of Banco Central de Chile for the observed dollar (JSON): pesos for one dollar; days off are "ND". */
export function readBcchRates(json: string): Quote[] {
  let said: { Series?: { Obs?: unknown } | null };
  try {
    said = JSON.parse(json) as typeof said;
  } catch {
    throw new UnreadableRates('The answer of Banco Central de Chile is not JSON.');
  }
  const days = said.Series?.Obs;
  if (!Array.isArray(days)) throw new UnreadableRates('The answer of Banco Central de Chile holds no series.');
  return days.flatMap((one: { indexDateString?: unknown; value?: unknown; statusCode?: unknown }) => {
    if (one.statusCode !== 'OK') return [];
    const [, date = '', month = '', year = ''] = /^(\d{2})-(\d{2})-(\d{4})$/.exec(String(one.indexDateString)) ?? [];
    const [day, units] = [`${year}-${month}-${date}`, String(one.value)];
    if (!isDay(day) || !isRate(units)) throw new UnreadableRates('A day of Banco Central de Chile cannot be read.');
    return withDollar(day, '1', [{ day, currency: 'CLP', units, usd: '1' }]);
  });
}
