import {
  type FirstPaymentService,
  findCurrencies,
  findReferred,
  findSaleMembers,
  type LedgerPayment,
  lockMoney,
  markDirty,
  type RefundReceipt,
  type RefundReport,
  saveRefunded,
} from '@tributary/domain/commerce/outcomes';
import type { Tx } from '@tributary/postgres';
import { compareAmounts, mergeRefunds, type ReportedRefund, reversalsOf } from '@tributary/rules';
import { v7 as uuid } from 'uuid';
import { findCurrentEntries, findRefunds, findRefundsOf, type StoredRefund, saveRefunds } from './refunds-store.ts';

/**
 * Records reported refunds. Takes locks in one order: refunds by key, then payments by key. All refunds of a payment
 * are summed under its lock, so concurrent reports for one payment include each other.
 */
export const recordRefunds: FirstPaymentService['refund'] = async (tx, profileId, reported, { source, now }) => {
  const referred = await findReferred(
    tx,
    profileId,
    reported.map(({ paymentRef }) => paymentRef),
  );
  const stored = new Map(
    (await findRefunds(tx, profileId, [...new Set(reported.map(({ idempotencyKey }) => idempotencyKey))])).map(
      (one) => [one.idempotencyKey, one],
    ),
  );
  // A correction can move a refund to another payment; the previous payment is recounted, too.
  const previousPaymentIds = [...stored.values()].flatMap(({ paymentId }) => paymentId ?? []);
  const payments = await lockMoney(
    tx,
    profileId,
    await withSales(tx, profileId, [...referred.values(), ...previousPaymentIds]),
  );
  const changed = new Map<string, StoredRefund>();
  const settled = reported.map((one): RefundResult => {
    const paymentId = referred.get(one.paymentRef) ?? null;
    const payment = paymentId === null ? undefined : payments.get(paymentId);
    if (paymentId !== null && !payment) return { refused: 'no_money' };
    if (payment && one.currency !== null && one.currency !== payment.currency) return { refused: 'other_currency' };
    const before = stored.get(one.idempotencyKey);
    const row = toRow(one, before, paymentId, now);
    const status = !before ? 'recorded' : isSame(before, row) ? 'duplicate' : 'updated';
    stored.set(row.idempotencyKey, row);
    if (status !== 'duplicate') changed.set(row.idempotencyKey, row);
    return { id: row.id, status, paymentId, customerId: payment?.customerId ?? null };
  });
  await saveRefunds(tx, profileId, [...changed.values()], { source, now });
  const touched = [...changed.values()].flatMap(({ paymentId }) => paymentId ?? []);
  const tooMuch = await recountRefunds(tx, profileId, [...touched, ...previousPaymentIds], now);
  return settled.map((one) =>
    'refused' in one ? one : { ...one, isTooMuch: one.paymentId !== null && tooMuch.has(one.paymentId) },
  );
};

type RefundResult =
  | Omit<Exclude<RefundReceipt, { readonly refused: unknown }>, 'isTooMuch'>
  | Extract<RefundReceipt, { readonly refused: unknown }>;

function toRow(
  refund: RefundReport,
  before: StoredRefund | undefined,
  paymentId: string | null,
  now: Date,
): StoredRefund {
  const refundedAt = refund.refundedAt ?? before?.refundedAt ?? now;
  return { ...refund, id: before?.id ?? uuid(), paymentId, refundedAt };
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
 * Sums the refunds of payments again and writes the changes. The result depends only on stored rows, so calling it
 * repeatedly is safe. Resolves to the payments with more refunded than was paid.
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
    const { reported, manual } = refundsOf(payment);
    return { payment, ...reversalsOf(payment, reported, manual) };
  });
  const changed = counted.filter(({ payment, refunded }) => compareAmounts(payment.refunded, refunded) !== 0);
  await saveRefunded(tx, profileId, changed, now);
  await markDirty(tx, profileId, new Map(changed.map(({ payment }) => [payment.id, ['refund']])));
  return new Set(
    counted.flatMap(({ payment, refunded }) => (compareAmounts(refunded, payment.amount) > 0 ? [payment.id] : [])),
  );
}

/** Adds the other records of each payment's sale: a refund reported on one record reduces the whole sale. */
async function withSales(tx: Tx, profileId: string, paymentIds: readonly string[]): Promise<string[]> {
  const sales = await findSaleMembers(tx, profileId, paymentIds);
  return [...new Set([...paymentIds, ...sales.keys(), ...[...sales.values()].flat()])];
}

/**
 * Reads the refunds of payments. The counted record of a sale gets the refunds of all its records, each refund once. A
 * manual refund on another record counts as one that this record reports.
 */
export async function readSaleRefunds(tx: Tx, profileId: string, payments: readonly LedgerPayment[]) {
  const sales = await findSaleMembers(
    tx,
    profileId,
    payments.map(({ id }) => id),
  );
  const ids = [...new Set([...payments.map(({ id }) => id), ...[...sales.values()].flat()])];
  const reported = await findRefundsOf(tx, profileId, ids);
  const entries = await findCurrentEntries(tx, profileId, ids);
  const currencies = await findCurrencies(tx, profileId, ids);
  const inCurrency = (id: string): ReportedRefund[] =>
    (reported.get(id) ?? []).map((one) => ({ ...one, currency: one.currency ?? currencies.get(id) ?? null }));
  const byHand = (id: string): ReportedRefund[] => {
    const entry = entries.get(id)?.refund;
    return entry?.amount && entry.currency === currencies.get(id)
      ? [{ kind: 'refund', status: 'completed', amount: entry.amount, currency: entry.currency }]
      : [];
  };
  return (payment: LedgerPayment) => {
    const manual = getManualAmount(payment, entries.get(payment.id)?.refund ?? null);
    const duplicates = sales.get(payment.id) ?? [];
    if (duplicates.length === 0)
      return { reported: reported.get(payment.id) ?? [], manual, entries: entries.get(payment.id) };
    const others = duplicates.map((id) => [...inCurrency(id), ...byHand(id)]);
    return { reported: mergeRefunds([inCurrency(payment.id), ...others]), manual, entries: entries.get(payment.id) };
  };
}

/** A manual refund counts only if its currency matches the payment's. */
export const getManualAmount = (
  { currency }: Pick<LedgerPayment, 'currency'>,
  entry: { readonly amount: string | null; readonly currency: string | null } | null,
): string | null => (entry?.currency === currency ? entry.amount : null);
