import type { OutcomeProvider, OutcomeSource } from '@tributary/contract';
import { clickMarker, type Evidence } from '@tributary/domain/commerce/customers';
import { loadDefinitions, readDefinitions } from '@tributary/domain/commerce/definitions';
import { ratesOf } from '@tributary/domain/commerce/money';
import { getProfile, type ProfileFacts } from '@tributary/domain/tenancy/tenants';
import type { Tx } from '@tributary/postgres';
import {
  adWithoutPlatform,
  convert,
  definitionFinder,
  type EventSettlement,
  fromMinorUnits,
  netAmount,
  originOf,
  resolveEvent,
  strongestOf,
} from '@tributary/rules';
import { v7 as uuid } from 'uuid';
import { announceOutcomes } from './announce-outcomes.ts';
import { withoutPersonalData } from './erase.ts';
import { OutcomeRace } from './outcome-race.ts';
import type { ReadEvent } from './read-event.ts';
import { type Resolved, type ResolvedCustomers, resolveCustomers } from './resolve-customers.ts';
import { recordSaleSource } from './sale-sources.ts';
import type { OutcomeServices } from './services.ts';
import type { OutcomeRow, StoredOutcome } from './store.ts';
import { type ResolvedOutcome, writeAll } from './write-outcomes.ts';

export interface RecordedOutcome {
  readonly outcomeId: string;
  readonly status: EventSettlement['status'];
  readonly customerId: string | null;
  readonly customerKey: string | null;
  /** Whether a definition matches it. */
  readonly isDefined: boolean;
}

/** The reporter: the business itself, or a provider with its connection, if it has one. */
export type Reporter =
  | { readonly source: Exclude<OutcomeSource, OutcomeProvider> }
  | { readonly source: OutcomeProvider; readonly connectionId: string | null };

export interface RecordContext extends OutcomeServices {
  readonly profileId: string;
  readonly now: Date;
  readonly evidence: Evidence;
  readonly teller: Reporter;
}

/**
 * Records outcomes in the caller's transaction: resolves customers, writes outcomes, updates first payments, marks conversions for attribution
 * and publishes events.
 *
 * Lock order of all writers: identifiers, customers, visitors, then outcomes by key.
 */
