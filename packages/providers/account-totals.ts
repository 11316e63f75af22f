import type { Account, Call } from './call.ts';

/**
 * The provider's own totals of an account, for reconciliation with the ledger. They are read from other endpoints than the sync
 * uses, so that records missed by the sync show up.
 */
export interface AccountTotals<Credentials> {
  /** All payments in a time span, page by page. */
  payments?(account: Account<Credentials>, span: Span, call: Call): AsyncIterable<readonly BookedPayment[]>;
  /** One payment by its id; undefined if it does not exist or was not paid. */
  payment?(account: Account<Credentials>, externalId: string, call: Call): Promise<BookedPayment | undefined>;
  /** The spend of the whole account per day of its own time zone. Days without spend may be left out. */
  spend?(account: Account<Credentials>, days: Days, call: Call): Promise<readonly BookedSpend[]>;
}

export interface Span {
  readonly from: Date;
  readonly until: Date;
}

export interface Days {
  readonly since: string;
  readonly until: string;
}

/** Amounts are decimals in major units. */
export interface BookedPayment {
  readonly externalId: string;
  readonly at: Date;
  readonly amount: string;
  readonly currency: string;
}

export interface BookedSpend {
  readonly day: string;
  readonly amount: string;
  readonly currency: string;
}
