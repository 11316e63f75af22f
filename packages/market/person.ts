import type { PaymentStanding } from '@tributary/rules';
import type { Device } from '@tributary/vocabulary';
import type { Ad } from './ads.ts';
import type { Arrival } from './arrivals.ts';

/** People who live together share a phone number, and perhaps a tablet. They are made together, and nobody else is needed for it. */
export interface Household {
  readonly index: number;
  readonly people: readonly Person[];
  readonly browsers: readonly Browser[];
}

export interface Person {
  /** Their place in the market. Walk-ins come after all others. */
  readonly index: number;
  /** Null: the shop never learns who it is. */
  readonly customer: Customer | null;
  readonly currency: string;
  readonly exposures: readonly Exposure[];
  readonly outcomes: readonly Outcome[];
}

/** What the shop knows of somebody. */
export interface Customer {
  readonly id: string;
  readonly externalId: string;
  readonly email: string;
  /** E.164. Of those who share one, the first to say it holds it. */
  readonly phone: string | null;
  readonly isPhoneHolder: boolean;
  readonly firstName: string;
  readonly lastName: string;
  readonly since: number;
}

/** A browser until its cookies are cleared; then it is another one. */
export interface Browser {
  readonly visitorId: string;
  /** What the browser calls itself. */
  readonly clientId: string;
  readonly device: Exclude<Device, 'unknown'>;
  readonly country: string;
  /** The customer whom the ledger has it down for; a shared one is its owner's. Null: nobody ever said. */
  readonly linkedTo: Person['index'] | null;
  readonly linkedAt: number;
  readonly touches: readonly Touch[];
}

export interface Touch {
  readonly id: string;
  readonly at: number;
  /** When we hear of it. A phone without a network tells weeks later. */
  readonly arrivesAt: number;
  readonly sessionId: string;
  /** No: a second arrival in a session that goes on. */
  readonly isSessionStart: boolean;
  readonly arrival: Arrival;
  readonly by: Person['index'];
  /** The stream delivers at least once. */
  readonly copies: number;
}

/** Somebody saw an ad, or clicked it. */
export interface Exposure {
  readonly ad: Ad;
  readonly at: number;
  readonly isClick: boolean;
}

/** What somebody did that the shop counts. */
export interface Outcome {
  readonly id: string;
  readonly idempotencyKey: string;
  readonly eventName: 'lead_created' | 'order_placed' | 'payment_received' | 'quote_sent' | 'newsletter_joined';
  readonly at: number;
  readonly arrivesAt: number;
  /** Null for somebody unknown. */
  readonly customerId: string | null;
  /** The browser it was done in, of somebody unknown; null at the counter. */
  readonly visitorId: string | null;
  readonly money: Money | null;
  readonly subjectRef: string | null;
  /** Null: it is no payment. */
  readonly standing: PaymentStanding | null;
  /** Why it happened: each would have been enough. Of what nobody paid for, none. */
  readonly causes: readonly Cause[];
}

export type Cause = 'own_accord' | Ad;

/** In minor units of the currency it was paid in, exact. */
export interface Money {
  readonly currency: string;
  readonly paid: bigint;
  readonly refunds: readonly { readonly at: number; readonly amount: bigint }[];
  /** What is left after the refunds. */
  readonly net: bigint;
  /** The same in the reporting currency's minor units, at the rate of the day it was paid. Null: nobody knows a rate. */
  readonly reporting: { readonly value: bigint; readonly rate: string; readonly rateDate: string } | null;
}
