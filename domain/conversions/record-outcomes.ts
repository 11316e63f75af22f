import { CustomerBook, type Evidence, openCustomers, saveCustomers } from '@tributary/domain/customers';
import { announce, type Tx } from '@tributary/postgres';
import { convert, type EventSettlement, fromMinorUnits, settleEvent } from '@tributary/rules';
import { v7 as uuid, v5 as uuidFrom } from 'uuid';
import { loadDefinitions } from './definitions.ts';
import { deriveFirstPayments } from './first-payments.ts';
import type { ReadEvent } from './read-event.ts';
import {
  findCustomerKeys,
  findOutcomes,
  findRates,
  insertOutcomes,
  markDirty,
  type OutcomeRow,
  type StoredOutcome,
  updateOutcome,
} from './store.ts';

export interface Recorded {
  readonly outcomeId: string;
  readonly status: EventSettlement['status'];
  readonly customerId: string | null;
  readonly customerKey: string | null;
}

export interface RecordContext {
  readonly profileId: string;
  readonly now: Date;
  readonly evidence: Evidence;
  /** Whether subscribers are told: a healthcare-family profile tells nobody. */
  readonly isAnnounced: boolean;
}

/**
 * Records outcomes in the caller's transaction: who they are of, the outcomes themselves, what follows for first payments and
 * attribution, and the word to whoever subscribed. All of it commits, or nothing.
 *
 * Locks are taken in one order, whoever comes: identifiers, customers, then outcomes by key.
 */
export async function recordOutcomes(
  tx: Tx,
  events: readonly ReadEvent[],
  context: RecordContext,
): Promise<Recorded[]> {
  if (events.length === 0) return [];
  const { profileId, now, evidence } = context;
  await loadDefinitions(tx, profileId, now);
  const customers = await resolveCustomers(tx, events, profileId, evidence);
  const settled = await settleAll(tx, events, customers, context);

  const touched = settled.filter(({ status }) => status !== 'duplicate');
  for (const customerId of new Set(
    touched.flatMap(({ row, before }) => [row.customerId, before?.customerId ?? null]),
  )) {
    if (customerId) await deriveFirstPayments(tx, profileId, customerId);
  }
  for (const status of ['recorded', 'updated'] as const) {
    await markDirty(
      tx,
      profileId,
      touched.filter((one) => one.status === status).map(({ row }) => row.id),
      `outcome_${status}`,
    );
  }
  if (context.isAnnounced) {
    const fresh = settled.filter(({ status }) => status === 'recorded');
    await announce(
      tx,
      fresh.map(({ row }) => ({
        id: uuidFrom(`outcome.recorded:${row.id}`, profileId),
        profileId,
        type: 'outcome.recorded',
        payload: { outcome_id: row.id },
        occurredAt: row.occurredAt,
      })),
    );
  }
  const keys = await findCustomerKeys(tx, profileId, [
    ...new Set(settled.flatMap(({ row }) => (row.customerId ? [row.customerId] : []))),
  ]);
  return settled.map(({ row, status }) => ({
    outcomeId: row.id,
    status,
    customerId: row.customerId,
    customerKey: (row.customerId && keys.get(row.customerId)) ?? null,
  }));
}

async function resolveCustomers(
  tx: Tx,
  events: readonly ReadEvent[],
  profileId: string,
  evidence: Evidence,
): Promise<(string | null)[]> {
  const known = await openCustomers(
    tx,
    profileId,
    events.flatMap(({ said }) => said.identifiers),
  );
  const book = new CustomerBook(known, evidence, uuid);
  const taken = events.map(({ said }) => (said.identifiers.length > 0 ? book.take(said).customerId : null));
  await saveCustomers(tx, profileId, book.changes(), evidence);
  // A later event may have shown that two earlier ones are of one person.
  return taken.map((customerId) => customerId && book.survivorOf(customerId));
}

interface Settled {
  readonly row: OutcomeRow;
  readonly status: EventSettlement['status'];
  readonly before: StoredOutcome | undefined;
}

/** Events of one batch may share a key: they are taken in their order, each against what the one before it left. */
async function settleAll(
  tx: Tx,
  events: readonly ReadEvent[],
  customers: readonly (string | null)[],
  { profileId, now }: RecordContext,
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
    const amount = fromMinorUnits(convert(row.money.amount, found.rate, rates.currency), rates.currency);
    return { amount, currency: rates.currency, ...found };
  };
  const settled = events.map((read, index): Settled => {
    const key = read.event.idempotencyKey;
    const before = stored.get(key);
    const message = { ...read.event, rest: read.rest, customerId: customers[index] ?? before?.customerId ?? null };
    const { status, outcome } = settleEvent(before, message, now);
    const row = { ...outcome, id: before?.id ?? uuid(), idempotencyKey: key };
    stored.set(key, row);
    return {
      row: { ...row, eventKey: read.eventKey, eventTypeKey: read.eventTypeKey, reporting: reportingOf(row) },
      status,
      before,
    };
  });
  await writeAll(tx, settled, profileId, now);
  return settled;
}

async function writeAll(tx: Tx, settled: readonly Settled[], profileId: string, now: Date): Promise<void> {
  // The last word of the batch on each key is what is written.
  const last = new Map(settled.map((one) => [one.row.idempotencyKey, one]));
  const first = new Map(settled.toReversed().map((one) => [one.row.idempotencyKey, one]));
  const fresh = [...last.values()].filter(({ row }) => first.get(row.idempotencyKey)?.before === undefined);
  const inserted = await insertOutcomes(
    tx,
    profileId,
    fresh.map(({ row }) => row),
    now,
  );
  if (inserted.size < fresh.length) throw new OutcomeRace();
  for (const { row, status } of last.values()) {
    if (status !== 'duplicate' && !inserted.has(row.idempotencyKey)) await updateOutcome(tx, profileId, row, now);
  }
}

/** Somebody recorded the same key between our look and our write. Taken from the start, it will be seen. */
export class OutcomeRace extends Error {
  override readonly name = 'OutcomeRace';
}
