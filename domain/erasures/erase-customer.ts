import type { ErasureReason } from '@tributary/contract';
import {
  findCustomerKeys,
  findIdentifiers,
  findMergedInto,
  insertShell,
  type KnownPerson,
  nameOfCustomer,
  nameOfIdentifier,
  nameOfVisitor,
  saveTombstones,
  type Tombstones,
} from '@tributary/domain/customers';
import { findVisitorsOf } from '@tributary/domain/ingestion';
import { hasOutcomes } from '@tributary/domain/outcomes';
import { hasTrackingKeys } from '@tributary/domain/tracking';
import type { Tx } from '@tributary/postgres';
import { type Identifier, isStrongKind } from '@tributary/rules';
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
  const { profileId, customerId, at } = asked;
  const erasureId = uuid();
  const customerIds = await findMergedInto(tx, profileId, customerId);
  const identifiers = await findIdentifiers(tx, profileId, customerIds);
  const key = await keyOf(tx, asked);
  const visitorIds = await findVisitorsOf(tx, profileId, customerIds);
  const person: KnownPerson = { profileId, customerIds, identifiers, visitorIds, shellId: randomId(), at };

  await insertShell(tx, person);
  const cleared: Record<string, number> = {};
  for (const { erase } of holders) Object.assign(cleared, await erase?.(tx, person, { vault }));

  const names = [
    ...customerIds.map(nameOfCustomer),
    ...identifiers.map(nameOfIdentifier),
    ...visitorIds.map(nameOfVisitor),
  ];
  const hashes = names.map((name) => tombstones.hashOf(profileId, name));
  const wasStrong = identifiers.some(({ kind }) => isStrongKind(kind));
  await saveTombstones(tx, profileId, { erasureId, erasedAt: at, wasStrong }, hashes);

  // Of a profile without outcomes and without a tracker, nothing was ever anywhere but in the ledger.
  const isDone = !((await hasOutcomes(tx, profileId)) || (await hasTrackingKeys(tx, profileId)));
  const erasure: Erasure = {
    id: erasureId,
    requestRef: asked.requestRef,
    status: isDone ? 'done' : 'queued',
    reason: asked.reason,
    customerKey: key === undefined ? null : vault.seal(key, placeOfKey(profileId, erasureId)),
    requestedAt: at,
    completedAt: isDone ? at : null,
    cleared,
  };
  await insertErasure(tx, profileId, erasure);
  if (!isDone) await insertWork(tx, { profileId, erasureId, shellId: person.shellId, personIds: customerIds });
  return erasure;
}

/** The key that was sent, or the customer's own where it was named otherwise. */
async function keyOf(tx: Tx, { profileId, customerId, selector }: ErasureAsked): Promise<string | undefined> {
  if (selector.kind === 'external_customer_id') return selector.value;
  return (await findCustomerKeys(tx, profileId, [customerId])).get(customerId);
}
