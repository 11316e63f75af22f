import type { OutcomeProvider, OutcomeSource } from '@tributary/contract';
import { clickMarker, type Evidence } from '@tributary/domain/customers';
import { loadDefinitions, readDefinitions } from '@tributary/domain/definitions';
import { ratesOf } from '@tributary/domain/money';
import { type ProfileFacts, profileOf } from '@tributary/domain/tenants';
import type { Tx } from '@tributary/postgres';
import {
  adWithoutPlatform,
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
import { OutcomeRace } from './outcome-race.ts';
import type { ReadEvent } from './read-event.ts';
import { type Resolved, type ResolvedCustomers, resolveCustomers } from './resolve-customers.ts';
import { noteSaleSource } from './sale-sources.ts';
import type { OutcomeServices } from './services.ts';
import type { OutcomeRow, StoredOutcome } from './store.ts';
import { type Settled, writeAll } from './write-outcomes.ts';

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
  const { profileId, now } = context;
  const [definitions, profile, resolved] = await Promise.all([
    readDefinitions(tx, profileId),
    profileOf(tx, profileId),
    resolveCustomers(tx, events, context),
  ]);
  // The first event of a profile makes the usual ones. Whoever waits for another first one holds all its other locks by then, so that
  // the two never wait for each other.
  const definitionOf = definitionFinder(
    definitions.length > 0 ? definitions : await loadDefinitions(tx, profileId, now),
  );
  const isCash = (row: OutcomeRow) => definitionOf(row)?.countsAsCash ?? false;
  const settled = await holdForMatching(
    tx,
    await settleAll(tx, events, resolved, { ...context, profile }),
    isCash,
    context,
  );
  const keys = await writeAll(tx, settled, resolved, { ...context, isCash });
  const fresh = settled.flatMap(({ row, status }) => (status === 'recorded' ? [row] : []));
  await announceOutcomes(tx, profileId, fresh, now);
  return settled.map(({ row, status }) => ({
    outcomeId: row.id,
    status,
    customerId: row.customerId,
    customerKey: (row.customerId && keys.get(row.customerId)) ?? null,
    isDefined: definitionOf(row) !== undefined,
  }));
}

/** Events of one batch may share a key: they are taken in their order, each against what the one before it left. */
async function settleAll(
  tx: Tx,
  events: readonly ReadEvent[],
  { customers, stored }: ResolvedCustomers,
  { profileId, profile, evidence, teller, tombstones, findAdPlatforms }: RecordContext & { profile: ProfileFacts },
): Promise<Settled[]> {
  const toldAt = (read: ReadEvent) => (read.evidence ?? evidence).saidAt;
  const rates = await ratesOf(
    tx,
    profile,
    events.flatMap((read) => {
      const { money, occurredAt, idempotencyKey } = read.event;
      const at = occurredAt ?? stored.get(idempotencyKey)?.occurredAt ?? toldAt(read);
      return money ? [{ currency: money.currency, at }] : [];
    }),
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
    const now = toldAt(read);
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
    const uncounted = before?.uncounted ?? null;
    const kept = { isInstallment, standing, erasedAt, origin, refunded, payer, named, uncounted };
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
        toldAt: now,
        ...toldBy(teller, read),
      },
      status,
      before,
    };
  });
  return settled;
}

/**
 * New payments of a profile with several sources are in no report before it is known whether another source reported them, too. Where
 * there is one source only, nothing can be a duplicate.
 */
async function holdForMatching(
  tx: Tx,
  settled: readonly Settled[],
  isCash: (row: OutcomeRow) => boolean,
  { profileId, teller }: RecordContext,
): Promise<readonly Settled[]> {
  const isNewPayment = ({ row, before }: Settled) => row.money !== null && before === undefined && isCash(row);
  const added = new Set(settled.filter(isNewPayment).map(({ row }) => row.id));
  if (added.size === 0) return settled;
  const connectionId = 'connectionId' in teller ? teller.connectionId : null;
  if (!(await noteSaleSource(tx, profileId, teller.source, connectionId))) return settled;
  return settled.map((one) => (added.has(one.row.id) ? { ...one, row: { ...one.row, uncounted: 'pending' } } : one));
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
