import {
  findReferred,
  type LedgerPayment,
  lockMoney,
  markDirty,
  type PaymentStandings,
  type RefundReceipt,
  saveRefunded,
  type ToldRefund,
} from '@tributary/domain/outcomes';
import type { Tx } from '@tributary/postgres';
import { compareAmounts, reversalsOf } from '@tributary/rules';
import { v7 as uuid } from 'uuid';
import { findRefunds, findRefundsOf, findStandingEntries, type StoredRefund, saveRefunds } from './refunds-store.ts';

/**
 * Takes in refunds that somebody tells of. Locks are taken in one order: refunds by key, then payments by key. All refunds of a payment are
 * counted under its lock, so two who tell of one payment count each other's.
 */
export const takeRefunds: PaymentStandings['refund'] = async (tx, profileId, told, { source, now }) => {
  const referred = await findReferred(
    tx,
    profileId,
    told.map(({ paymentRef }) => paymentRef),
  );
  const stored = new Map(
    (await findRefunds(tx, profileId, [...new Set(told.map(({ idempotencyKey }) => idempotencyKey))])).map((one) => [
      one.idempotencyKey,
      one,
    ]),
  );
  // A correction may say that it was of another payment: that one is counted anew, too.
  const left = [...stored.values()].flatMap(({ paymentId }) => paymentId ?? []);
  const payments = await lockMoney(tx, profileId, [...referred.values(), ...left]);
  const changed = new Map<string, StoredRefund>();
  const settled = told.map((one): Settled => {
    const paymentId = referred.get(one.paymentRef) ?? null;
    const payment = paymentId === null ? undefined : payments.get(paymentId);
    if (paymentId !== null && !payment) return { refused: 'no_money' };
    if (payment && one.currency !== null && one.currency !== payment.currency) return { refused: 'other_currency' };
    const before = stored.get(one.idempotencyKey);
    const row = rowOf(one, before, paymentId, now);
    const status = !before ? 'recorded' : isSame(before, row) ? 'duplicate' : 'updated';
    stored.set(row.idempotencyKey, row);
    if (status !== 'duplicate') changed.set(row.idempotencyKey, row);
    return { id: row.id, status, paymentId, customerId: payment?.customerId ?? null };
  });
  await saveRefunds(tx, profileId, [...changed.values()], { source, now });
  const touched = [...changed.values()].flatMap(({ paymentId }) => paymentId ?? []);
  const tooMuch = await recountRefunds(tx, profileId, [...touched, ...left], now);
  return settled.map((one) =>
    'refused' in one ? one : { ...one, isTooMuch: one.paymentId !== null && tooMuch.has(one.paymentId) },
  );
};

type Settled =
  | Omit<Exclude<RefundReceipt, { readonly refused: unknown }>, 'isTooMuch'>
  | Extract<RefundReceipt, { readonly refused: unknown }>;

function rowOf(told: ToldRefund, before: StoredRefund | undefined, paymentId: string | null, now: Date): StoredRefund {
  const refundedAt = told.refundedAt ?? before?.refundedAt ?? now;
  return { ...told, id: before?.id ?? uuid(), paymentId, refundedAt };
}

const isSame = (a: StoredRefund, b: StoredRefund): boolean =>
  a.paymentRef === b.paymentRef &&
  a.paymentId === b.paymentId &&
  a.kind === b.kind &&
  a.status === b.status &&
  compareAmounts(a.amount, b.amount) === 0 &&
  a.currency === b.currency &&
  a.refundedAt.getTime() === b.refundedAt.getTime();

/**
 * Counts anew what was given back of payments, and writes what changed. It follows from what is stored alone, so it may be asked as often
 * as one likes. Resolves to those of which more was given back than was paid.
 */
export async function recountRefunds(
  tx: Tx,
  profileId: string,
  paymentIds: readonly string[],
  now: Date,
): Promise<Set<string>> {
  const payments = [...(await lockMoney(tx, profileId, paymentIds)).values()];
  const ids = payments.map(({ id }) => id);
  const [said, entries] = [await findRefundsOf(tx, profileId, ids), await findStandingEntries(tx, profileId, ids)];
  const counted = payments.map((payment) => ({
    payment,
    ...reversalsOf(payment, said.get(payment.id) ?? [], manualOf(payment, entries.get(payment.id)?.refund ?? null)),
  }));
  const changed = counted.filter(({ payment, refunded }) => compareAmounts(payment.refunded, refunded) !== 0);
  await saveRefunded(tx, profileId, changed, now);
  await markDirty(tx, profileId, new Map(changed.map(({ payment }) => [payment.id, ['refund']])));
  return new Set(
    counted.flatMap(({ payment, refunded }) => (compareAmounts(refunded, payment.amount) > 0 ? [payment.id] : [])),
  );
}

/** A refund that was recorded by hand counts while the payment is of its currency. */
export const manualOf = (
  { currency }: Pick<LedgerPayment, 'currency'>,
  entry: { readonly amount: string | null; readonly currency: string | null } | null,
): string | null => (entry?.currency === currency ? entry.amount : null);
