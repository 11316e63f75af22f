/** Money calculations of the simulator, which use no code of the product: whole minor units, and rates that change from month to month. */

export const digits = { USD: 2, CLP: 0, MXN: 2 } as const;
export type Currency = keyof typeof digits;
export const currencies = Object.keys(digits) as Currency[];

/** Units per US dollar, by month. Their quotients have few decimals, so no rate has to be rounded. */
const perDollar: Readonly<Record<Currency, readonly bigint[]>> = {
  USD: [1n],
  CLP: [800n, 1_000n, 1_250n],
  MXN: [16n, 20n, 25n],
};

export function rateOf(currency: Currency, day: string): bigint {
  const month = Number(day.slice(5, 7));
  const rates = perDollar[currency];
  return rates[month % rates.length] as bigint;
}

/** Converts an amount at the rate of a day. Halves are rounded away from zero, as the API documents. */
export function inCurrency(minor: bigint, from: Currency, to: Currency, day: string): bigint {
  const over = minor * rateOf(to, day) * 10n ** BigInt(digits[to]);
  const under = rateOf(from, day) * 10n ** BigInt(digits[from]);
  const [size, sign] = over < 0n ? [-over, -1n] : [over, 1n];
  return (sign * (2n * size + under)) / (2n * under);
}

/** Formats an amount with all decimals of the currency. */
export function textOf(minor: bigint | number, currency: Currency): string {
  const places = digits[currency];
  const whole = String(minor).padStart(places + 1, '0');
  return places === 0 ? whole : `${whole.slice(0, -places)}.${whole.slice(-places)}`;
}

/** Parses an amount of an API response, which is a number or a string. */
export function minorOf(amount: number | string, currency: Currency): bigint {
  const [whole = '0', decimals = ''] = String(amount).split('.');
  return BigInt(whole + decimals.padEnd(digits[currency], '0').slice(0, digits[currency]));
}
