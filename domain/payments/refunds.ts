import {
  findCurrencies,
  findReferred,
  findSaleMembers,
  type LedgerPayment,
  lockMoney,
  markDirty,
  type PaymentStandings,
  type RefundReceipt,
  saveRefunded,
  type ToldRefund,
} from '@tributary/domain/outcomes';
import type { Tx } from '@tributary/postgres';
import { compareAmounts, mergeRefunds, reversalsOf, type SaidRefund } from '@tributary/rules';
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
  const payments = await lockMoney(tx, profileId, await withSales(tx, profileId, [...referred.values(), ...left]));
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
  if (paymentIds.length === 0) return new Set();
  const payments = [...(await lockMoney(tx, profileId, await withSales(tx, profileId, paymentIds))).values()];
  const refundsOf = await readSaleRefunds(tx, profileId, payments);
  const counted = payments.map((payment) => {
    const { said, manual } = refundsOf(payment);
    return { payment, ...reversalsOf(payment, said, manual) };
  });
  const changed = counted.filter(({ payment, refunded }) => compareAmounts(payment.refunded, refunded) !== 0);
  await saveRefunded(tx, profileId, changed, now);
  await markDirty(tx, profileId, new Map(changed.map(({ payment }) => [payment.id, ['refund']])));
  return new Set(
    counted.flatMap(({ payment, refunded }) => (compareAmounts(refunded, payment.amount) > 0 ? [payment.id] : [])),
  );
}

/** Payments with the counted records of their sales: what one record reports as refunded reduces the sale. */
async function withSales(tx: Tx, profileId: string, paymentIds: readonly string[]): Promise<string[]> {
  const sales = await findSaleMembers(tx, profileId, paymentIds);
  return [...new Set([...paymentIds, ...sales.keys(), ...[...sales.values()].flat()])];
}

/**
 * What was given back of payments. Of a counted record it is what all records of its sale report, each refund once; what was recorded by
 * hand on another record is one that this record reports.
 */
export async function readSaleRefunds(tx: Tx, profileId: string, payments: readonly LedgerPayment[]) {
  const sales = await findSaleMembers(
    tx,
    profileId,
    payments.map(({ id }) => id),
  );
  const ids = [...new Set([...payments.map(({ id }) => id), ...[...sales.values()].flat()])];
  const said = await findRefundsOf(tx, profileId, ids);
  const entries = await findStandingEntries(tx, profileId, ids);
  const currencies = await findCurrencies(tx, profileId, ids);
  const inCurrency = (id: string): SaidRefund[] =>
    (said.get(id) ?? []).map((one) => ({ ...one, currency: one.currency ?? currencies.get(id) ?? null }));
  const byHand = (id: string): SaidRefund[] => {
    const entry = entries.get(id)?.refund;
    return entry?.amount && entry.currency === currencies.get(id)
      ? [{ kind: 'refund', status: 'completed', amount: entry.amount, currency: entry.currency }]
      : [];
  };
  return (payment: LedgerPayment) => {
    const manual = manualOf(payment, entries.get(payment.id)?.refund ?? null);
    const duplicates = sales.get(payment.id) ?? [];
    if (duplicates.length === 0) return { said: said.get(payment.id) ?? [], manual, entries: entries.get(payment.id) };
    const others = duplicates.map((id) => [...inCurrency(id), ...byHand(id)]);
    return { said: mergeRefunds([inCurrency(payment.id), ...others]), manual, entries: entries.get(payment.id) };
  };
}

/** A refund that was recorded by hand counts while the payment is of its currency. */
export const manualOf = (
  { currency }: Pick<LedgerPayment, 'currency'>,
  entry: { readonly amount: string | null; readonly currency: string | null } | null,
): string | null => (entry?.currency === currency ? entry.amount : null);
