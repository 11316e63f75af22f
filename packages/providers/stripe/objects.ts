import { z } from 'zod';
import type { CustomerIdentity, OutcomeRecord, RefundRecord } from '../provider.ts';
import { instant } from '../read-answer.ts';
import { fromStripeUnits } from './money.ts';

/** Parses charges, refunds and disputes of Stripe into provider records. */

const Customer = z.object({
  id: z.string(),
  email: z.string().nullish(),
  name: z.string().nullish(),
  phone: z.string().nullish(),
});

export const Charge = z.object({
  id: z.string(),
  amount_captured: z.number(),
  currency: z.string(),
  created: z.number(),
  status: z.string(),
  paid: z.boolean(),
  captured: z.boolean(),
  customer: z.union([z.string(), Customer]).nullish().catch(null),
  billing_details: z
    .object({ email: z.string().nullish(), name: z.string().nullish(), phone: z.string().nullish() })
    .nullish(),
  receipt_email: z.string().nullish(),
  payment_intent: z.union([z.string(), z.object({ id: z.string() })]).nullish(),
});

export const Refund = z.object({
  id: z.string(),
  amount: z.number(),
  currency: z.string(),
  charge: z.string().nullish(),
  status: z.string().nullish(),
  created: z.number(),
});

export const Dispute = z.object({
  id: z.string(),
  amount: z.number(),
  currency: z.string(),
  charge: z.string(),
  status: z.string(),
  created: z.number(),
});

/** Only captured charges are payments; an authorisation is not. */
export function parseCharge(charge: z.infer<typeof Charge>): OutcomeRecord[] {
  if (!charge.paid || !charge.captured || charge.status !== 'succeeded') return [];
  const intent = typeof charge.payment_intent === 'string' ? charge.payment_intent : charge.payment_intent?.id;
  return [
    {
      kind: 'outcome',
      externalId: charge.id,
      outcomeType: 'payment_received',
      occurredAt: instant(new Date(charge.created * 1000)),
      value: fromStripeUnits(charge.amount_captured, charge.currency),
      currency: charge.currency.toUpperCase(),
      person: payerOf(charge),
      ...(intent && { properties: { payment_intent: intent } }),
    },
  ];
}

function payerOf({ customer, billing_details: billing, receipt_email }: z.infer<typeof Charge>): CustomerIdentity {
  const expanded = typeof customer === 'string' ? { id: customer } : customer;
  const { email, name, phone } = { email: null, name: null, phone: null, ...expanded };
  const fields = {
    externalId: expanded?.id,
    email: billing?.email || receipt_email || email,
    phone: billing?.phone || phone,
    name: billing?.name || name,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value));
}

/** A refund that fails later returns the money to the business. */
export function parseRefund(refund: z.infer<typeof Refund>): RefundRecord[] {
  if (!refund.charge) return [];
  const isUndone = refund.status === 'failed' || refund.status === 'canceled';
  return [parseReversal({ ...refund, charge: refund.charge }, false, isUndone)];
}

/** The bank withdraws the money when it opens a dispute. A warning withdraws none, and a won dispute returns it. */
export function parseDispute(dispute: z.infer<typeof Dispute>): RefundRecord[] {
  if (dispute.status.startsWith('warning_')) return [];
  return [parseReversal(dispute, true, dispute.status === 'won' || dispute.status === 'prevented')];
}

const parseReversal = (
  {
    id,
    charge,
    amount,
    currency,
    created,
  }: { id: string; charge: string; amount: number; currency: string; created: number },
  isDispute: boolean,
  isUndone: boolean,
): RefundRecord => ({
  kind: 'refund',
  externalId: id,
  ofExternalId: charge,
  amount: fromStripeUnits(amount, currency),
  currency: currency.toUpperCase(),
  occurredAt: instant(new Date(created * 1000)),
  isDispute,
  ...(isUndone && { isUndone }),
});
