import type { PaymentStatus, RefundKind, RefundStatus } from '@tributary/vocabulary';
import type { Money } from './event-input.ts';
import { compareAmounts, subtractAmounts, sumAmounts } from './money.ts';

/** A refund or dispute reported by a provider, or by the business in its place. */
export interface ReportedRefund {
  readonly kind: RefundKind;
  readonly status: RefundStatus;
  readonly amount: string;
  /** Null: the currency of the payment. */
  readonly currency: string | null;
}

/** The returned part of a payment, as reported by its provider and by the merchant. */
export interface Reversals {
  /** Reported by the provider, limited to the amount paid. */
  readonly reversed: string;
  /** The full reported amount, which may exceed the amount paid. */
  readonly refunded: string;
  readonly status: PaymentStatus;
}

/**
 * Sums refunds. The result depends only on the set of them, not on their order. A refund counts if it is not
 * withdrawn and has the payment's currency.
 */
export function reversalsOf(
  { amount, currency }: Money,
  reported: readonly ReportedRefund[],
  manual: string | null,
): Reversals {
  const counted = reported.filter((one) => one.status === 'completed' && (one.currency ?? currency) === currency);
  const reversed = sumAmounts(counted.map((one) => one.amount));
  const refunded = sumAmounts([reversed, manual ?? '0']);
  const isDisputed = counted.some(({ kind }) => kind === 'dispute');
  return { reversed: lesser(reversed, amount), refunded, status: isDisputed ? 'disputed' : statusOf(amount, refunded) };
}

const statusOf = (amount: string, refunded: string): PaymentStatus => {
  if (compareAmounts(refunded, '0') === 0) return 'succeeded';
  return compareAmounts(refunded, amount) < 0 ? 'partially_refunded' : 'refunded';
};

/** What remains of an amount; never negative. */
export const netAmount = (amount: string, refunded: string): string =>
  subtractAmounts(amount, lesser(refunded, amount));

export const lesser = (one: string, other: string): string => (compareAmounts(one, other) <= 0 ? one : other);
