import type { OutcomeProvider, OutcomeSource } from '@tributary/contract';
import { clickMarker, type Evidence, findCustomerKeys } from '@tributary/domain/customers';
import { loadDefinitions } from '@tributary/domain/definitions';
import { findRates } from '@tributary/domain/money';
import type { Tx } from '@tributary/postgres';
import {
  adWithoutPlatform,
  causesOf,
  convert,
  definitionFinder,
  type EventSettlement,
  fromMinorUnits,
  netOf,
  originOf,
  settleEvent,
  strongestOf,
} from '@tributary/rules';
import { v7 as uuid } from 'uuid';
import { announceOutcomes } from './announce-outcomes.ts';
import { withoutPerson } from './erase.ts';
import { markCustomersDirty, markDirty, markTouchedCustomers, saveStandings } from './mark-dirty.ts';
import type { OwnedPayment, PaymentChange, PaymentStandings } from './payment-standings.ts';
import type { ReadEvent } from './read-event.ts';
import { type Resolved, resolveCustomers } from './resolve-customers.ts';
import type { OutcomeServices } from './services.ts';
import { findOutcomes, insertOutcomes, type OutcomeRow, type StoredOutcome, updateOutcome } from './store.ts';

export interface Recorded {
  readonly outcomeId: string;
  readonly status: EventSettlement['status'];
  readonly customerId: string | null;
  readonly customerKey: string | null;
  /** Whether a definition says what it means. */
  readonly isDefined: boolean;
}

/** Who tells: the business itself, or a provider through the connection that the business has with it, if it takes one. */
export type Teller =
  | { readonly source: Exclude<OutcomeSource, OutcomeProvider> }
  | { readonly source: OutcomeProvider; readonly connectionId: string | null };

export interface RecordContext extends OutcomeServices {
  readonly profileId: string;
  readonly now: Date;
  readonly evidence: Evidence;
  readonly teller: Teller;
}

/**
 * Records outcomes in the caller's transaction: who they are of, the outcomes themselves, what follows for first payments and
 * attribution, and the word to whoever subscribed. All of it commits, or nothing.
 *
 * Locks are taken in one order, whoever comes: identifiers, customers, browsers, then outcomes by key.
 */
export async function recordOutcomes(
  tx: Tx,
  events: readonly ReadEvent[],
  context: RecordContext,
): Promise<Recorded[]> {
  if (events.length === 0) return [];
  const { profileId, now, payments } = context;
  const definitionOf = definitionFinder(await loadDefinitions(tx, profileId, now));
  const isCash = (row: OutcomeRow) => definitionOf(row)?.countsAsCash ?? false;
  const { customers, locked } = await resolveCustomers(tx, events, context);
  const settled = await settleAll(tx, events, customers, context);
  await writeAll(tx, settled, { profileId, now, payments, isCash, locked });
  const touched = settled.filter(({ status }) => status !== 'duplicate');
  await markTouchedCustomers(tx, profileId, touched.flatMap(touchesOf));
  await markDirty(
    tx,
    profileId,
    new Map([...Map.groupBy(touched, ({ row }) => row.id)].map(([id, told]) => [id, causesOfAll(told)])),
  );
  const fresh = settled.flatMap(({ row, status }) => (status === 'recorded' ? [row] : []));
  await announceOutcomes(tx, profileId, fresh, now);
  const keys = await findCustomerKeys(tx, profileId, [
    ...new Set(settled.flatMap(({ row }) => (row.customerId ? [row.customerId] : []))),
  ]);
  return settled.map(({ row, status }) => ({
    outcomeId: row.id,
    status,
    customerId: row.customerId,
    customerKey: (row.customerId && keys.get(row.customerId)) ?? null,
    isDefined: definitionOf(row) !== undefined,
  }));
}

/** The touches that an outcome is and was, through what it says brought it. */
const touchesOf = ({ row, before }: Settled) =>
  [row.origin && row, before?.origin && before].flatMap((one) =>
    one?.customerId ? [{ customerId: one.customerId, at: one.occurredAt }] : [],
  );

