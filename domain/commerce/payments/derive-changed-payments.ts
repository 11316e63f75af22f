import type { Classification, OwnedPayment, PaymentChange } from '@tributary/domain/commerce/outcomes';
import type { Tx } from '@tributary/postgres';
import {
  affectedPayments,
  type CustomerPayment,
  type EarliestPayments,
  earlierOf,
  type FirstPaymentStatus,
  firstPaymentStatus,
} from '@tributary/rules';
import { findEarliest, findUnsettled, type PaymentWindow } from './payments-store.ts';

/**
 * Computes the first-payment status of payments before they are written. All customers concerned must be locked. Reads
 * only the earliest payments of each customer and those that a new earliest payment affects, so the cost does not grow
 * with their number.
 */
export async function placePayments(
  tx: Tx,
  profileId: string,
  changes: readonly PaymentChange[],
  newcomers: ReadonlySet<string> = new Set(),
): Promise<Classification> {
  if (changes.length === 0) return { standings: new Map(), unclear: [] };
  const sides = changes.flatMap(({ before, after }) => [before, after].filter((side) => side !== undefined));
  const others = await findEarliest(
    tx,
    profileId,
    sides.filter(({ customerId }) => !newcomers.has(customerId)),
    changes.flatMap(({ before }) => (before ? [before.id] : [])),
  );
  const views = groupEarliest(others, changes);

  const statuses = new Map<string, FirstPaymentStatus>();
  for (const { after } of changes) {
    const view = after && views.get(after.customerId);
    if (view) statuses.set(after.id, getStatus(after, view.after));
  }
  const unclear: string[] = [];
  const windows: PaymentWindow[] = [];
  const taggedFirsts: { customerId: string; since: Date }[] = [];
  for (const [customerId, { before, after }] of views) {
    const unsettled = affectedPayments(before, after);
    if (unsettled.isEverything) unclear.push(customerId);
    windows.push(...unsettled.windows.map((window) => ({ ...window, customerId })));
    if (unsettled.taggedFirstsSince) taggedFirsts.push({ customerId, since: unsettled.taggedFirstsSince });
  }
  const changed = new Set(sides.map(({ id }) => id));
  for (const { payment, was, opening } of await findUnsettled(tx, profileId, windows, taggedFirsts)) {
    const view = views.get(payment.customerId);
    if (!view || changed.has(payment.id)) continue;
    const now = getStatus(payment, view.after, opening);
    if (now.isFirstPayment !== was.isFirstPayment || now.purchaseId !== was.purchaseId) statuses.set(payment.id, now);
  }
  return { standings: statuses, unclear };
}

/** `opening` is the earliest payment of a group that no change affects. */
function getStatus(
  payment: CustomerPayment,
  { groups, untagged, tagged }: EarliestPayments,
  opening: CustomerPayment = payment,
): FirstPaymentStatus {
  const { subjectRef } = payment;
  // Payments without a subject form one group, whether or not a change affects it.
  const own = groups.get(subjectRef) ?? (subjectRef === null ? untagged : undefined) ?? opening;
  return firstPaymentStatus(payment, { own, untagged, tagged });
}

/** The earliest payments of each customer concerned, before and after the changes. */
function groupEarliest(
  others: readonly OwnedPayment[],
  changes: readonly PaymentChange[],
): Map<string, { before: EarliestPayments; after: EarliestPayments }> {
  const byCustomer = (payments: readonly (OwnedPayment | undefined)[]) =>
    Map.groupBy(
      payments.filter((payment) => payment !== undefined),
      ({ customerId }) => customerId,
    );
  const unchanged = byCustomer(others);
  const removed = byCustomer(changes.map(({ before }) => before));
  const added = byCustomer(changes.map(({ after }) => after));
  return new Map(
    [...new Set([...removed.keys(), ...added.keys()])].map((id) => {
      const [own = [], gone = [], arrived = []] = [unchanged.get(id), removed.get(id), added.get(id)];
      const touched = new Set([...gone, ...arrived].map(({ subjectRef }) => subjectRef));
      return [
        id,
        { before: pickEarliest([...own, ...gone], touched), after: pickEarliest([...own, ...arrived], touched) },
      ];
    }),
  );
}

function pickEarliest(payments: readonly OwnedPayment[], touched: ReadonlySet<string | null>): EarliestPayments {
  const groups = new Map<string | null, CustomerPayment>();
  let untagged: CustomerPayment | undefined;
  let tagged: CustomerPayment | undefined;
  for (const payment of payments) {
    const { subjectRef } = payment;
    if (touched.has(subjectRef)) groups.set(subjectRef, earlierOf(groups.get(subjectRef), payment));
    if (subjectRef === null) untagged = earlierOf(untagged, payment);
    else tagged = earlierOf(tagged, payment);
  }
  return { groups, untagged, tagged };
}
