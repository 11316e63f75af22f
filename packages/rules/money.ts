/**
 * Money is exact: an amount is a decimal string as its sender wrote it, and a whole number of minor units (cents, or pesos where
 * there are no cents) as soon as it is counted. In between there are only bigints, because a float loses cents, and a decimal
 * library with a set precision loses them later. Whatever SQL must repeat of this, it can repeat in integers.
 */

// ISO 4217 as published for 2026, by the digits of the minor unit. Gold, drawing rights and test codes have none, and nobody pays
// in them. Node's own table (CLDR) is no substitute: it has the digits that people write, not those that banks settle (IQD, AFN).
const codesByMinorDigits: readonly (readonly [digits: number, codes: string])[] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [
    2,
    `AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CNY COP COU CRC
    CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR
    KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN
    PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS
    UAH USD USN UYU UZS VED VES WST XAD XCD XCG YER ZAR ZMW ZWG`,
  ],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
  // Withdrawn since 2021. Payments made in them are still imported and corrected.
  [2, 'ANG BGN CUC HRK SLL ZWL'],
];

const digitsOf: ReadonlyMap<string, number> = new Map(
  codesByMinorDigits.flatMap(([digits, codes]) => codes.split(/\s+/).map((code) => [code, digits] as const)),
);

export const currencies: readonly string[] = [...digitsOf.keys()];

export const isCurrency = (code: string): boolean => digitsOf.has(code);

/** How many decimals the currency's amounts have: 0, 2, 3 or 4. */
export function minorDigits(currency: string): number {
  const digits = digitsOf.get(currency);
  if (digits === undefined) throw new RangeError(`${currency} is not a currency of ISO 4217.`);
  return digits;
}

/**
 * What a caller may send. Below 10^12 a JSON number still tells a thousandth from its neighbour, so nothing is lost before we see
 * it. Twenty decimals hold what a caller's own floats make of a price (0.1 + 0.2), and no more.
 */
const maxWholeDigits = 12;
const maxDecimals = 20;

export type AmountRefusal = 'not_a_decimal' | 'too_many_digits';
export type ParsedAmount =
  | { readonly ok: true; readonly amount: string }
  | { readonly ok: false; readonly reason: AmountRefusal };

// One reading only: no exponent, no grouping, no leading zero that might be an octal or a code.
const plainDecimal = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/**
 * An amount that a caller gave, as a decimal string. Equal amounts give equal strings (12.5 and "12.50"), so that a retry is seen
 * to say the same. Of a JSON number it is the shortest decimal that means that number: what the caller wrote. Whether it may be
 * negative is the caller's to say.
 */
export function parseAmount(value: unknown): ParsedAmount {
  const isRead =
    typeof value === 'number' ? Number.isFinite(value) : typeof value === 'string' && plainDecimal.test(value);
  if (!isRead) return { ok: false, reason: 'not_a_decimal' };
  const text = String(value);
  // Before any arithmetic: a megabyte of digits would keep the process busy.
  if (text.length > 2 + maxWholeDigits + maxDecimals) return { ok: false, reason: 'too_many_digits' };
  const amount = write(read(text));
  const [whole = '', decimals = ''] = amount.replace('-', '').split('.');
  const isKept = whole.length <= maxWholeDigits && decimals.length <= maxDecimals;
  return isKept ? { ok: true, amount } : { ok: false, reason: 'too_many_digits' };
}

/**
 * Halves go away from zero, as in PostgreSQL's numeric, so that whoever checks an amount in the ledger finds the same; and -x
 * always rounds to minus what x does, so that a refund of everything leaves nothing. Half-even would help only where a number is
 * rounded again and again, and here an amount is rounded once.
 */
export function toMinorUnits(amount: string, currency: string): bigint {
  return round(read(amount), minorDigits(currency));
}

/** Whether the amount says more than the currency's smallest unit can. */
export const isFinerThan = (amount: string, currency: string): boolean =>
  (amount.split('.')[1] ?? '').replace(/0+$/, '').length > minorDigits(currency);

/** With all the currency's decimals: "12.50" dollars, "1250" pesos. */
export function fromMinorUnits(minorUnits: bigint, currency: string): string {
  return writeAll({ units: minorUnits, scale: minorDigits(currency) });
}

/**
 * The one spelling of an exact amount in text: with all decimals of its currency, and more only where the amount has more. Every
 * amount that leaves as text goes through here or through `fromMinorUnits`.
 */
export function moneyText(amount: string, currency: string): string {
  const trimmed = read(write(read(amount)));
  const scale = Math.max(trimmed.scale, minorDigits(currency));
  return writeAll({ units: round(trimmed, scale), scale });
}

/**
 * An amount in another currency, in minor units of that one. The rate is what one unit of the amount's currency is worth. The
 * product is exact, and rounded this once: rounding to the first currency on the way could move the result by a unit.
 */
