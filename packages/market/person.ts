import type { FirstPaymentStatus } from '@tributary/rules';
import type { Device } from '@tributary/vocabulary';
import type { Ad } from './ads.ts';
import type { Arrival } from './arrivals.ts';

/**
 * People who share a household share a phone number, and perhaps a tablet. They are generated together, independently
 * of others.
 */
export interface Household {
  readonly index: number;
  readonly people: readonly Person[];
  readonly browsers: readonly Browser[];
}

export interface Person {
  /** Their index in the market. Walk-ins come last. */
  readonly index: number;
  /** Null: the shop never identifies the person. */
  readonly customer: Customer | null;
  readonly currency: string;
  readonly exposures: readonly Exposure[];
  readonly outcomes: readonly Outcome[];
}

/** The shop's data of a person. */
export interface Customer {
  readonly id: string;
  readonly externalId: string;
  readonly email: string;
  /** E.164. If several share a phone, the first one to state it is its holder. */
  readonly phone: string | null;
  readonly isPhoneHolder: boolean;
  readonly firstName: string;
  readonly lastName: string;
  readonly since: number;
}

/** A browser until its cookies are cleared; afterwards it is a new one. */
export interface Browser {
  readonly visitorId: string;
  /** The browser's own id. */
  readonly clientId: string;
  readonly device: Exclude<Device, 'unknown'>;
  readonly country: string;
  /**
   * The customer that the browser is linked to in the ledger; a shared one belongs to its owner. Null: never linked.
   */
  readonly linkedTo: Person['index'] | null;
  readonly linkedAt: number;
  readonly touches: readonly Touch[];
}

export interface Touch {
  readonly id: string;
  readonly at: number;
  /** When it is received. A phone without a network may send it weeks later. */
  readonly arrivesAt: number;
  readonly sessionId: string;
  /** False: a second arrival in a running session. */
  readonly isSessionStart: boolean;
  readonly arrival: Arrival;
  readonly by: Person['index'];
  /** The number of deliveries, as the stream delivers at least once. */
  readonly copies: number;
}

/** A person saw or clicked an ad. */
export interface Exposure {
  readonly ad: Ad;
  readonly at: number;
  readonly isClick: boolean;
}

/** An event of a person that the shop records. */
export interface Outcome {
  readonly id: string;
  readonly idempotencyKey: string;
  readonly eventName: 'lead_created' | 'order_placed' | 'payment_received' | 'quote_sent' | 'newsletter_joined';
  readonly at: number;
  readonly arrivesAt: number;
  /** Null for an anonymous visitor. */
  readonly customerId: string | null;
  /** For an anonymous visitor, the browser of the event; null for an offline event. */
  readonly visitorId: string | null;
  readonly money: Money | null;
  readonly subjectRef: string | null;
  /** Null: not a payment. */
  readonly standing: FirstPaymentStatus | null;
  /** Its causes: each would have been sufficient. Empty for outcomes without money. */
  readonly causes: readonly Cause[];
}

export type Cause = 'own_accord' | Ad;

/** In minor units of the payment currency, exact. */
export interface Money {
  readonly currency: string;
  readonly paid: bigint;
  readonly refunds: readonly { readonly at: number; readonly amount: bigint }[];
  /** The amount after refunds. */
  readonly net: bigint;
  /**
   * The net amount in the reporting currency's minor units, at the rate of the payment day. Null: no rate is known.
   */
  readonly reporting: { readonly value: bigint; readonly rate: string; readonly rateDate: string } | null;
}
