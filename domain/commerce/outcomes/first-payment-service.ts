import type { OutcomeSource } from '@tributary/contract';
import type { Tx } from '@tributary/postgres';
import type { CustomerPayment, FirstPaymentStatus, ReportedRefund } from '@tributary/rules';
import type { OutcomeStatus } from '@tributary/vocabulary';

export type OwnedPayment = CustomerPayment & { readonly customerId: string };

/** A payment that this transaction records, changes, moves to another customer or turns into a non-payment. */
export interface PaymentChange {
  readonly before: OwnedPayment | undefined;
  readonly after: OwnedPayment | undefined;
}

export interface Classification {
  /** By payment id, for changed payments and those whose state changes as a result. */
  readonly standings: ReadonlyMap<string, FirstPaymentStatus>;
  /** Customers whose first payments must be derived from all their payments. */
  readonly unclear: readonly string[];
}

/** A reported refund or dispute, with its own idempotency key. */
export interface RefundReport extends ReportedRefund {
  readonly idempotencyKey: string;
  /** Idempotency key, provider id or outcome id of the payment. */
  readonly paymentRef: string;
  /** Null if not reported. */
  readonly refundedAt: Date | null;
}

/** The result of recording a refund. */
export type RefundReceipt =
  | {
      readonly id: string;
      readonly status: OutcomeStatus;
      /** Null while the payment is unknown. */
      readonly paymentId: string | null;
      readonly customerId: string | null;
      /** Whether the refunds now exceed the payment. */
      readonly isTooMuch: boolean;
    }
  /** Refused and not stored: another currency than the payment, or an outcome without money. */
  | { readonly refused: 'other_currency' | 'no_money' };

/**
 * Determines which payments are first payments of their customer. Payments belong to a module that depends on this one, so the app injects
 * the implementation. All affected customers must be locked.
 */
export interface FirstPaymentService {
  /** Computes the state of payments before they are written. `newcomers` are created by this transaction and have no other payments. */
  place(
    tx: Tx,
    profileId: string,
    changes: readonly PaymentChange[],
    newcomers: ReadonlySet<string>,
  ): Promise<Classification>;
  /** Derives the first payments of customers from all their payments, after these are written. */
  derive(tx: Tx, profileId: string, customerIds: readonly string[]): Promise<void>;
  /** Records refunds of payments, in order. */
  refund(
    tx: Tx,
    profileId: string,
    refunds: readonly RefundReport[],
    report: { readonly source: OutcomeSource; readonly now: Date },
  ): Promise<RefundReceipt[]>;
  /** Recomputes the refunded amounts of payments after their currency changed. */
  recount(tx: Tx, profileId: string, paymentIds: readonly string[], now: Date): Promise<void>;
}
