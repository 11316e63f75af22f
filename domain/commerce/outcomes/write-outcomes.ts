import { findCustomerKeys } from '@tributary/domain/commerce/customers';
import type { Tx } from '@tributary/postgres';
import { causesOf, type EventSettlement } from '@tributary/rules';
import type { FirstPaymentService, OwnedPayment, PaymentChange } from './first-payment-service.ts';
import { markCustomersDirty, markDirty, markTouchedCustomers, saveStandings } from './mark-dirty.ts';
import { OutcomeRace } from './outcome-race.ts';
import type { ResolvedCustomers } from './resolve-customers.ts';
import { insertOutcomes, type OutcomeRow, type StoredOutcome, updateOutcome } from './store.ts';

export interface ResolvedOutcome {
  readonly row: OutcomeRow;
  readonly status: EventSettlement['status'];
  readonly before: StoredOutcome | undefined;
}

interface WriteContext {
  readonly profileId: string;
  readonly now: Date;
  readonly payments: FirstPaymentService;
  readonly isCash: (row: OutcomeRow) => boolean;
}

/**
 * Writes customers, outcomes and their dirty marks; resolves to the caller's keys of the customers. The statements do not depend on each
 * other's results, so they are pipelined in this order.
 */
export async function writeAll(
  tx: Tx,
  outcomes: readonly ResolvedOutcome[],
  resolved: ResolvedCustomers,
  context: WriteContext,
): Promise<ReadonlyMap<string, string | null>> {
  const { profileId, now, payments } = context;
  const written = getLatestByKey(outcomes);
  const { standings, unclear, unlockedCustomers, standing } = await classifyPayments(tx, written, resolved, context);
  const added = written.filter((one) => one.before === undefined);
  const own = new Set(written.map(({ row }) => row.id));
  const moved = [...standings].filter(([id]) => !own.has(id));
  const touched = outcomes.filter(({ status }) => status !== 'duplicate');
  const causes = new Map(
    [...Map.groupBy(touched, ({ row }) => row.id)].map(([id, messages]) => [id, causesOfAll(messages)]),
  );
  const named = new Set(outcomes.flatMap(({ row }) => row.customerId ?? []));
  const insert = async () => {
    const rows = added.map(({ row }) => standing(row));
    const inserted = await insertOutcomes(tx, profileId, rows, causes);
    if (inserted < rows.length) throw new OutcomeRace();
  };
  const unknown = [...named].filter((id) => !resolved.ownKeys.has(id));
  const [keys] = await Promise.all([
    // Runs after the customers are saved, because the batch may have added a key.
    resolved.save().then(() => findCustomerKeys(tx, profileId, unknown)),
    insert(),
    ...written.flatMap(({ row, before }) => (before ? [updateOutcome(tx, profileId, standing(row))] : [])),
    saveStandings(tx, profileId, moved),
    markCustomersDirty(tx, profileId, unlockedCustomers),
    markTouchedCustomers(tx, profileId, touched.flatMap(touchesOf)),
    ...(added.length > 0 ? [] : [markDirty(tx, profileId, causes)]),
  ]);
  await payments.recount(
    tx,
    profileId,
    written.flatMap(({ row, before }) =>
      before?.money && before.money.currency !== row.money?.currency ? [row.id] : [],
    ),
    now,
  );
  await payments.derive(tx, profileId, [...unclear]);
  return new Map([...resolved.ownKeys, ...keys]);
}

/** The latest row of the batch per key, with the outcome stored before the batch. */
function getLatestByKey(outcomes: readonly ResolvedOutcome[]): Pick<ResolvedOutcome, 'row' | 'before'>[] {
  const before = new Map(outcomes.toReversed().map((one) => [one.row.idempotencyKey, one.before]));
  const changed = new Set(outcomes.flatMap(({ status, row }) => (status === 'duplicate' ? [] : [row.idempotencyKey])));
  const last = new Map(outcomes.map(({ row }) => [row.idempotencyKey, row]));
  return [...changed].map((key) => ({ row: last.get(key) as OutcomeRow, before: before.get(key) }));
}

/** Computes the first-payment state of the payments, and the customers to derive later because they are not locked here. */
async function classifyPayments(
  tx: Tx,
  written: readonly Pick<ResolvedOutcome, 'row' | 'before'>[],
  { locked, newcomers }: ResolvedCustomers,
  context: WriteContext,
) {
  const changes = written.map((one) => paymentChange(one, context));
  const isLocked = (payment: OwnedPayment | undefined) => payment !== undefined && locked.has(payment.customerId);
  const { standings, unclear } = await context.payments.place(
    tx,
    context.profileId,
    changes.flatMap(({ before: was, after: is }) => {
      const lockedChange = { before: isLocked(was) ? was : undefined, after: isLocked(is) ? is : undefined };
      return lockedChange.before || lockedChange.after ? [lockedChange] : [];
    }),
    newcomers,
  );
  // A message without identifiers locks no customer, and a corrected message does not lock the previous one. Payments of unlocked customers
  // keep their state until these customers are derived under their lock.
  const unlockedCustomers = changes.flatMap((change) =>
    [change.before, change.after].flatMap((side) => (side && !isLocked(side) ? [side.customerId] : [])),
  );
  const unchanged = new Set(changes.flatMap(({ after: is }) => (is && !isLocked(is) ? [is.id] : [])));
  const standing = (row: OutcomeRow) =>
    unchanged.has(row.id) ? row : { ...row, standing: standings.get(row.id) ?? null };
  return { standings, unclear, unlockedCustomers, standing };
}

function paymentChange(
  { row, before }: { row: OutcomeRow; before: StoredOutcome | undefined },
  { isCash }: WriteContext,
): PaymentChange {
  const paymentOf = (outcome: StoredOutcome): OwnedPayment | undefined =>
    outcome.customerId === null
      ? undefined
      : {
          customerId: outcome.customerId,
          id: outcome.id,
          paidAt: outcome.occurredAt,
          subjectRef: outcome.subjectRef,
          isInstallment: outcome.isInstallment,
        };
  return {
    before: before?.standing ? paymentOf(before) : undefined,
    // An uncounted record is no payment of its customer. When it becomes counted, all payments of the customer are derived.
    after: row.money && isCash(row) && row.uncounted === null ? paymentOf(row) : undefined,
  };
}

/** The causes of all messages of a batch about one outcome. */
const causesOfAll = (messages: readonly ResolvedOutcome[]) => [
  ...new Set(messages.flatMap(({ before, row }) => causesOf(before, row))),
];

/** The touchpoints that the outcome is now and was before, by its origin. */
const touchesOf = ({ row, before }: ResolvedOutcome) =>
  [row.origin && row, before?.origin && before].flatMap((one) =>
    one?.customerId ? [{ customerId: one.customerId, at: one.occurredAt }] : [],
  );
