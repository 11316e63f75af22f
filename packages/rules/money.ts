/**
 * Money is exact: an amount is a decimal string as sent, and an integer of minor units (cents, or pesos, which have
 * no cents) when it is counted. Calculations use bigint, because a float loses cents, and a decimal library with
 * fixed precision loses them later. SQL can repeat all of this in integers.
 */

// ISO 4217 as published for 2026, by the number of minor digits. Gold, drawing rights and test codes have none and
// are not used for payments. Node's own table (CLDR) has the digits that people write, not those that banks settle
// (IQD, AFN).
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
  // Withdrawn since 2021. Payments in them are still imported and corrected.
  [2, 'ANG BGN CUC HRK SLL ZWL'],
];

const digitsOf: ReadonlyMap<string, number> = new Map(
  codesByMinorDigits.flatMap(([digits, codes]) => codes.split(/\s+/).map((code) => [code, digits] as const)),
);

export const currencies: readonly string[] = [...digitsOf.keys()];

export const isCurrency = (code: string): boolean => digitsOf.has(code);

/** The number of decimals of the currency: 0, 2, 3 or 4. */
export function minorDigits(currency: string): number {
  const digits = digitsOf.get(currency);
  if (digits === undefined) throw new RangeError(`${currency} is not a currency of ISO 4217.`);
  return digits;
}

/**
 * Limits of amounts in requests. Below 10^12 a JSON number still distinguishes thousandths, so nothing is lost before
 * parsing. Twenty decimals fit the result of a caller's float arithmetic (0.1 + 0.2).
 */
const maxWholeDigits = 12;
const maxDecimals = 20;

export type AmountRefusal = 'not_a_decimal' | 'too_many_digits';
export type ParsedAmount =
  | { readonly ok: true; readonly amount: string }
  | { readonly ok: false; readonly reason: AmountRefusal };

// Only unambiguous notation: no exponent, no grouping, no leading zero.
const plainDecimal = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/**
 * Parses an amount of a request to a decimal string. Equal amounts give equal strings (12.5 and "12.50"), so that a
 * retry is recognised as a duplicate. A JSON number becomes its shortest decimal, which is what the caller wrote. The
 * caller of this function decides whether negative amounts are allowed.
 */
export function parseAmount(value: unknown): ParsedAmount {
  const isRead =
    typeof value === 'number' ? Number.isFinite(value) : typeof value === 'string' && plainDecimal.test(value);
  if (!isRead) return { ok: false, reason: 'not_a_decimal' };
  const text = String(value);
  // Checked before any arithmetic: a megabyte of digits would block the process.
  if (text.length > 2 + maxWholeDigits + maxDecimals) return { ok: false, reason: 'too_many_digits' };
  const amount = formatDecimal(parseDecimal(text));
  const [whole = '', decimals = ''] = amount.replace('-', '').split('.');
  const isInRange = whole.length <= maxWholeDigits && decimals.length <= maxDecimals;
  return isInRange ? { ok: true, amount } : { ok: false, reason: 'too_many_digits' };
}

/**
 * Rounds half away from zero, like PostgreSQL's numeric, so that amounts can be checked in the ledger. -x always
 * rounds to minus the rounded x, so that a full refund leaves nothing. Half-even would only help with repeated
 * rounding, and an amount is rounded once.
 */
export function toMinorUnits(amount: string, currency: string): bigint {
  return round(parseDecimal(amount), minorDigits(currency));
}

/** Whether the amount has more decimals than the currency. */
export const isFinerThan = (amount: string, currency: string): boolean =>
  (amount.split('.')[1] ?? '').replace(/0+$/, '').length > minorDigits(currency);

/** With all decimals of the currency: "12.50" dollars, "1250" pesos. */
export function fromMinorUnits(minorUnits: bigint, currency: string): string {
  return formatDigits({ units: minorUnits, scale: minorDigits(currency) });
}

/**
 * The canonical text of an exact amount: all decimals of its currency, and more only if the amount has more. Every
 * amount in a response goes through here or through `fromMinorUnits`.
 */
export function moneyText(amount: string, currency: string): string {
  const trimmed = parseDecimal(formatDecimal(parseDecimal(amount)));
  const scale = Math.max(trimmed.scale, minorDigits(currency));
  return formatDigits({ units: round(trimmed, scale), scale });
}

/**
 * Converts an amount to another currency, in minor units of that one. The rate is the value of one unit of the
 * amount's currency. The exact product is rounded once: rounding to the first currency as well could change the
 * result by a unit.
 */
