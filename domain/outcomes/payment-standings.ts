import type { OutcomeSource } from '@tributary/contract';
import type { Tx } from '@tributary/postgres';
import type { CustomerPayment, PaymentStanding, SaidRefund } from '@tributary/rules';
import type { OutcomeStatus } from '@tributary/vocabulary';

export type OwnedPayment = CustomerPayment & { readonly customerId: string };

/** A payment that this transaction records, changes, moves from one customer to another, or makes no payment any more. */
export interface PaymentChange {
  readonly before: OwnedPayment | undefined;
  readonly after: OwnedPayment | undefined;
}

export interface Placement {
  /** By the payment's id, for those that changed themselves and those that stand otherwise because of them. */
  readonly standings: ReadonlyMap<string, PaymentStanding>;
  /** Customers whose payments have to be looked at as a whole. */
  readonly unclear: readonly string[];
}

/** A refund or dispute that somebody tells of, known by a key of its own. */
export interface ToldRefund extends SaidRefund {
  readonly idempotencyKey: string;
  /** The payment, by its key, its provider's id or its own. */
  readonly paymentRef: string;
  /** Null: not said. */
  readonly refundedAt: Date | null;
}

/** What became of it. */
export type RefundReceipt =
  | {
      readonly id: string;
      readonly status: OutcomeStatus;
      /** Null while the payment is not known. */
      readonly paymentId: string | null;
      readonly customerId: string | null;
      /** Whether more went back by now than was paid. */
      readonly isTooMuch: boolean;
    }
  /** Of money of another currency, or of an outcome without any. It is not kept. */
  | { readonly refused: 'other_currency' | 'no_money' };

/**
 * Where payments stand among their customer's. Payments are the business of a room above this one, which is why whoever puts the
 * service together hands this in. All customers concerned must be locked.
 */
export interface PaymentStandings {
  /** Where payments will stand. Asked before they are written. Of newcomers there is no other payment: this transaction makes them. */
  place(
    tx: Tx,
    profileId: string,
    changes: readonly PaymentChange[],
    newcomers: ReadonlySet<string>,
  ): Promise<Placement>;
  /** Derives customers as a whole, after their payments are written. */
  derive(tx: Tx, profileId: string, customerIds: readonly string[]): Promise<void>;
  /** Takes in what was given back of payments, each in its order. */
  refund(
    tx: Tx,
    profileId: string,
    refunds: readonly ToldRefund[],
    told: { readonly source: OutcomeSource; readonly now: Date },
  ): Promise<RefundReceipt[]>;
  /** Counts anew what was given back of payments, after their currency changed. */
  recount(tx: Tx, profileId: string, paymentIds: readonly string[], now: Date): Promise<void>;
}
