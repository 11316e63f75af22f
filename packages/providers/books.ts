import type { Account, Call } from './call.ts';

/**
 * What a provider itself says an account came to, for whoever holds the ledger against it. It is read by another way than the sync reads,
 * so that what the sync leaves out shows.
 */
export interface Books<Credentials> {
  /** All that was paid in a span of time, page by page. */
  payments?(account: Account<Credentials>, span: Span, call: Call): AsyncIterable<readonly BookedPayment[]>;
  /** One payment by its id; undefined: it knows none, or it was not paid. */
  payment?(account: Account<Credentials>, externalId: string, call: Call): Promise<BookedPayment | undefined>;
  /** What the whole account spent on each day of its own time zone; a day without any may be left out. */
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