/** Several messages of a batch may tell of one outcome. */
const causesOfAll = (told: readonly Settled[]) => [
  ...new Set(told.flatMap(({ before, row }) => causesOf(before, row))),
];

interface Settled {
  readonly row: OutcomeRow;
  readonly status: EventSettlement['status'];
  readonly before: StoredOutcome | undefined;
}

/** Events of one batch may share a key: they are taken in their order, each against what the one before it left. */
async function settleAll(
  tx: Tx,
  events: readonly ReadEvent[],
  customers: readonly Resolved[],
  { profileId, now, teller, tombstones, findAdPlatforms }: RecordContext,
): Promise<Settled[]> {
  const stored = await findOutcomes(tx, profileId, [...new Set(events.map(({ event }) => event.idempotencyKey))]);
  const rates = await findRates(
    tx,
    profileId,
    events.flatMap(({ event }) =>
      event.money
        ? [
            {
              currency: event.money.currency,
              at: event.occurredAt ?? stored.get(event.idempotencyKey)?.occurredAt ?? now,
            },
          ]
        : [],
    ),
  );
  const reportingOf = (row: StoredOutcome) => {
    const found = row.money && rates.find(row.money.currency, row.occurredAt);
    if (!row.money || !found) return null;
    const net = netOf(row.money.amount, row.refunded);
    const amount = fromMinorUnits(convert(net, found.rate, rates.currency), rates.currency);
    return { amount, currency: rates.currency, ...found };
  };
  const ads = events.flatMap(({ browser, rest }) => (browser ? [] : (adWithoutPlatform(rest) ?? [])));
  const platforms = ads.length === 0 ? new Map<string, string>() : await findAdPlatforms(tx, profileId, ads);
  const known = { platformOf: (adId: string) => platforms.get(adId), markOf: clickMarker(tombstones, profileId) };
  const settled = events.map((read, index): Settled => {
    const key = read.event.idempotencyKey;
    const before = stored.get(key);
    const said = before && asSaid(before);
    const { status, outcome } = settleEvent(said, messageOf(read, said, customers[index] as Resolved), now);
    const { isInstallment = false, standing = null } = before ?? {};
    // Whom a message names is not who a merchant says to have paid, and may be erased without them.
    const payer = before?.payer ? { saidCustomerId: outcome.customerId } : null;
    const erasedAt = before?.erasedAt ?? (customers[index]?.isErased && !payer ? now : null);
    const refunded = before?.money?.currency === outcome.money?.currency ? (before?.refunded ?? '0') : '0';
    // A browser's visits say where it came from. What an erased event said of it is kept: it names nobody.
    const origin = before?.erasedAt ? before.origin : read.browser ? null : originOf(profileId, read.rest, known);
    const named = erasedAt ? null : (strongestOf(read.said.identifiers) ?? before?.named ?? null);
    const kept = { isInstallment, standing, erasedAt, origin, refunded, payer, named };
    const customerId = payer && before ? before.customerId : outcome.customerId;
    const row = { ...outcome, customerId, id: before?.id ?? uuid(), idempotencyKey: key, ...kept };
    stored.set(key, row);
    return {
      row: {
        ...row,
        eventKey: read.eventKey,
        eventTypeKey: read.eventTypeKey,
        reporting: reportingOf(row),
        visitorId: read.browser?.visitorId,
        ...toldBy(teller, read),
      },
      status,
      before,
    };
  });
  return settled;
}

/** An outcome as its message said it, without what a merchant said of its payer. */
const asSaid = (outcome: StoredOutcome): StoredOutcome =>
  outcome.payer ? { ...outcome, customerId: outcome.payer.saidCustomerId } : outcome;

function toldBy(teller: Teller, { provided }: ReadEvent): Pick<OutcomeRow, 'source' | 'connectionId' | 'provided'> {
  const connectionId = 'connectionId' in teller ? teller.connectionId : null;
  if ('connectionId' in teller !== (provided !== undefined))
    throw new TypeError('What a provider tells has an id of its own, and nothing else has.');
  return { source: teller.source, connectionId, provided };
}

