import { convert } from '@tributary/rules';

/** Units of each currency per US dollar. Pesos have no decimals, dinars have three. */
export const rates = { USD: '1', CLP: '900', KWD: '0.3' } as const;
export type Currency = keyof typeof rates;
const rateOf = (currency: Currency) =>
  ({ USD: '1', CLP: '0.00111111111111111111', KWD: '3.33333333333333333333' })[currency];

/** The expected state of a payment. The book does not use the product's calculations. */
export interface Booked {
  readonly key: string;
  readonly currency: Currency;
  amount: bigint;
  /** Refunds by key, as last reported. */
  readonly refunds: Map<string, { amount: bigint; isWithdrawn: boolean }>;
  manual: bigint | null;
  payer: string | null;
  readonly customer: string;
  isInstallment: boolean;
  id: string;
  /** True while an actor changes the payment. With two at once, the book could not know which change was the last. */
  isBusy: boolean;
}

export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
export const reversed = ({ refunds }: Booked): bigint =>
  [...refunds.values()].reduce((sum, { amount, isWithdrawn }) => sum + (isWithdrawn ? 0n : amount), 0n);
export const net = (one: Booked): bigint => one.amount - least(reversed(one) + (one.manual ?? 0n), one.amount);
export const reporting = (one: Booked): bigint => convert(text(net(one), one.currency), rateOf(one.currency), 'USD');

const digits = { USD: 2, CLP: 0, KWD: 3 } as const;
export function text(amount: bigint, currency: Currency): string {
  const places = digits[currency];
  const whole = amount.toString().padStart(places + 1, '0');
  return places === 0 ? whole : `${whole.slice(0, -places)}.${whole.slice(-places)}`;
}
export const dollars = (cents: bigint): string => text(cents, 'USD');
export function minor(amount: string, currency: Currency): bigint {
  const [whole = '0', decimals = ''] = amount.split('.');
  return BigInt(whole + decimals.padEnd(digits[currency], '0').slice(0, digits[currency]));
}

export const eventOf = (one: Booked) => ({
  event_name: 'payment_received',
  idempotency_key: one.key,
  occurred_at: new Date(Date.UTC(2026, 4, 1 + (Number(one.key.slice(2)) % 28), 12)).toISOString(),
  properties: { value: text(one.amount, one.currency), currency: one.currency },
  user_traits: { external_id: one.customer },
});

export const refundOf = (
  one: Booked,
  key: string,
  { amount, isWithdrawn }: { amount: bigint; isWithdrawn: boolean },
) => ({
  event_name: 'refund',
  idempotency_key: `${one.key} ${key}`,
  refund_of: one.key,
  refund_status: isWithdrawn ? 'withdrawn' : 'completed',
  properties: { value: text(amount, one.currency), currency: one.currency },
});
