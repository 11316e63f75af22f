import {
  CustomerBook,
  type CustomerMessage,
  type Evidence,
  findStrongest,
  openCustomers,
  saveCustomers,
  type Tombstones,
} from '@tributary/domain/commerce/customers';
import type { Tx } from '@tributary/postgres';
import { isStrongKind } from '@tributary/rules';
import { v7 as uuid } from 'uuid';
import { markLinked } from './mark-dirty.ts';
import { OutcomeRace } from './outcome-race.ts';
import type { ReadEvent } from './read-event.ts';
import type { VisitorLinks } from './services.ts';
import { findErasedKeys, findOutcomes, type StoredOutcome } from './store.ts';

/** The customer of an event, and whether that customer was erased. */
export interface Resolved {
  readonly customerId: string | null;
  /** The customer that its message named, if it was merged into `customerId`. */
  readonly saidOf?: string | undefined;
  readonly isErased: boolean;
}

interface Context {
  readonly profileId: string;
  readonly evidence: Evidence;
  readonly tombstones: Tombstones;
  readonly visitors: VisitorLinks;
}

/** The customers of the events of a transaction, and the pending writes. */
export interface ResolvedCustomers {
  readonly customers: readonly Resolved[];
  /** Customers that are locked, and customers created by this transaction. */
  readonly locked: ReadonlySet<string>;
  /** Customers created by this transaction, without stored data. */
  readonly newcomers: ReadonlySet<string>;
  readonly ownKeys: ReadonlyMap<string, string | null>;
  /** Stored outcomes by idempotency key, locked. */
  readonly stored: Map<string, StoredOutcome>;
  /** Writes the customers, unless they are already written. */
  save(): Promise<void>;
}

/** Resolves the customers of events by their identifiers and visitor ids, and links those visitors to the customers. */
export async function resolveCustomers(
  tx: Tx,
  events: readonly ReadEvent[],
  context: Context,
): Promise<ResolvedCustomers> {
  const { profileId, evidence, tombstones, visitors } = context;
  const keys = [...new Set(events.map(({ event }) => event.idempotencyKey))];
  const findStored = () => findOutcomes(tx, profileId, keys);
  const named = events.flatMap(({ visitorId }) => visitorId ?? []);
  const holders = named.length === 0 ? noHolders : await visitors.holdersOf(tx, profileId, named);
  const messages =
    named.length === 0 ? events.map(({ said }) => said) : await addVisitorIdentifiers(tx, profileId, events, holders);
  const [opened, early] = await Promise.all([
    openCustomers(
      tx,
      profileId,
      messages.flatMap(({ identifiers }) => identifiers),
      tombstones,
    ),
    // Pipelined after it, so that outcomes are locked after customers. Not possible with visitors, which are locked in between.
    named.length === 0 ? findStored() : undefined,
  ]);
  // An undone merge may have moved a visitor to another customer while this waited for locks.
  if (holders.size > 0 && !isSame(holders, await visitors.holdersOf(tx, profileId, named))) throw new OutcomeRace();
  // Prevents that a repeated event of an erased customer, sent without its date, creates the customer again. Queried after the locks, when a
  // concurrent erasure has completed.
  const erasedKeys = opened.erased.size === 0 ? noKeys : await findErasedKeys(tx, profileId, keys);
  const book = new CustomerBook(opened, uuid);
  const resolved = events.map((read, index): Resolved => {
    const { event, browser } = read;
    const message = { ...(messages[index] as CustomerMessage), at: event.occurredAt ?? undefined };
    if (browser?.isErased) return { customerId: browser.customerId, isErased: true };
    if (message.identifiers.length === 0) return { customerId: browser?.customerId ?? null, isErased: false };
    if (erasedKeys.has(event.idempotencyKey)) return { customerId: null, isErased: true };
    // Checked before applying the message, which may bind its identifiers to a customer again.
    const isErased = book.isOfErased(message);
    const found = book.take(message, read.evidence ?? evidence);
    return { customerId: found?.customerId ?? null, saidOf: found?.saidOf, isErased };
  });
  // Mapped to survivors, because a later event may have merged the customers of earlier ones.
  const customers = resolved.map((one) => ({ ...one, customerId: one.customerId && book.survivorOf(one.customerId) }));
  const customerIds = customers.flatMap(({ customerId }) => (customerId ? [customerId] : []));
  const locked = new Set([...opened.customers.map(({ id }) => id), ...customerIds]);
  const changes = book.changes();
  const links = getNewLinks(events, customers, holders, context);
  const whole = { customers, locked, ownKeys: book.ownKeys() };
  if (early && changes.merges.length === 0)
    return { ...whole, stored: early, newcomers: book.newcomers(), save: () => saveCustomers(tx, profileId, changes) };
  // Merges and visitor links move outcomes between customers, so stored outcomes are read afterwards.
  await saveCustomers(tx, profileId, changes);
  if (links.length > 0) await markLinked(tx, profileId, await visitors.link(tx, profileId, links));
  return { ...whole, stored: await findStored(), newcomers: noKeys, save: async () => {} };
}

const isSame = (some: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>) =>
  [...some].every(([visitorId, customerId]) => others.get(visitorId) === customerId);

const noHolders: ReadonlyMap<string, string> = new Map();
const noKeys: ReadonlySet<string> = new Set();

/**
 * Adds to each event the strongest identifier of the customer that its visitor is linked to. Using an identifier handles concurrent merges and
 * erasures like any other message. Browsers may be shared: next to a strong identifier, a visitor matches only a customer without a strong one.
 */
async function addVisitorIdentifiers(
  tx: Tx,
  profileId: string,
  events: readonly ReadEvent[],
  holders: ReadonlyMap<string, string>,
): Promise<CustomerMessage[]> {
  const strongest = await findStrongest(tx, profileId, [...holders.values()]);
  return events.map(({ said, visitorId }) => {
    const held = strongest.get(holders.get(visitorId ?? '') ?? '');
    const hasStrong = said.identifiers.some(({ kind }) => isStrongKind(kind));
    return held && !(hasStrong && isStrongKind(held.kind))
      ? { ...said, identifiers: [...said.identifiers, held] }
      : said;
  });
}

/** New links from anonymous visitors to the customers of their events. */
function getNewLinks(
  events: readonly ReadEvent[],
  customers: readonly Resolved[],
  holders: ReadonlyMap<string, string>,
  context: Context,
) {
  const links = events.flatMap(({ visitorId, event, evidence = context.evidence }, index) => {
    const { customerId, saidOf, isErased } = customers[index] as Resolved;
    if (!visitorId || !customerId || isErased || holders.has(visitorId)) return [];
    return [{ visitorId, customerId, saidOf: saidOf ?? customerId, linkedAt: event.occurredAt ?? evidence.saidAt }];
  });
  // With several events per visitor, the first one wins.
  return [...new Map(links.toReversed().map((link) => [link.visitorId, link])).values()];
}
