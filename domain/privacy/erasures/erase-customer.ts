import type { ErasureReason } from '@tributary/contract';
import {
  type ErasedCustomer,
  findCustomerKeys,
  findIdentifiers,
  findMergedInto,
  handOverShared,
  insertShell,
  nameOfCustomer,
  nameOfIdentifier,
  nameOfVisitor,
  saveTombstones,
  type Tombstones,
} from '@tributary/domain/commerce/customers';
import { hasOutcomes } from '@tributary/domain/commerce/outcomes';
import { findVisitorsOf, linkVisitors } from '@tributary/domain/traffic/ingestion';
import { hasTrackingKeys } from '@tributary/domain/traffic/tracking';
import type { Tx } from '@tributary/postgres';
import { type Identifier, isKeyKind, isStrongKind } from '@tributary/rules';
import { v4 as randomId, v7 as uuid } from 'uuid';
import { placeOfKey } from './receipt.ts';
import { type EraseServices, personalDataModules } from './registry.ts';
import { type Erasure, insertErasure, insertWork } from './store.ts';

export interface ErasureServices extends EraseServices {
  readonly tombstones: Tombstones;
}

export interface ErasureRequest {
  readonly profileId: string;
  /** Already locked by the caller. */
  readonly customerId: string;
  readonly selector: Identifier;
  readonly requestRef: string;
  readonly reason: ErasureReason;
  readonly at: Date;
}

/**
 * First half of an erasure, in one transaction: once it commits, the person cannot be found any more. Their events move to an anonymous
 * shell customer, module by module in the order of the registry, so that they still count. Identifiers are kept as keyed hashes only. The
 * second half (`erasures.queue.ts`) clears the stores that no transaction covers.
 */
export async function eraseCustomer(
  tx: Tx,
  request: ErasureRequest,
  { tombstones, vault }: ErasureServices,
): Promise<Erasure> {
  const { profileId, customerId, requestRef, reason, at } = request;
  const id = uuid();
  const customerIds = await findMergedInto(tx, profileId, customerId);
  const key = await keyOf(tx, request);
  const customerKey = key === undefined ? null : vault.seal(key, placeOfKey(profileId, id));
  const receipt = { id, requestRef, reason, customerKey, requestedAt: at };
  return eraseCustomers(tx, { profileId, customerIds }, receipt, { tombstones, vault });
}

export interface ErasedCustomers {
  readonly profileId: string;
  readonly customerIds: readonly string[];
  /** The person's visitor ids that have no stored link. */
  readonly unlinked?: readonly string[];
}

/** The same for all merged customers of one person, under an existing receipt. */
export async function eraseCustomers(
  tx: Tx,
  { profileId, customerIds, unlinked = [] }: ErasedCustomers,
  receipt: Omit<Erasure, 'status' | 'completedAt' | 'cleared'>,
  { tombstones, vault }: ErasureServices,
): Promise<Erasure> {
  const { id: erasureId, requestedAt: at } = receipt;
  await handOverShared(tx, profileId, customerIds);
  const identifiers = await findIdentifiers(tx, profileId, customerIds);
  const visitorIds = await findVisitorsOf(tx, profileId, customerIds);
  const person: ErasedCustomer = { profileId, customerIds, identifiers, visitorIds, shellId: randomId(), at };

  await insertShell(tx, person);
  await linkVisitors(tx, person, unlinked);
  const cleared: Record<string, number> = {};
  for (const { erase } of personalDataModules) Object.assign(cleared, await erase?.(tx, person, { vault }));

  const names = [
    ...customerIds.map(nameOfCustomer),
    ...identifiers.map(nameOfIdentifier),
    ...visitorIds.map(nameOfVisitor),
  ];
  const hashes = names.map((name) => tombstones.hashOf(profileId, name));
  const wasStrong = identifiers.some(({ kind }) => isStrongKind(kind));
  const wasKeyed = identifiers.some(({ kind }) => isKeyKind(kind));
  await saveTombstones(tx, profileId, { erasureId, erasedAt: at, wasStrong, wasKeyed }, hashes);

  // A profile without outcomes and tracking keys has data in the ledger only.
  const isDone = !((await hasOutcomes(tx, profileId)) || (await hasTrackingKeys(tx, profileId)));
  const erasure: Erasure = {
    ...receipt,
    status: isDone ? 'done' : 'queued',
    completedAt: isDone ? at : null,
    cleared,
  };
  await insertErasure(tx, profileId, erasure);
  // Inserted even when nothing is left to clear: the worker writes the note for the backups. A completed receipt must not refer to the
  // customer, so the ids are left out.
  await insertWork(tx, { profileId, erasureId, shellId: person.shellId, personIds: isDone ? [] : customerIds });
  return erasure;
}

/** The key from the request or, if the customer was selected otherwise, their own key. */
async function keyOf(tx: Tx, { profileId, customerId, selector }: ErasureRequest): Promise<string | undefined> {
  if (selector.kind === 'external_customer_id') return selector.value;
  return (await findCustomerKeys(tx, profileId, [customerId])).get(customerId);
}
