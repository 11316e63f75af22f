import type { ErasureReason } from '@tributary/contract';
import {
  findCustomerKeys,
  findIdentifiers,
  findMergedInto,
  handOverShared,
  insertShell,
  type KnownPerson,
  nameOfCustomer,
  nameOfIdentifier,
  nameOfVisitor,
  saveTombstones,
  type Tombstones,
} from '@tributary/domain/customers';
import { findVisitorsOf, linkVisitors } from '@tributary/domain/ingestion';
import { hasOutcomes } from '@tributary/domain/outcomes';
import { hasTrackingKeys } from '@tributary/domain/tracking';
import type { Tx } from '@tributary/postgres';
import { type Identifier, isKeyKind, isStrongKind } from '@tributary/rules';
import { v4 as randomId, v7 as uuid } from 'uuid';
import { placeOfKey } from './receipt.ts';
import { type Erasing, holders } from './registry.ts';
import { type Erasure, insertErasure, insertWork } from './store.ts';

export interface ErasureServices extends Erasing {
  readonly tombstones: Tombstones;
}

export interface ErasureAsked {
  readonly profileId: string;
  /** Locked. */
  readonly customerId: string;
  readonly selector: Identifier;
  readonly requestRef: string;
  readonly reason: ErasureReason;
  readonly at: Date;
}

/**
 * The first half of an erasure, in one transaction: when it has committed, nobody finds the person any more. What the person did
 * goes to a customer without a person, room by room in the order of the registry, so that it still counts; their names stay as keyed
 * hashes. The second half (`erasures.queue.ts`) clears the stores that no transaction reaches.
 */
export async function eraseCustomer(
  tx: Tx,
  asked: ErasureAsked,
  { tombstones, vault }: ErasureServices,
): Promise<Erasure> {
  const { profileId, customerId, requestRef, reason, at } = asked;
  const id = uuid();
  const customerIds = await findMergedInto(tx, profileId, customerId);
  const key = await keyOf(tx, asked);
  const customerKey = key === undefined ? null : vault.seal(key, placeOfKey(profileId, id));
  const receipt = { id, requestRef, reason, customerKey, requestedAt: at };
  return eraseCustomers(tx, { profileId, customerIds }, receipt, { tombstones, vault });
}

export interface ErasedTogether {
  readonly profileId: string;
  readonly customerIds: readonly string[];
  /** Browsers of theirs that no link tells of. */
  readonly unlinked?: readonly string[];
}

/** The same for all who are one person, under a receipt that is made already. */
export async function eraseCustomers(
  tx: Tx,
  { profileId, customerIds, unlinked = [] }: ErasedTogether,
  receipt: Omit<Erasure, 'status' | 'completedAt' | 'cleared'>,
  { tombstones, vault }: ErasureServices,
): Promise<Erasure> {
  const { id: erasureId, requestedAt: at } = receipt;
  await handOverShared(tx, profileId, customerIds);
  const identifiers = await findIdentifiers(tx, profileId, customerIds);
  const visitorIds = await findVisitorsOf(tx, profileId, customerIds);
  const person: KnownPerson = { profileId, customerIds, identifiers, visitorIds, shellId: randomId(), at };

  await insertShell(tx, person);
  await linkVisitors(tx, person, unlinked);
  const cleared: Record<string, number> = {};
  for (const { erase } of holders) Object.assign(cleared, await erase?.(tx, person, { vault }));

  const names = [
    ...customerIds.map(nameOfCustomer),
    ...identifiers.map(nameOfIdentifier),
    ...visitorIds.map(nameOfVisitor),
  ];
  const hashes = names.map((name) => tombstones.hashOf(profileId, name));
  const wasStrong = identifiers.some(({ kind }) => isStrongKind(kind));
  const wasKeyed = identifiers.some(({ kind }) => isKeyKind(kind));
  await saveTombstones(tx, profileId, { erasureId, erasedAt: at, wasStrong, wasKeyed }, hashes);

  // Of a profile without outcomes and without a tracker, nothing was ever anywhere but in the ledger.
  const isDone = !((await hasOutcomes(tx, profileId)) || (await hasTrackingKeys(tx, profileId)));
  const erasure: Erasure = {
    ...receipt,
    status: isDone ? 'done' : 'queued',
    completedAt: isDone ? at : null,
    cleared,
  };
  await insertErasure(tx, profileId, erasure);
  // Also where nothing is left to be cleared: the worker notes for the backups who was erased, and of a receipt that is done nothing leads to anybody.
  await insertWork(tx, { profileId, erasureId, shellId: person.shellId, personIds: isDone ? [] : customerIds });
  return erasure;
}

/** The key that was sent, or the customer's own where it was named otherwise. */
async function keyOf(tx: Tx, { profileId, customerId, selector }: ErasureAsked): Promise<string | undefined> {
  if (selector.kind === 'external_customer_id') return selector.value;
  return (await findCustomerKeys(tx, profileId, [customerId])).get(customerId);
}