export function convert(amount: string, rate: string, toCurrency: string): bigint {
  const [from, by] = [parseDecimal(amount), parseDecimal(rate)];
  if (by.units <= 0n) throw new RangeError(`An exchange rate is above zero, not ${rate}.`);
  return round({ units: from.units * by.units, scale: from.scale + by.scale }, minorDigits(toCurrency));
}

/** What remains of an amount, for example after refunds. */
export function subtractAmounts(amount: string, subtrahend: string): string {
  const [a, b, scale] = align(amount, subtrahend);
  return formatDecimal({ units: a - b, scale });
}

/** An amount at a rate, exactly. */
export function multiplyAmounts(amount: string, rate: string): string {
  const [from, by] = [parseDecimal(amount), parseDecimal(rate)];
  return formatDecimal({ units: from.units * by.units, scale: from.scale + by.scale });
}

/** The exact sum. */
export function sumAmounts(amounts: readonly string[]): string {
  return amounts.reduce((sum, amount) => {
    const [a, b, scale] = align(sum, amount);
    return formatDecimal({ units: a + b, scale });
  }, '0');
}

/** The quotient, rounded once to the given number of decimals. The divisor must not be zero. */
export function divideAmounts(dividend: string, divisor: string, scale: number): string {
  const [over, under] = [parseDecimal(dividend), parseDecimal(divisor)];
  const [units, unit] = [over.units * powerOfTen(under.scale + scale), under.units * powerOfTen(over.scale)];
  return formatDecimal({ units: roundQuotient(units, unit), scale });
}

/** The amount with at most the given number of decimals. */
export const roundAmount = (amount: string, scale: number): string =>
  formatDecimal({ units: round(parseDecimal(amount), scale), scale });

/** Negative, zero or positive, as the first is less than, equal to or greater than the second. */
export function compareAmounts(first: string, second: string): number {
  const [a, b] = align(first, second);
  return a === b ? 0 : a < b ? -1 : 1;
}

/**
 * Divides a total by weights so that the shares add up exactly. Each share is rounded down, and the remaining units
 * go to the largest remainders; ties go to the earliest. A weight of zero gets nothing. A negative total is divided
 * like a positive one, so that a refund mirrors the original credit.
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
  const roundedUp = new Set(byRemainder.slice(0, Number(left)));
  return parts.map((part) => sign * (part.share + (roundedUp.has(part) ? 1n : 0n)));
}

/** units / 10^scale */
interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

const powerOfTen = (exponent: number): bigint => 10n ** BigInt(exponent);

/** JavaScript writes very large and very small numbers with an exponent. */
const decimalShape = /^(-?\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;

function parseDecimal(text: string): Decimal {
  const [, whole, decimals = '', exponent = '0'] = decimalShape.exec(text) ?? [];
  if (whole === undefined) throw new RangeError(`${text} is not a decimal number.`);
  const units = BigInt(whole + decimals);
  const scale = decimals.length - Number(exponent);
  return scale >= 0 ? { units, scale } : { units: units * powerOfTen(-scale), scale: 0 };
}

function formatDigits({ units, scale }: Decimal): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const point = digits.length - scale;
  return `${units < 0n ? '-' : ''}${digits.slice(0, point)}${scale > 0 ? `.${digits.slice(point)}` : ''}`;
}

/** Without trailing zeros, and without a sign on zero. */
function formatDecimal(decimal: Decimal): string {
  let { units, scale } = decimal;
  while (scale > 0 && units % 10n === 0n) {
    units /= 10n;
    scale -= 1;
  }
  return formatDigits({ units, scale });
}

function round({ units, scale }: Decimal, toScale: number): bigint {
  if (scale <= toScale) return units * powerOfTen(toScale - scale);
  return roundQuotient(units, powerOfTen(scale - toScale));
}

/** Rounds half away from zero. */
function roundQuotient(dividend: bigint, divisor: bigint): bigint {
  const [over, under] = [dividend < 0n ? -dividend : dividend, divisor < 0n ? -divisor : divisor];
  const rounded = (2n * over + under) / (2n * under);
  return dividend < 0n === divisor < 0n ? rounded : -rounded;
}

function align(first: string, second: string): [a: bigint, b: bigint, scale: number] {
  const [a, b] = [parseDecimal(first), parseDecimal(second)];
  const scale = Math.max(a.scale, b.scale);
  return [round(a, scale), round(b, scale), scale];
}
