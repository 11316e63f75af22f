import { dayMs, limits } from '@tributary/vocabulary';

/**
 * Which payments brought somebody new. The answer is derived from all payments of a customer and never kept by hand, because each
 * late arrival, correction, merge or mark may change it. It depends on the set of payments only, not on the order they came in.
 */

/**
 * A payment that was made: neither pending nor failed. Refunds are not asked for: a refunded payment still counts, with a value of
 * zero, so it was the first one all the same.
 */
export interface CustomerPayment {
  readonly id: string;
  readonly paidAt: Date;
  /** Whom it is for, where the caller said so. */
  readonly subjectRef: string | null;
  /** Marked as a later installment of something bought before. */
  readonly isInstallment: boolean;
}

export interface PaymentStanding {
  readonly isFirstPayment: boolean;
  /** The purchase that it is a first payment of, named by that purchase's earliest payment; null when it is none. */
  readonly purchaseId: string | null;
}

/** Deposit and balance: a payment so soon after the first one belongs to the same purchase. */
const purchaseMs = limits.firstPurchase.days * dayMs;

const notFirst: PaymentStanding = { isFirstPayment: false, purchaseId: null };

/** The payments of a customer that the standing of one payment hangs on: the earliest of each sort. */
export interface Anchors {
  /** Of those with the same subject_ref, or like it without one. The payment itself is one of them. */
  readonly own: CustomerPayment;
  readonly untagged: CustomerPayment | undefined;
  readonly tagged: CustomerPayment | undefined;
}

/**
 * Payments of one subject_ref, and those without one, are a group. A group's earliest payment decides whether it is new; later
 * payments can only join it, within seven days. So what is decided here never changes by what is paid later, and three payments
 * are enough to tell of one more, however many there are.
 */
export function standingOf(payment: CustomerPayment, { own, untagged, tagged }: Anchors): PaymentStanding {
  // Untagged, it may be for any of those tagged before it: nobody can tell, not even within the seven days.
  const isUntellable = payment.subjectRef === null && isEarlier(tagged, payment);
  const isInTime = payment.paidAt.getTime() - own.paidAt.getTime() <= purchaseMs;
  const isFirstPayment = isNew(own, untagged) && isInTime && !isUntellable && !payment.isInstallment;
  return isFirstPayment ? { isFirstPayment, purchaseId: own.id } : notFirst;
}

/**
 * Whether the earliest payment of its group is of somebody new. Whoever paid untagged before may have been this very subject.
 *
 * An installment tells of a purchase that we did not see, so the group is not new, and a later payment does not become the first
 * one in its place: a merchant who marks one payment must not have to mark the next, and the next.
 */
function isNew(own: CustomerPayment, untagged: CustomerPayment | undefined): boolean {
  return !own.isInstallment && !isEarlier(untagged, own);
}

/**
 * The standing of each payment of one customer, by id. First payments with the same purchaseId are one purchase: each is a first
 * payment, and together they count once.
 */
export function firstPayments(payments: readonly CustomerPayment[]): ReadonlyMap<string, PaymentStanding> {
  const groups = new Map<string | null, CustomerPayment>();
  let tagged: CustomerPayment | undefined;
  for (const payment of payments) {
    groups.set(payment.subjectRef, earlierOf(groups.get(payment.subjectRef), payment));
    if (payment.subjectRef !== null) tagged = earlierOf(tagged, payment);
  }
  const standings = new Map<string, PaymentStanding>();
  for (const payment of payments.toSorted(byTime)) {
    if (standings.has(payment.id)) throw new RangeError(`Payment ${payment.id} is given twice.`);
    const own = groups.get(payment.subjectRef) ?? payment;
    standings.set(payment.id, standingOf(payment, { own, untagged: groups.get(null), tagged }));
  }
  return standings;
}

/** What is known of the earliest payments of a customer: of each group that changes, and of the untagged and the tagged ones. */
export interface EarliestPayments {
  readonly groups: ReadonlyMap<string | null, CustomerPayment>;
  readonly untagged: CustomerPayment | undefined;
  readonly tagged: CustomerPayment | undefined;
}

/** Of which payments the standing may be another now. */
export interface Unsettled {
  /** Payments of a group, both ends among them. */
  readonly windows: readonly { readonly subjectRef: string | null; readonly from: Date; readonly to: Date }[];
  /** Tagged payments since then that stand as first ones. */
  readonly taggedFirstsSince: Date | undefined;
  /** All of the customer's: subjects that were returning may be new. */
  readonly isEverything: boolean;
}

/**
 * What the change of a customer's earliest payments unsettles, besides the payments that changed themselves. Where there was none
 * of a sort before, none of that sort can be unsettled.
 */
export function unsettledBy(before: EarliestPayments, after: EarliestPayments): Unsettled {
  const windows = [...before.groups].flatMap(([subjectRef, was]) => {
    const is = after.groups.get(subjectRef);
    return isSame(was, is) ? [] : [purchaseOf(was), ...(is ? [purchaseOf(is)] : [])];
  });
  if (before.untagged && after.untagged) windows.push(...untellable(after.untagged, before.tagged, after.tagged));
  const isReturningMoved = before.tagged !== undefined && !isSame(before.untagged, after.untagged);
  const isEarlierNow = after.untagged !== undefined && !isEarlier(before.untagged, after.untagged);
  return {
    windows,
    taggedFirstsSince: isReturningMoved && isEarlierNow ? after.untagged?.paidAt : undefined,
    isEverything: isReturningMoved && !isEarlierNow,
  };
}

/** Of the untagged purchase, what was paid between the earliest tagged payment as it was and as it is. */
function untellable(own: CustomerPayment, was: CustomerPayment | undefined, is: CustomerPayment | undefined) {
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

export const earlierOf = (known: CustomerPayment | undefined, payment: CustomerPayment): CustomerPayment =>
  known && byTime(known, payment) <= 0 ? known : payment;

const isEarlier = (one: CustomerPayment | undefined, other: CustomerPayment): boolean =>
  one !== undefined && byTime(one, other) < 0;

/** The id settles it where two were paid in one moment: every derivation must call the same one earlier. */
const byTime = (a: CustomerPayment, b: CustomerPayment): number =>
  a.paidAt.getTime() - b.paidAt.getTime() || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
