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
import type { ReadEvent } from './read-event.ts';
import type { VisitorLinks } from './services.ts';
import { findErasedKeys } from './store.ts';

/** Whom an event is about, and whether that person was erased since. */
export interface Resolved {
  readonly customerId: string | null;
  readonly isErased: boolean;
}

interface Context {
  readonly profileId: string;
  readonly now: Date;
  readonly evidence: Evidence;
  readonly tombstones: Tombstones;
  readonly visitors: VisitorLinks;
}

/** Who events are about: by what they say, and by the browsers that they name, which become theirs. */
export async function resolveCustomers(
  tx: Tx,
  events: readonly ReadEvent[],
  context: Context,
): Promise<{ customers: readonly Resolved[]; locked: ReadonlySet<string> }> {
  const { profileId, evidence, tombstones } = context;
  const holders = await holdersOf(tx, events, context);
  const saids = await withBrowsers(tx, profileId, events, holders);
  const known = await openCustomers(
    tx,
    profileId,
    saids.flatMap(({ identifiers }) => identifiers),
    tombstones,
  );
  // An event of somebody who was erased, sent once more without its date, would make them known again. Asked only now: an erasure
  // that we waited for is over.
  const keys = events.map(({ event }) => event.idempotencyKey);
  const erasedKeys = known.erased.size === 0 ? new Set<string>() : await findErasedKeys(tx, profileId, keys);
  const book = new CustomerBook(known, evidence, uuid);
  const taken = events.map(({ event, browser }, index): Resolved => {
    const said = { ...(saids[index] as Said), at: event.occurredAt ?? undefined };
    if (browser?.isErased) return { customerId: browser.customerId, isErased: true };
    if (said.identifiers.length === 0) return { customerId: browser?.customerId ?? null, isErased: false };
    if (erasedKeys.has(event.idempotencyKey)) return { customerId: null, isErased: true };
    // Asked before: the message itself may make its names somebody's.
    const isErased = book.isOfErased(said);
    return { customerId: book.take(said)?.customerId ?? null, isErased };
  });
  await saveCustomers(tx, profileId, book.changes(), evidence);
  // A later event may have shown that two earlier ones are of one person.
  const customers = taken.map((one) => ({ ...one, customerId: one.customerId && book.survivorOf(one.customerId) }));
  await linkBrowsers(tx, events, customers, holders, context);
  // Those that were opened, and those that nobody else can know of yet.
  const ours = customers.flatMap(({ customerId }) => (customerId ? [customerId] : []));
  return { customers, locked: new Set([...known.customers.map(({ id }) => id), ...ours]) };
}

async function holdersOf(tx: Tx, events: readonly ReadEvent[], { profileId, visitors }: Context) {
  const named = events.flatMap(({ visitorId }) => visitorId ?? []);
  return named.length === 0 ? new Map<string, string>() : visitors.holdersOf(tx, profileId, named);
}

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
async function linkBrowsers(
  tx: Tx,
  events: readonly ReadEvent[],
  customers: readonly Resolved[],
  holders: ReadonlyMap<string, string>,
  { profileId, now, visitors }: Context,
): Promise<void> {
  const links = events.flatMap(({ visitorId, event }, index) => {
    const { customerId, isErased } = customers[index] as Resolved;
    if (!visitorId || !customerId || isErased || holders.has(visitorId)) return [];
    return [{ visitorId, customerId, linkedAt: event.occurredAt ?? now }];
  });
  // Of several events of a batch that name it, the first.
  const first = new Map(links.toReversed().map((link) => [link.visitorId, link]));
  if (first.size > 0) await markLinked(tx, profileId, await visitors.link(tx, profileId, [...first.values()]));
}
