import { dayMs, limits } from '@tributary/vocabulary';

/**
 * Decides which payments count as a customer's first payment. The result is derived from all payments of a customer
 * and never stored by hand, because a late arrival, a correction, a merge or a mark may change it. It depends only on
 * the set of payments, not on the order in which they arrived.
 */

/**
 * A payment that was made: neither pending nor failed. Refunds are ignored: a refunded payment still counts, with a
 * value of zero, so it remains the first one.
 */
export interface CustomerPayment {
  readonly id: string;
  readonly paidAt: Date;
  /** The person the payment is for, if the caller stated it. */
  readonly subjectRef: string | null;
  /** Marked as a later installment of an earlier purchase. */
  readonly isInstallment: boolean;
}

export interface FirstPaymentStatus {
  readonly isFirstPayment: boolean;
  /**
   * The purchase it is a first payment of, identified by the purchase's earliest payment; null when it is not a first
   * payment.
   */
  readonly purchaseId: string | null;
}

/** Deposit and balance: a payment this soon after the first one belongs to the same purchase. */
const purchaseMs = limits.firstPurchase.days * dayMs;

const notFirstPayment: FirstPaymentStatus = { isFirstPayment: false, purchaseId: null };

/** The payments that decide the status of one payment: the earliest of each kind. */
export interface Anchors {
  /** The earliest with the same subject_ref, or without one if the payment has none. It may be the payment itself. */
  readonly own: CustomerPayment;
  readonly untagged: CustomerPayment | undefined;
  readonly tagged: CustomerPayment | undefined;
}

/**
 * Payments of one subject_ref form a group, and so do those without one. A group's earliest payment decides whether
 * the group is new; later payments can only join it, within seven days. So later payments never change the result,
 * and three payments are enough to decide one more.
 */
export function firstPaymentStatus(payment: CustomerPayment, { own, untagged, tagged }: Anchors): FirstPaymentStatus {
  // An untagged payment may be for any of the subjects tagged before it, which cannot be decided, not even within the
  // seven days.
  const isAmbiguous = payment.subjectRef === null && isEarlier(tagged, payment);
  const isInTime = payment.paidAt.getTime() - own.paidAt.getTime() <= purchaseMs;
  const isFirstPayment = isNew(own, untagged) && isInTime && !isAmbiguous && !payment.isInstallment;
  return isFirstPayment ? { isFirstPayment, purchaseId: own.id } : notFirstPayment;
}

/**
 * Whether a group's earliest payment is of a new customer. An earlier untagged payment may have been for the same
 * subject. An installment belongs to a purchase that was not recorded, so its group is not new, and a later payment
 * does not become the first one instead: a merchant who marks one payment must not have to mark all that follow.
 */
function isNew(own: CustomerPayment, untagged: CustomerPayment | undefined): boolean {
  return !own.isInstallment && !isEarlier(untagged, own);
}

/**
 * The status of each payment of one customer, by id. First payments with the same purchaseId are one purchase: each
 * is a first payment, and together they count once.
 */
export function firstPayments(payments: readonly CustomerPayment[]): ReadonlyMap<string, FirstPaymentStatus> {
  const groups = new Map<string | null, CustomerPayment>();
  let tagged: CustomerPayment | undefined;
  for (const payment of payments) {
    groups.set(payment.subjectRef, earlierOf(groups.get(payment.subjectRef), payment));
    if (payment.subjectRef !== null) tagged = earlierOf(tagged, payment);
  }
  const statuses = new Map<string, FirstPaymentStatus>();
  for (const payment of payments.toSorted(byTime)) {
    if (statuses.has(payment.id)) throw new RangeError(`Payment ${payment.id} is given twice.`);
    const own = groups.get(payment.subjectRef) ?? payment;
    statuses.set(payment.id, firstPaymentStatus(payment, { own, untagged: groups.get(null), tagged }));
  }
  return statuses;
}

/** The earliest payments of a customer: of each changed group, of the untagged payments and of the tagged ones. */
export interface EarliestPayments {
  readonly groups: ReadonlyMap<string | null, CustomerPayment>;
  readonly untagged: CustomerPayment | undefined;
  readonly tagged: CustomerPayment | undefined;
}

/** The payments whose status may have changed. */
export interface AffectedPayments {
  /** Payments of a group within a period, both ends included. */
  readonly windows: readonly { readonly subjectRef: string | null; readonly from: Date; readonly to: Date }[];
  /** Tagged payments since this time whose status is first payment. */
  readonly taggedFirstsSince: Date | undefined;
  /** All payments of the customer: returning subjects may be new now. */
  readonly isEverything: boolean;
}

/**
 * Returns which payments may change status when a customer's earliest payments change, besides the changed payments
 * themselves. A kind without an earlier payment has nothing to change.
 */
export function affectedPayments(before: EarliestPayments, after: EarliestPayments): AffectedPayments {
  const windows = [...before.groups].flatMap(([subjectRef, was]) => {
    const is = after.groups.get(subjectRef);
    return isSame(was, is) ? [] : [purchaseOf(was), ...(is ? [purchaseOf(is)] : [])];
  });
  if (before.untagged && after.untagged) windows.push(...ambiguousWindows(after.untagged, before.tagged, after.tagged));
  const isReturningMoved = before.tagged !== undefined && !isSame(before.untagged, after.untagged);
  const isEarlierNow = after.untagged !== undefined && !isEarlier(before.untagged, after.untagged);
  return {
    windows,
    taggedFirstsSince: isReturningMoved && isEarlierNow ? after.untagged?.paidAt : undefined,
    isEverything: isReturningMoved && !isEarlierNow,
  };
}

/** Payments of the untagged purchase between the earliest tagged payment before and after the change. */
function ambiguousWindows(own: CustomerPayment, was: CustomerPayment | undefined, is: CustomerPayment | undefined) {
  if (isSame(was, is)) return [];
  const { subjectRef, from, to } = purchaseOf(own);
  const ends = [was, is].map((tagged) => tagged?.paidAt.getTime() ?? Number.POSITIVE_INFINITY);
  const low = Math.max(from.getTime(), Math.min(...ends));
  const high = Math.min(to.getTime(), Math.max(...ends));
  return low > high ? [] : [{ subjectRef, from: new Date(low), to: new Date(high) }];
}

const purchaseOf = ({ subjectRef, paidAt }: CustomerPayment) => ({
  subjectRef,
  from: paidAt,
  to: new Date(paidAt.getTime() + purchaseMs),
});

const isSame = (a: CustomerPayment | undefined, b: CustomerPayment | undefined): boolean =>
  a?.id === b?.id && a?.paidAt.getTime() === b?.paidAt.getTime() && a?.isInstallment === b?.isInstallment;

export const earlierOf = (earliest: CustomerPayment | undefined, payment: CustomerPayment): CustomerPayment =>
  earliest && byTime(earliest, payment) <= 0 ? earliest : payment;

const isEarlier = (one: CustomerPayment | undefined, other: CustomerPayment): boolean =>
  one !== undefined && byTime(one, other) < 0;

/** The id breaks ties of simultaneous payments, so that every derivation orders them the same way. */
const byTime = (a: CustomerPayment, b: CustomerPayment): number =>
  a.paidAt.getTime() - b.paidAt.getTime() || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