/** What an event says that may be kept. Of somebody who was erased that is the money, the time and the name of what happened. */
function messageOf({ event, rest }: ReadEvent, before: StoredOutcome | undefined, { customerId, isErased }: Resolved) {
  if (before?.erasedAt)
    return { ...event, rest: before.rest, subjectRef: before.subjectRef, customerId: before.customerId };
  const whole = { ...event, rest, customerId: customerId ?? before?.customerId ?? null };
  return isErased ? { ...whole, rest: withoutPerson(rest), subjectRef: null } : whole;
}

interface WriteContext {
  readonly profileId: string;
  readonly now: Date;
  readonly payments: PaymentStandings;
  readonly isCash: (row: OutcomeRow) => boolean;
  readonly locked: ReadonlySet<string>;
}

async function writeAll(tx: Tx, settled: readonly Settled[], context: WriteContext): Promise<void> {
  const { profileId, now, payments, locked } = context;
  // The last word of the batch on each key is what is written, over what stood there before the first.
  const before = new Map(settled.toReversed().map((one) => [one.row.idempotencyKey, one.before]));
  const changed = new Set(settled.flatMap(({ status, row }) => (status === 'duplicate' ? [] : [row.idempotencyKey])));
  const last = new Map(settled.map(({ row }) => [row.idempotencyKey, row]));
  const written = [...changed].map((key) => ({ row: last.get(key) as OutcomeRow, before: before.get(key) }));

  const changes = written.map((one) => paymentChange(one, context));
  const isOurs = (payment: OwnedPayment | undefined) => payment !== undefined && locked.has(payment.customerId);
  const { standings, unclear } = await payments.place(
    tx,
    profileId,
    changes.flatMap(({ before: was, after: is }) => {
      const ours = { before: isOurs(was) ? was : undefined, after: isOurs(is) ? is : undefined };
      return ours.before || ours.after ? [ours] : [];
    }),
  );
  // A message without traits locks nobody, and one that names somebody else not the one it named before. What is not in our hands
  // stands as it stood, until its customer is looked at under the lock.
  const strangers = changes.flatMap((change) =>
    [change.before, change.after].flatMap((side) => (side && !isOurs(side) ? [side.customerId] : [])),
  );
  const isLeft = new Set(changes.flatMap(({ after: is }) => (is && !isOurs(is) ? [is.id] : [])));
  const standing = (row: OutcomeRow) =>
    isLeft.has(row.id) ? row : { ...row, standing: standings.get(row.id) ?? null };

  const fresh = written.filter((one) => one.before === undefined);
  const inserted = await insertOutcomes(
    tx,
    profileId,
    fresh.map(({ row }) => standing(row)),
    now,
  );
  if (inserted.size < fresh.length) throw new OutcomeRace();
  for (const { row } of written.filter((one) => one.before !== undefined))
    await updateOutcome(tx, profileId, standing(row), now);

  await payments.recount(
    tx,
    profileId,
    written.flatMap(({ row, before: was }) =>
      was?.money && was.money.currency !== row.money?.currency ? [row.id] : [],
    ),
    now,
  );
  const own = new Set(written.map(({ row }) => row.id));
  const moved = [...standings].filter(([id]) => !own.has(id));
  await saveStandings(tx, profileId, moved);
  await payments.derive(tx, profileId, [...unclear]);
  await markCustomersDirty(tx, profileId, strangers);
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
    after: row.money && isCash(row) ? paymentOf(row) : undefined,
  };
}

/** Somebody recorded the same key between our look and our write. Taken from the start, it will be seen. */
export class OutcomeRace extends Error {
  override readonly name = 'OutcomeRace';
}

/** A lost race is run again from the start, where it finds what it lost to. */
export async function untilRecorded<A>(attempt: () => Promise<A>): Promise<A> {
  for (let lost = 0; ; lost += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof OutcomeRace) || lost === 5) throw error;
    }
  }
}
