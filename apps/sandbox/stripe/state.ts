import type { Sale } from '../sales.ts';

export interface StripeCharge {
  readonly object: 'charge';
  readonly id: string;
  readonly amount: number;
  amount_captured: number;
  amount_refunded: number;
  readonly currency: string;
  readonly created: number;
  status: 'succeeded' | 'pending' | 'failed';
  paid: boolean;
  captured: boolean;
  readonly customer: {
    readonly id: string;
    readonly email: string;
    readonly name: string;
    readonly phone: string | null;
  } | null;
  readonly billing_details: {
    readonly email: string | null;
    readonly name: string | null;
    readonly phone: string | null;
  };
  readonly receipt_email: string | null;
  readonly payment_intent: string;
  readonly livemode: false;
}

export interface StripeReversal {
  readonly object: 'refund' | 'dispute';
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly charge: string;
  readonly created: number;
  status: string;
}

export interface StripeEvent {
  readonly object: 'event';
  readonly id: string;
  readonly type: string;
  readonly created: number;
  readonly account: string;
  readonly data: { readonly object: StripeCharge | StripeReversal };
}

/** The records of one account, oldest first. */
export interface StripeState {
  readonly charges: StripeCharge[];
  readonly refunds: StripeReversal[];
  readonly disputes: StripeReversal[];
  readonly events: StripeEvent[];
}

export const stripeAccount = 'acct_sandbox';
/** A second account of the merchant, initially without payments, in a zero-decimal currency. */
export const secondStripeAccount = 'acct_sandbox_second';

/** The market's payments, some of them failed or never captured, and refunds and disputes of the others. */
export function stateOf(sales: readonly Sale[]): StripeState {
  const charges: StripeCharge[] = [];
  const refunds: StripeReversal[] = [];
  const disputes: StripeReversal[] = [];
  const paid = sales.filter(({ outcome }) => outcome.money && outcome.eventName === 'payment_received');
  for (const [place, { outcome, customer }] of paid.entries()) {
    const money = outcome.money as NonNullable<typeof outcome.money>;
    const isFailed = place % 23 === 11;
    const isOpen = place % 19 === 7;
    const name = `${customer.firstName} ${customer.lastName}`;
    const charge: StripeCharge = {
      object: 'charge',
      id: `ch_${String(place).padStart(8, '0')}`,
      // In the market's currencies, Stripe's smallest unit equals the usual minor unit.
      amount: Number(money.paid),
      amount_captured: isFailed || isOpen ? 0 : Number(money.paid),
      amount_refunded: 0,
      currency: money.currency.toLowerCase(),
      created: Math.floor(outcome.at / 1000),
      status: isFailed ? 'failed' : 'succeeded',
      paid: !isFailed,
      captured: !isFailed && !isOpen,
      customer: { id: `cus_${customer.externalId}`, email: customer.email, name, phone: customer.phone },
      billing_details: { email: place % 3 === 0 ? customer.email : null, name, phone: null },
      receipt_email: null,
      payment_intent: `pi_${String(place).padStart(8, '0')}`,
      livemode: false,
    };
    charges.push(charge);
    if (!charge.captured) continue;
    const { id, currency } = charge;
    for (const [nth, refund] of money.refunds.entries()) {
      const created = Math.floor(refund.at / 1000);
      charge.amount_refunded += Number(refund.amount);
      const status = place % 29 === 5 ? 'failed' : 'succeeded';
      const row = { object: 'refund', amount: Number(refund.amount), currency, charge: id, created, status } as const;
      refunds.push({ ...row, id: `re_${String(place).padStart(8, '0')}_${nth}` });
    }
    if (place % 37 === 13 && money.refunds.length === 0) {
      const status = ['lost', 'won', 'needs_response', 'warning_needs_response'][place % 4] as string;
      const created = charge.created + 86_400;
      const row = { object: 'dispute', amount: charge.amount, currency, charge: id, created, status } as const;
      disputes.push({ ...row, id: `dp_${String(place).padStart(8, '0')}` });
    }
  }
  const byTime = (one: { created: number }, other: { created: number }) => one.created - other.created;
  return { charges, refunds: refunds.sort(byTime), disputes: disputes.sort(byTime), events: [] };
}
