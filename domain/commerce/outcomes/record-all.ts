import type { Tx } from '@tributary/postgres';
import { isFinerThan } from '@tributary/rules';
import type { EventWarning } from '@tributary/vocabulary';
import type { RefundReceipt } from './first-payment-service.ts';
import type { EventFault, ReadBody, ReadEvent, ReadRefund } from './read-event.ts';
import { type RecordContext, type RecordedOutcome, recordOutcomes } from './record-outcomes.ts';

/** The result of a body: a recorded outcome, a recorded refund, or a fault. */
export type RecordResult =
  | { readonly read: ReadEvent; readonly recorded: RecordedOutcome; readonly warnings: readonly string[] }
  | {
      readonly read: ReadRefund;
      readonly refund: Exclude<RefundReceipt, { readonly refused: unknown }>;
      readonly warnings: readonly EventWarning[];
    }
  | EventFault;

/** Records outcomes and refunds in one transaction. Outcomes are recorded first, so that a refund may precede its payment in the list. */
export async function recordAll(tx: Tx, reads: readonly ReadBody[], context: RecordContext): Promise<RecordResult[]> {
  const events = reads.filter((read): read is ReadEvent => 'event' in read);
  const refunds = reads.filter((read): read is ReadRefund => 'refund' in read);
  const recorded = (await recordOutcomes(tx, events, context)).values();
  const receipts = (await recordRefunds(tx, refunds, context)).values();
  return reads.map((read): RecordResult => {
    if ('code' in read) return read;
    if ('event' in read) {
      const one = recorded.next().value as RecordedOutcome;
      return { read, recorded: one, warnings: [...read.warnings, ...getWarnings(read, one)] };
    }
    return toRefundResult(read, receipts.next().value as RefundReceipt);
  });
}

const recordRefunds = async (
  tx: Tx,
  refunds: readonly ReadRefund[],
  { payments, profileId, teller, now }: RecordContext,
): Promise<RefundReceipt[]> =>
  refunds.length === 0
    ? []
    : payments.refund(
        tx,
        profileId,
        refunds.map(({ refund }) => refund),
        { source: teller.source, now },
      );

const refusals = {
  other_currency: { field: 'properties.currency', message: 'must be the currency of the payment, or absent' },
  no_money: { field: 'refund_of', message: 'names an outcome that has no money' },
} as const;

function toRefundResult(read: ReadRefund, receipt: RefundReceipt): RecordResult {
  if ('refused' in receipt) return { ...refusals[receipt.refused], code: 'validation_error' };
  const warnings: EventWarning[] = [];
  if (receipt.paymentId === null) warnings.push('payment_unknown');
  if (receipt.isTooMuch) warnings.push('refund_exceeds_payment');
  return { read, refund: receipt, warnings };
}

/** Warnings for a recorded event that will not have the effect its sender expects. */
function getWarnings(
  { event: { money }, said }: ReadEvent,
  { isDefined, customerId }: RecordedOutcome,
): EventWarning[] {
  const warnings: EventWarning[] = [];
  if (!isDefined) warnings.push('no_definition');
  if (said.identifiers.length === 0 && customerId === null) warnings.push('nobody');
  if (money && isFinerThan(money.amount, money.currency)) warnings.push('amount_rounded');
  return warnings;
}