export async function recordOutcomes(
  tx: Tx,
  events: readonly ReadEvent[],
  context: RecordContext,
): Promise<RecordedOutcome[]> {
  if (events.length === 0) return [];
  const { profileId, now } = context;
  const [definitions, profile, resolved] = await Promise.all([
    readDefinitions(tx, profileId),
    getProfile(tx, profileId),
    resolveCustomers(tx, events, context),
  ]);
  // The first event of a profile creates the default definitions. This lock is taken after all others, so that two first events cannot
  // deadlock.
  const definitionOf = definitionFinder(
    definitions.length > 0 ? definitions : await loadDefinitions(tx, profileId, now),
  );
  const isCash = (row: OutcomeRow) => definitionOf(row)?.countsAsCash ?? false;
  const settled = await markPending(
    tx,
    await resolveOutcomes(tx, events, resolved, { ...context, profile }),
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

/** Resolves events in order. Events of a batch may share a key, so each is compared with the result of the previous one. */
async function resolveOutcomes(
  tx: Tx,
  events: readonly ReadEvent[],
  { customers, stored }: ResolvedCustomers,
  { profileId, profile, evidence, teller, tombstones, findAdPlatforms }: RecordContext & { profile: ProfileFacts },
): Promise<ResolvedOutcome[]> {
  const reportTimeOf = (read: ReadEvent) => (read.evidence ?? evidence).saidAt;
  const rates = await ratesOf(
    tx,
    profile,
    events.flatMap((read) => {
      const { money, occurredAt, idempotencyKey } = read.event;
      const at = occurredAt ?? stored.get(idempotencyKey)?.occurredAt ?? reportTimeOf(read);
      return money ? [{ currency: money.currency, at }] : [];
    }),
  );
  const reportingOf = (row: StoredOutcome) => {
    const found = row.money && rates.find(row.money.currency, row.occurredAt);
    if (!row.money || !found) return null;
    const net = netAmount(row.money.amount, row.refunded);
    const amount = fromMinorUnits(convert(net, found.rate, rates.currency), rates.currency);
    return { amount, currency: rates.currency, ...found };
  };
  const ads = events.flatMap(({ browser, rest }) => (browser ? [] : (adWithoutPlatform(rest) ?? [])));
  const platforms = ads.length === 0 ? new Map<string, string>() : await findAdPlatforms(tx, profileId, ads);
  const lookups = { platformOf: (adId: string) => platforms.get(adId), markOf: clickMarker(tombstones, profileId) };
  const settled = events.map((read, index): ResolvedOutcome => {
    const key = read.event.idempotencyKey;
    const now = reportTimeOf(read);
    const before = stored.get(key);
    const reported = before && withoutAssignedPayer(before);
    const { status, outcome } = resolveEvent(reported, toMessage(read, reported, customers[index] as Resolved), now);
    const { isInstallment = false, standing = null } = before ?? {};
    // With a payer assigned by the merchant, the customer in the message may be erased without erasing the payer.
    const payer = before?.payer ? { saidCustomerId: outcome.customerId } : null;
    const erasedAt = before?.erasedAt ?? (customers[index]?.isErased && !payer ? now : null);
    const refunded = before?.money?.currency === outcome.money?.currency ? (before?.refunded ?? '0') : '0';
    // Browser events get their origin from visits. The origin of an erased event is kept, because it contains no personal data.
    const origin = before?.erasedAt ? before.origin : read.browser ? null : originOf(profileId, read.rest, lookups);
    const named = erasedAt ? null : (strongestOf(read.said.identifiers) ?? before?.named ?? null);
    const uncounted = before?.uncounted ?? null;
    const state = { isInstallment, standing, erasedAt, origin, refunded, payer, named, uncounted };
    const customerId = payer && before ? before.customerId : outcome.customerId;
    const row = { ...outcome, customerId, id: before?.id ?? uuid(), idempotencyKey: key, ...state };
    stored.set(key, row);
    return {
      row: {
        ...row,
        eventKey: read.eventKey,
        eventTypeKey: read.eventTypeKey,
        reporting: reportingOf(row),
        visitorId: read.browser?.visitorId,
        reportedAt: now,
        ...getReporter(teller, read),
      },
      status,
      before,
    };
  });
  return settled;
}

/**
 * Marks new payments of a profile with several sources as pending. Reports exclude them until matching has decided whether another source
 * reported them too. With a single source there are no duplicates.
 */
async function markPending(
  tx: Tx,
  settled: readonly ResolvedOutcome[],
  isCash: (row: OutcomeRow) => boolean,
  { profileId, teller }: RecordContext,
): Promise<readonly ResolvedOutcome[]> {
  const isNewPayment = ({ row, before }: ResolvedOutcome) => row.money !== null && before === undefined && isCash(row);
  const added = new Set(settled.filter(isNewPayment).map(({ row }) => row.id));
  if (added.size === 0) return settled;
  const connectionId = 'connectionId' in teller ? teller.connectionId : null;
  if (!(await recordSaleSource(tx, profileId, teller.source, connectionId))) return settled;
  return settled.map((one) => (added.has(one.row.id) ? { ...one, row: { ...one.row, uncounted: 'pending' } } : one));
}

/** The outcome as its message reported it, without the payer assigned by the merchant. */
const withoutAssignedPayer = (outcome: StoredOutcome): StoredOutcome =>
  outcome.payer ? { ...outcome, customerId: outcome.payer.saidCustomerId } : outcome;

function getReporter(
  teller: Reporter,
  { provided }: ReadEvent,
): Pick<OutcomeRow, 'source' | 'connectionId' | 'provided'> {
  const connectionId = 'connectionId' in teller ? teller.connectionId : null;
  if ('connectionId' in teller !== (provided !== undefined))
    throw new TypeError('What a provider tells has an id of its own, and nothing else has.');
  return { source: teller.source, connectionId, provided };
}

/** The content of an event that may be stored. For an erased customer, only amount, time, event name and fields without personal data. */
function toMessage({ event, rest }: ReadEvent, before: StoredOutcome | undefined, { customerId, isErased }: Resolved) {
  if (before?.erasedAt)
    return { ...event, rest: before.rest, subjectRef: before.subjectRef, customerId: before.customerId };
  const whole = { ...event, rest, customerId: customerId ?? before?.customerId ?? null };
  return isErased ? { ...whole, rest: withoutPersonalData(rest), subjectRef: null } : whole;
}

/** Retries after a lost race. The retry sees the changes of the concurrent transaction. */
export async function retryOnConflict<A>(attempt: () => Promise<A>): Promise<A> {
  for (let lost = 0; ; lost += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof OutcomeRace) || lost === 5) throw error;
    }
  }
}
