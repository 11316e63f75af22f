import {
  CustomerBook,
  type Evidence,
  findStrongest,
  openCustomers,
  type Said,
  saveCustomers,
  type Tombstones,
} from '@tributary/domain/customers';
import type { Tx } from '@tributary/postgres';
import { isStrongKind } from '@tributary/rules';
import { v7 as uuid } from 'uuid';
import { markLinked } from './mark-dirty.ts';
import { OutcomeRace } from './outcome-race.ts';
import type { ReadEvent } from './read-event.ts';
import type { VisitorLinks } from './services.ts';
import { findErasedKeys, findOutcomes, type StoredOutcome } from './store.ts';

/** Whom an event is about, and whether that person was erased since. */
export interface Resolved {
  readonly customerId: string | null;
  /** Whom its message named, where that one was merged before. */
  readonly saidOf?: string | undefined;
  readonly isErased: boolean;
}

interface Context {
  readonly profileId: string;
  readonly evidence: Evidence;
  readonly tombstones: Tombstones;
  readonly visitors: VisitorLinks;
}

/** Who the events of a transaction are about, and what is to be kept of it. */
export interface ResolvedCustomers {
  readonly customers: readonly Resolved[];
  /** Those that were opened, and those that nobody else can know of yet. */
  readonly locked: ReadonlySet<string>;
  /** Of these nothing is stored: this transaction makes them. */
  readonly newcomers: ReadonlySet<string>;
  readonly ownKeys: ReadonlyMap<string, string | null>;
  /** What is stored under the keys of the events, locked. */
  readonly stored: Map<string, StoredOutcome>;
  /** Writes the customers, where that is still to be done. */
  save(): Promise<void>;
}

/** Who events are about: by what they say, and by the browsers that they name, which become theirs. */
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
  const saids =
    named.length === 0 ? events.map(({ said }) => said) : await withBrowsers(tx, profileId, events, holders);
  const [known, early] = await Promise.all([
    openCustomers(
      tx,
      profileId,
      saids.flatMap(({ identifiers }) => identifiers),
      tombstones,
    ),
    // Sent behind it, so that outcomes are locked after customers. Browsers would have to be locked in between.
    named.length === 0 ? findStored() : undefined,
  ]);
  // A merge that was undone while we waited may have given a browser to another.
  if (holders.size > 0 && !isSame(holders, await visitors.holdersOf(tx, profileId, named))) throw new OutcomeRace();
  // An event of somebody who was erased, sent once more without its date, would make them known again. Asked only now: an erasure
  // that we waited for is over.
  const erasedKeys = known.erased.size === 0 ? noKeys : await findErasedKeys(tx, profileId, keys);
  const book = new CustomerBook(known, uuid);
  const taken = events.map((read, index): Resolved => {
    const { event, browser } = read;
    const said = { ...(saids[index] as Said), at: event.occurredAt ?? undefined };
    if (browser?.isErased) return { customerId: browser.customerId, isErased: true };
    if (said.identifiers.length === 0) return { customerId: browser?.customerId ?? null, isErased: false };
    if (erasedKeys.has(event.idempotencyKey)) return { customerId: null, isErased: true };
    // Asked before: the message itself may make its names somebody's.
    const isErased = book.isOfErased(said);
    const found = book.take(said, read.evidence ?? evidence);
    return { customerId: found?.customerId ?? null, saidOf: found?.saidOf, isErased };
  });
  // A later event may have shown that two earlier ones are of one person.
  const customers = taken.map((one) => ({ ...one, customerId: one.customerId && book.survivorOf(one.customerId) }));
  const ours = customers.flatMap(({ customerId }) => (customerId ? [customerId] : []));
  const locked = new Set([...known.customers.map(({ id }) => id), ...ours]);
  const changes = book.changes();
  const links = linksOf(events, customers, holders, context);
  const whole = { customers, locked, ownKeys: book.ownKeys() };
  if (early && changes.merges.length === 0)
    return { ...whole, stored: early, newcomers: book.newcomers(), save: () => saveCustomers(tx, profileId, changes) };
  // Merges and browsers move outcomes from one customer to another: what is stored is read after that.
  await saveCustomers(tx, profileId, changes);
  if (links.length > 0) await markLinked(tx, profileId, await visitors.link(tx, profileId, links));
  return { ...whole, stored: await findStored(), newcomers: noKeys, save: async () => {} };
}

const isSame = (some: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>) =>
  [...some].every(([visitorId, customerId]) => others.get(visitorId) === customerId);

const noHolders: ReadonlyMap<string, string> = new Map();
const noKeys: ReadonlySet<string> = new Set();

/**
 * What events say of people, with what a browser adds that is somebody's already. Browsers are shared like phones: beside a strong
 * identifier one finds only somebody who holds nothing strong. It stands for the strongest identifier of its holder, so that the
 * message is taken like any other, also when that holder is merged or erased at this moment.
 */
async function withBrowsers(
  tx: Tx,
  profileId: string,
  events: readonly ReadEvent[],
  holders: ReadonlyMap<string, string>,
): Promise<Said[]> {
  const strongest = await findStrongest(tx, profileId, [...holders.values()]);
  return events.map(({ said, visitorId }) => {
    const held = strongest.get(holders.get(visitorId ?? '') ?? '');
    const saysStrong = said.identifiers.some(({ kind }) => isStrongKind(kind));
    return held && !(saysStrong && isStrongKind(held.kind))
      ? { ...said, identifiers: [...said.identifiers, held] }
      : said;
  });
}

/** A browser that is nobody's becomes the customer's who is said to have used it. */
function linksOf(
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
  // Of several events of a batch that name it, the first.
  return [...new Map(links.toReversed().map((link) => [link.visitorId, link])).values()];
}
