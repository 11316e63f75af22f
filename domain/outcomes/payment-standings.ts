import type { Tx } from '@tributary/postgres';
import type { CustomerPayment, PaymentStanding } from '@tributary/rules';

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
}
