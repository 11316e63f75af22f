import { z } from 'zod';
import type { CustomerIdentity, ProviderRecord, RefundRecord } from '../provider.ts';
import { decimalText, instant } from '../read-answer.ts';

/** Parses payments of Mercado Pago into provider records. */

const id = z.union([z.number(), z.string()]).transform(String);

const Refund = z.object({
  id,
  amount: decimalText,
  date_created: z.string(),
  status: z.string().nullish(),
});
export type Refund = z.infer<typeof Refund>;
export const Refunds = z.array(Refund);

export const Payment = z.object({
  id,
  status: z.string(),
  status_detail: z.string().nullish(),
  transaction_amount: decimalText,
  transaction_amount_refunded: decimalText.nullish(),
  currency_id: z.string(),
  date_approved: z.string().nullish(),
  date_last_updated: z.string(),
  external_reference: z.string().nullish(),
  live_mode: z.boolean().optional(),
  payer: z
    .object({
      id: id.nullish(),
      email: z.string().nullish(),
      first_name: z.string().nullish(),
      last_name: z.string().nullish(),
      phone: z.object({ area_code: z.string().nullish(), number: z.string().nullish() }).nullish().catch(null),
      identification: z.object({ type: z.string().nullish(), number: z.string().nullish() }).nullish(),
    })
    .nullish(),
  refunds: Refunds.nullish(),
});
export type Payment = z.infer<typeof Payment>;

/** A payment that was ever approved stays a payment; refunds and disputes are separate records. */
const wasPaid = ['approved', 'refunded', 'charged_back', 'in_mediation'];

export function parsePayment(payment: Payment, refunds: readonly Refund[]): ProviderRecord[] {
  if (!payment.date_approved || !wasPaid.includes(payment.status)) return [];
  return [
    {
      kind: 'outcome',
      externalId: payment.id,
      outcomeType: 'payment_received',
      occurredAt: instant(payment.date_approved),
      value: payment.transaction_amount,
      currency: payment.currency_id,
      person: payerOf(payment),
      ...(payment.external_reference && { properties: { external_reference: payment.external_reference } }),
    },
    ...refunds.map((refund) => parseRefund(refund, payment)),
    ...parseDispute(payment),
  ];
}

const parseRefund = ({ id, amount, date_created, status }: Refund, payment: Payment): RefundRecord => ({
  kind: 'refund',
  externalId: id,
  ofExternalId: payment.id,
  amount,
  currency: payment.currency_id,
  occurredAt: instant(date_created),
  isDispute: false,
  ...((status === 'rejected' || status === 'cancelled') && { isUndone: true }),
});

/**
 * A mediation or chargeback holds the rest of the payment. The hold ends when the chargeback is reimbursed, or when the payment
 * is approved or refunded later than its first approval. A mediation ends in either; what was refunded counts as a refund alone.
 */
function parseDispute(payment: Payment): RefundRecord[] {
  const { status, status_detail: detail, date_approved, date_last_updated } = payment;
  const isHeld = status === 'in_mediation' || (status === 'charged_back' && detail !== 'reimbursed');
  const isChangedLater = Date.parse(date_last_updated) - Date.parse(date_approved ?? '') > 60_000;
  if (!isHeld && detail !== 'reimbursed' && !isChangedLater) return [];
  const { transaction_amount: amount, transaction_amount_refunded: refunded } = payment;
  const remaining = minus(amount, refunded ?? '0');
  // A fully refunded payment has no amount left to hold.
  const holds = isHeld && Number(remaining) !== 0;
  return [
    {
      kind: 'refund',
      externalId: `dispute-${payment.id}`,
      ofExternalId: payment.id,
      amount: holds ? remaining : amount,
      currency: payment.currency_id,
      occurredAt: instant(date_last_updated),
      isDispute: true,
      ...(!holds && { isUndone: true }),
    },
  ];
}

/** Exact decimal subtraction. A value that is not a decimal is returned unchanged, for the ledger to reject. */
function minus(amount: string, less: string): string {
  if (![amount, less].every((text) => /^\d{1,18}(\.\d{1,18})?$/.test(text))) return amount;
  const digits = Math.max(...[amount, less].map((text) => (text.split('.')[1] ?? '').length));
  const units = (text: string) => BigInt(text.split('.')[0] + (text.split('.')[1] ?? '').padEnd(digits, '0'));
  const rest = String(units(amount) - units(less)).padStart(digits + 1, '0');
  return digits === 0 ? rest : `${rest.slice(0, -digits)}.${rest.slice(-digits)}`;
}

/** Mercado Pago masks the data of guests: XXXXXXXXXXX. */
const unmasked = (text: string | null | undefined): string | undefined =>
  text && !/x{4}/i.test(text) ? text : undefined;

function payerOf({ payer }: Payment): CustomerIdentity {
  const { type, number } = payer?.identification ?? {};
  const phone = [payer?.phone?.area_code, payer?.phone?.number].filter(Boolean).join('');
  const fields = {
    externalId: payer?.id ?? undefined,
    email: unmasked(payer?.email),
    phone: unmasked(phone),
    name: [unmasked(payer?.first_name), unmasked(payer?.last_name)].filter(Boolean).join(' '),
    rut: type === 'RUT' ? unmasked(number) : undefined,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value));
}