export function convert(amount: string, rate: string, toCurrency: string): bigint {
  const [from, by] = [read(amount), read(rate)];
  if (by.units <= 0n) throw new RangeError(`An exchange rate is above zero, not ${rate}.`);
  return round({ units: from.units * by.units, scale: from.scale + by.scale }, minorDigits(toCurrency));
}

/** What is left of an amount, say after refunds. */
export function subtractAmounts(amount: string, taken: string): string {
  const [a, b, scale] = align(amount, taken);
  return write({ units: a - b, scale });
}

/** An amount at a rate, with every digit that it has. */
export function multiplyAmounts(amount: string, rate: string): string {
  const [from, by] = [read(amount), read(rate)];
  return write({ units: from.units * by.units, scale: from.scale + by.scale });
}

/** All of them together, exactly. */
export function sumAmounts(amounts: readonly string[]): string {
  return amounts.reduce((sum, amount) => {
    const [a, b, scale] = align(sum, amount);
    return write({ units: a + b, scale });
  }, '0');
}

/** The quotient in decimals, rounded once to the scale. The divisor is not zero. */
export function divideAmounts(dividend: string, divisor: string, scale: number): string {
  const [over, under] = [read(dividend), read(divisor)];
  const [units, unit] = [over.units * powerOfTen(under.scale + scale), under.units * powerOfTen(over.scale)];
  return write({ units: roundQuotient(units, unit), scale });
}

/** The amount with at most so many decimals. */
export const roundAmount = (amount: string, scale: number): string =>
  write({ units: round(read(amount), scale), scale });

/** Below zero, zero or above, as the first is less than, the same as or more than the second. */
export function compareAmounts(first: string, second: string): number {
  const [a, b] = align(first, second);
  return a === b ? 0 : a < b ? -1 : 1;
}

/**
 * Shares that add up to the total to the last unit: each gets the whole units of its exact share, and the units left over go to
 * the largest remainders, of equal ones to the earliest. A weight of zero gets nothing. A negative total is divided as a positive
 * one is, so that what was taken back mirrors what was given.
 */
export function allocate(totalMinor: bigint, weights: readonly bigint[]): bigint[] {
  const sum = weights.reduce((all, weight) => all + weight, 0n);
  if (sum <= 0n || weights.some((weight) => weight < 0n)) {
    throw new RangeError('A total is divided by weights of zero and above, at least one of them above.');
  }
  const [total, sign] = totalMinor < 0n ? [-totalMinor, -1n] : [totalMinor, 1n];
  const parts = weights.map((weight, index) => ({
    index,
    share: (total * weight) / sum,
    remainder: (total * weight) % sum,
  }));
  const left = total - parts.reduce((all, { share }) => all + share, 0n);
  const byRemainder = parts.toSorted((a, b) =>
    a.remainder === b.remainder ? a.index - b.index : a.remainder > b.remainder ? -1 : 1,
  );
  const lucky = new Set(byRemainder.slice(0, Number(left)));
  return parts.map((part) => sign * (part.share + (lucky.has(part) ? 1n : 0n)));
}

/** units / 10^scale */
interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

const powerOfTen = (exponent: number): bigint => 10n ** BigInt(exponent);

/** The exponent is how JavaScript writes its very large and very small numbers. */
const decimalShape = /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;

function read(text: string): Decimal {
  const [, whole, decimals = '', exponent = '0'] = decimalShape.exec(text) ?? [];
  if (whole === undefined) throw new RangeError(`${text} is not a decimal number.`);
  const units = BigInt(whole + decimals);
  const scale = decimals.length - Number(exponent);
  return scale >= 0 ? { units, scale } : { units: units * powerOfTen(-scale), scale: 0 };
}

function writeAll({ units, scale }: Decimal): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const point = digits.length - scale;
  return `${units < 0n ? '-' : ''}${digits.slice(0, point)}${scale > 0 ? `.${digits.slice(point)}` : ''}`;
}

/** Without zeros at the end, and without a sign on zero. */
function write(decimal: Decimal): string {
  let { units, scale } = decimal;
  while (scale > 0 && units % 10n === 0n) {
    units /= 10n;
    scale -= 1;
  }
  return writeAll({ units, scale });
}

function round({ units, scale }: Decimal, toScale: number): bigint {
  if (scale <= toScale) return units * powerOfTen(toScale - scale);
  return roundQuotient(units, powerOfTen(scale - toScale));
}

/** Halves go away from zero. */
function roundQuotient(dividend: bigint, divisor: bigint): bigint {
  const [over, under] = [dividend < 0n ? -dividend : dividend, divisor < 0n ? -divisor : divisor];
  const rounded = (2n * over + under) / (2n * under);
  return dividend < 0n === divisor < 0n ? rounded : -rounded;
}

function align(first: string, second: string): [a: bigint, b: bigint, scale: number] {
  const [a, b] = [read(first), read(second)];
  const scale = Math.max(a.scale, b.scale);
  return [round(a, scale), round(b, scale), scale];
}
