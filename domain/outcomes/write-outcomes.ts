import { findCustomerKeys } from '@tributary/domain/customers';
import type { Tx } from '@tributary/postgres';
import { causesOf, type EventSettlement } from '@tributary/rules';
import { markCustomersDirty, markDirty, markTouchedCustomers, saveStandings } from './mark-dirty.ts';
import { OutcomeRace } from './outcome-race.ts';
import type { OwnedPayment, PaymentChange, PaymentStandings } from './payment-standings.ts';
import type { ResolvedCustomers } from './resolve-customers.ts';
import { insertOutcomes, type OutcomeRow, type StoredOutcome, updateOutcome } from './store.ts';

export interface Settled {
  readonly row: OutcomeRow;
  readonly status: EventSettlement['status'];
  readonly before: StoredOutcome | undefined;
}

interface WriteContext {
  readonly profileId: string;
  readonly now: Date;
  readonly payments: PaymentStandings;
  readonly isCash: (row: OutcomeRow) => boolean;
}

/**
 * Writes customers, outcomes and what follows from them, and resolves to the caller's own keys of the customers. None of the
 * statements waits for what another one answers, so they go out together, in this order.
 */
export async function writeAll(
  tx: Tx,
  settled: readonly Settled[],
  people: ResolvedCustomers,
  context: WriteContext,
): Promise<ReadonlyMap<string, string | null>> {
  const { profileId, now, payments } = context;
  const written = lastWords(settled);
  const { standings, unclear, strangers, standing } = await placeAll(tx, written, people, context);
  const fresh = written.filter((one) => one.before === undefined);
  const own = new Set(written.map(({ row }) => row.id));
  const moved = [...standings].filter(([id]) => !own.has(id));
  const touched = settled.filter(({ status }) => status !== 'duplicate');
  const causes = new Map([...Map.groupBy(touched, ({ row }) => row.id)].map(([id, told]) => [id, causesOfAll(told)]));
  const named = new Set(settled.flatMap(({ row }) => row.customerId ?? []));
  const insert = async () => {
    const rows = fresh.map(({ row }) => standing(row));
    const inserted = await insertOutcomes(tx, profileId, rows, causes);
    if (inserted < rows.length) throw new OutcomeRace();
  };
  const unknown = [...named].filter((id) => !people.ownKeys.has(id));
  const [keys] = await Promise.all([
    // The answer to this one is of after the customers are saved, and it must be: the batch may have brought a key.
    people.save().then(() => findCustomerKeys(tx, profileId, unknown)),
    insert(),
    ...written.flatMap(({ row, before }) => (before ? [updateOutcome(tx, profileId, standing(row))] : [])),
    saveStandings(tx, profileId, moved),
    markCustomersDirty(tx, profileId, strangers),
    markTouchedCustomers(tx, profileId, touched.flatMap(touchesOf)),
    ...(fresh.length > 0 ? [] : [markDirty(tx, profileId, causes)]),
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
  return new Map([...people.ownKeys, ...keys]);
}

/** The last word of the batch on each key is what is written, over what stood there before the first. */
function lastWords(settled: readonly Settled[]): Pick<Settled, 'row' | 'before'>[] {
  const before = new Map(settled.toReversed().map((one) => [one.row.idempotencyKey, one.before]));
  const changed = new Set(settled.flatMap(({ status, row }) => (status === 'duplicate' ? [] : [row.idempotencyKey])));
  const last = new Map(settled.map(({ row }) => [row.idempotencyKey, row]));
  return [...changed].map((key) => ({ row: last.get(key) as OutcomeRow, before: before.get(key) }));
}

/** Where the payments among them stand, and who has to be looked at later because they are not in our hands. */
async function placeAll(
  tx: Tx,
  written: readonly Pick<Settled, 'row' | 'before'>[],
  { locked, newcomers }: ResolvedCustomers,
  context: WriteContext,
) {
  const changes = written.map((one) => paymentChange(one, context));
  const isOurs = (payment: OwnedPayment | undefined) => payment !== undefined && locked.has(payment.customerId);
  const { standings, unclear } = await context.payments.place(
    tx,
    context.profileId,
    changes.flatMap(({ before: was, after: is }) => {
      const ours = { before: isOurs(was) ? was : undefined, after: isOurs(is) ? is : undefined };
      return ours.before || ours.after ? [ours] : [];
    }),
    newcomers,
  );
  // A message without traits locks nobody, and one that names somebody else not the one it named before. What is not in our hands
  // stands as it stood, until its customer is looked at under the lock.
  const strangers = changes.flatMap((change) =>
    [change.before, change.after].flatMap((side) => (side && !isOurs(side) ? [side.customerId] : [])),
  );
  const isLeft = new Set(changes.flatMap(({ after: is }) => (is && !isOurs(is) ? [is.id] : [])));
  const standing = (row: OutcomeRow) =>
    isLeft.has(row.id) ? row : { ...row, standing: standings.get(row.id) ?? null };
  return { standings, unclear, strangers, standing };
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
    // A record that is not counted is no payment of its customer; when it is, its customer is derived as a whole.
    after: row.money && isCash(row) && row.uncounted === null ? paymentOf(row) : undefined,
  };
}

/** Several messages of a batch may tell of one outcome. */
const causesOfAll = (told: readonly Settled[]) => [
  ...new Set(told.flatMap(({ before, row }) => causesOf(before, row))),
];

/** The touches that an outcome is and was, through what it says brought it. */
const touchesOf = ({ row, before }: Settled) =>
  [row.origin && row, before?.origin && before].flatMap((one) =>
    one?.customerId ? [{ customerId: one.customerId, at: one.occurredAt }] : [],
  );
