import type { Tx } from '@tributary/postgres';
import { isFinerThan } from '@tributary/rules';
import type { EventWarning } from '@tributary/vocabulary';
import type { RefundReceipt } from './payment-standings.ts';
import type { EventFault, ReadBody, ReadEvent, ReadRefund } from './read-event.ts';
import { type RecordContext, type Recorded, recordOutcomes } from './record-outcomes.ts';

/** What became of a body: of an outcome, of a refund, or what is wrong with it. */
export type Taken =
  | { readonly read: ReadEvent; readonly recorded: Recorded; readonly warnings: readonly string[] }
  | {
      readonly read: ReadRefund;
      readonly refund: Exclude<RefundReceipt, { readonly refused: unknown }>;
      readonly warnings: readonly EventWarning[];
    }
  | EventFault;

/** Records outcomes and what was given back of them, in one transaction. Outcomes come first, so that a refund may stand before its payment. */
export async function recordAll(tx: Tx, reads: readonly ReadBody[], context: RecordContext): Promise<Taken[]> {
  const events = reads.filter((read): read is ReadEvent => 'event' in read);
  const refunds = reads.filter((read): read is ReadRefund => 'refund' in read);
  const recorded = (await recordOutcomes(tx, events, context)).values();
  const receipts = (await recordRefunds(tx, refunds, context)).values();
  return reads.map((read): Taken => {
    if ('code' in read) return read;
    if ('event' in read) {
      const one = recorded.next().value as Recorded;
      return { read, recorded: one, warnings: [...read.warnings, ...lacks(read, one)] };
    }
    return takenOf(read, receipts.next().value as RefundReceipt);
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

function takenOf(read: ReadRefund, receipt: RefundReceipt): Taken {
  if ('refused' in receipt) return { ...refusals[receipt.refused], code: 'validation_error' };
  const warnings: EventWarning[] = [];
  if (receipt.paymentId === null) warnings.push('payment_unknown');
  if (receipt.isTooMuch) warnings.push('refund_exceeds_payment');
  return { read, refund: receipt, warnings };
}

/** What was taken, and yet will not do what its sender hopes for. */
function lacks({ event: { money }, said }: ReadEvent, { isDefined, customerId }: Recorded): EventWarning[] {
  const warnings: EventWarning[] = [];
  if (!isDefined) warnings.push('no_definition');
  if (said.identifiers.length === 0 && customerId === null) warnings.push('nobody');
  if (money && isFinerThan(money.amount, money.currency)) warnings.push('amount_rounded');
  return warnings;
}
