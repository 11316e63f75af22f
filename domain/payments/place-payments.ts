import type { OwnedPayment, PaymentChange, Placement } from '@tributary/domain/outcomes';
import type { Tx } from '@tributary/postgres';
import {
  type CustomerPayment,
  type EarliestPayments,
  earlierOf,
  type PaymentStanding,
  standingOf,
  unsettledBy,
} from '@tributary/rules';
import { findEarliest, findUnsettled, type PaymentWindow } from './payments-store.ts';

/**
 * Where payments stand, asked before they are written. All customers concerned must be locked. What is read is the earliest
 * payments of each, and those that a new earliest one unsettles: how many others there are does not matter.
 */
export async function placePayments(
  tx: Tx,
  profileId: string,
  changes: readonly PaymentChange[],
  newcomers: ReadonlySet<string> = new Set(),
): Promise<Placement> {
  if (changes.length === 0) return { standings: new Map(), unclear: [] };
  const sides = changes.flatMap(({ before, after }) => [before, after].filter((side) => side !== undefined));
  const others = await findEarliest(
    tx,
    profileId,
    sides.filter(({ customerId }) => !newcomers.has(customerId)),
    changes.flatMap(({ before }) => (before ? [before.id] : [])),
  );
  const views = viewsOf(others, changes);

  const standings = new Map<string, PaymentStanding>();
  for (const { after } of changes) {
    const view = after && views.get(after.customerId);
    if (view) standings.set(after.id, standingIn(after, view.after));
  }
  const unclear: string[] = [];
  const windows: PaymentWindow[] = [];
  const taggedFirsts: { customerId: string; since: Date }[] = [];
  for (const [customerId, { before, after }] of views) {
    const unsettled = unsettledBy(before, after);
    if (unsettled.isEverything) unclear.push(customerId);
    windows.push(...unsettled.windows.map((window) => ({ ...window, customerId })));
    if (unsettled.taggedFirstsSince) taggedFirsts.push({ customerId, since: unsettled.taggedFirstsSince });
  }
  const changed = new Set(sides.map(({ id }) => id));
  for (const { payment, was, opening } of await findUnsettled(tx, profileId, windows, taggedFirsts)) {
    const view = views.get(payment.customerId);
    if (!view || changed.has(payment.id)) continue;
    const now = standingIn(payment, view.after, opening);
    if (now.isFirstPayment !== was.isFirstPayment || now.purchaseId !== was.purchaseId) standings.set(payment.id, now);
  }
  return { standings, unclear };
}

/** `opening` is the earliest payment of a group that nobody has touched. */
function standingIn(
  payment: CustomerPayment,
  { groups, untagged, tagged }: EarliestPayments,
  opening: CustomerPayment = payment,
): PaymentStanding {
  const { subjectRef } = payment;
  // Those without a subject are one group, whether or not a change touched it.
  const own = groups.get(subjectRef) ?? (subjectRef === null ? untagged : undefined) ?? opening;
  return standingOf(payment, { own, untagged, tagged });
}

/** The earliest payments of each customer concerned, before and after the changes. */
function viewsOf(
  others: readonly OwnedPayment[],
  changes: readonly PaymentChange[],
): Map<string, { before: EarliestPayments; after: EarliestPayments }> {
  const byCustomer = (payments: readonly (OwnedPayment | undefined)[]) =>
    Map.groupBy(
      payments.filter((payment) => payment !== undefined),
      ({ customerId }) => customerId,
    );
  const unchanged = byCustomer(others);
  const was = byCustomer(changes.map(({ before }) => before));
  const is = byCustomer(changes.map(({ after }) => after));
  return new Map(
    [...new Set([...was.keys(), ...is.keys()])].map((id) => {
      const [own = [], gone = [], come = []] = [unchanged.get(id), was.get(id), is.get(id)];
      const touched = new Set([...gone, ...come].map(({ subjectRef }) => subjectRef));
      return [id, { before: earliestOf([...own, ...gone], touched), after: earliestOf([...own, ...come], touched) }];
    }),
  );
}

function earliestOf(payments: readonly OwnedPayment[], touched: ReadonlySet<string | null>): EarliestPayments {
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
