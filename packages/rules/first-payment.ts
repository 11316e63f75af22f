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
const purchaseMs = 7 * 24 * 60 * 60 * 1000;

const notFirst: PaymentStanding = { isFirstPayment: false, purchaseId: null };

/**
 * The standing of each payment of one customer, by id. First payments with the same purchaseId are one purchase: each is a first
 * payment, and together they count once.
 *
 * Payments of one subject_ref, and those without one, are a group. A group's earliest payment decides whether it is new; later
 * payments can only join it, within seven days. So what is decided here never changes by what is paid later.
 */
export function firstPayments(payments: readonly CustomerPayment[]): ReadonlyMap<string, PaymentStanding> {
  const standings = new Map<string, PaymentStanding>();
  const groups = new Map<string | null, Group>();
  for (const payment of payments.toSorted(byTime)) {
    if (standings.has(payment.id)) throw new RangeError(`Payment ${payment.id} is given twice.`);
    const { subjectRef } = payment;
    const group = groups.get(subjectRef) ?? { earliest: payment, isNew: isNew(payment, groups) };
    // Untagged, it may be for any of those tagged before it: nobody can tell, not even within the seven days.
    const isUntellable = subjectRef === null && [...groups.keys()].some((key) => key !== null);
    groups.set(subjectRef, group);
    const isInTime = payment.paidAt.getTime() - group.earliest.paidAt.getTime() <= purchaseMs;
    const isFirstPayment = group.isNew && isInTime && !isUntellable && !payment.isInstallment;
    standings.set(payment.id, isFirstPayment ? { isFirstPayment, purchaseId: group.earliest.id } : notFirst);
  }
  return standings;
}

interface Group {
  readonly earliest: CustomerPayment;
  readonly isNew: boolean;
}

/**
 * Whether the earliest payment of its group is of somebody new, given the groups that paid before it. Whoever paid untagged may
 * have been this very subject.
 *
 * An installment tells of a purchase that we did not see, so the group is not new, and a later payment does not become the first
 * one in its place: a merchant who marks one payment must not have to mark the next, and the next.
 */
function isNew(payment: CustomerPayment, earlier: ReadonlyMap<string | null, unknown>): boolean {
  return !payment.isInstallment && !earlier.has(null);
}

/** The id settles it where two were paid in one moment: every derivation must call the same one earlier. */
const byTime = (a: CustomerPayment, b: CustomerPayment): number =>
  a.paidAt.getTime() - b.paidAt.getTime() || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
