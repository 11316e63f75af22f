import type { PaymentStatus, RefundKind, RefundStatus } from '@tributary/vocabulary';
import type { Money } from './event-input.ts';
import { compareAmounts, subtractAmounts, sumAmounts } from './money.ts';

/** A refund or dispute that a provider told of, or the business in its place. */
export interface SaidRefund {
  readonly kind: RefundKind;
  readonly status: RefundStatus;
  readonly amount: string;
  /** Null: that of the payment. */
  readonly currency: string | null;
}

/** What of a payment went back: by what its provider says, and by what the merchant says beside it. */
export interface Reversals {
  /** Told by the provider, and no more than was paid. */
  readonly reversed: string;
  /** All of it as it was told, which may be more than was paid. */
  readonly refunded: string;
  readonly status: PaymentStatus;
}

/**
 * What refunds come to. It follows from the set of them alone, in whatever order they came: one counts while it is not withdrawn and its
 * currency is the payment's.
 */
export function reversalsOf(
  { amount, currency }: Money,
  said: readonly SaidRefund[],
  manual: string | null,
): Reversals {
  const counted = said.filter((one) => one.status === 'completed' && (one.currency ?? currency) === currency);
  const reversed = sumAmounts(counted.map((one) => one.amount));
  const refunded = sumAmounts([reversed, manual ?? '0']);
  const isDisputed = counted.some(({ kind }) => kind === 'dispute');
  return { reversed: lesser(reversed, amount), refunded, status: isDisputed ? 'disputed' : statusOf(amount, refunded) };
}

const statusOf = (amount: string, refunded: string): PaymentStatus => {
  if (compareAmounts(refunded, '0') === 0) return 'succeeded';
  return compareAmounts(refunded, amount) < 0 ? 'partially_refunded' : 'refunded';
};

/** What is left of an amount. Nobody gives back more than they got. */
export const netOf = (amount: string, refunded: string): string => subtractAmounts(amount, lesser(refunded, amount));

export const lesser = (one: string, other: string): string => (compareAmounts(one, other) <= 0 ? one : other);
