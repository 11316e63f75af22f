/** Stripe's smallest units, which differ from ISO 4217: Icelandic kronur and Ugandan shillings are reported in hundredths. */
const decimals: readonly (readonly [number, string])[] = [
  [0, 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'],
  [3, 'BHD JOD KWD OMR TND'],
];
const decimalsOf = new Map(
  decimals.flatMap(([digits, codes]) => codes.split(' ').map((code) => [code, digits] as const)),
);

/** Converts to a decimal in major units. */
export function fromStripeUnits(amount: number, currency: string): string {
  const digits = decimalsOf.get(currency.toUpperCase()) ?? 2;
  const text = String(Math.abs(amount)).padStart(digits + 1, '0');
  const whole = text.slice(0, text.length - digits);
  const sign = amount < 0 ? '-' : '';
  return digits === 0 ? `${sign}${whole}` : `${sign}${whole}.${text.slice(-digits)}`;
}
