import type { ErasureReason } from '@tributary/contract';
import {
  type Cleared,
  type ErasedPerson,
  eraseCustomers,
  findCustomerKeys,
  findIdentifiers,
  findMergedInto,
  insertShell,
  nameOfCustomer,
  nameOfIdentifier,
  nameOfVisitor,
  saveTombstones,
  type Tombstones,
} from '@tributary/domain/customers';
import { eraseLinks } from '@tributary/domain/ingestion';
import { eraseJourneys } from '@tributary/domain/journeys';
import { eraseOutcomes, hasOutcomes } from '@tributary/domain/outcomes';
import { hasTrackingKeys } from '@tributary/domain/tracking';
import { eraseAnswers } from '@tributary/operations';
import type { Tx } from '@tributary/postgres';
import type { Identifier } from '@tributary/rules';
import type { Vault } from '@tributary/vault';
import { v4 as randomId, v7 as uuid } from 'uuid';
import { placeOfKey } from './receipt.ts';
import { type Erasure, insertErasure, insertWork } from './store.ts';

export interface ErasureServices {
  readonly tombstones: Tombstones;
  /** Seals the key on a receipt, and opens stored answers. */
  readonly vault: Vault;
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
 * goes to a customer without a person, room by room, so that it still counts; their names stay as keyed hashes; the customers' own
 * rows go last. The second half (`complete-erasures.job.ts`) clears the stores that no transaction reaches.
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
  const person: ErasedPerson = { profileId, customerIds, shellId: randomId(), at };

  await insertShell(tx, person);
  const outcomes = await eraseOutcomes(tx, person);
  const links = await eraseLinks(tx, person);
  const named = [...customerIds, ...identifiers.map(({ value }) => value)];
  const answers = await eraseAnswers(tx, profileId, customerIds, new Set(named), vault);
  const summaries = await eraseJourneys(tx, profileId, [...customerIds, ...links.visitorIds]);
  const customers = await eraseCustomers(tx, person);

  const names = [
    ...customerIds.map(nameOfCustomer),
    ...identifiers.map(nameOfIdentifier),
    ...links.visitorIds.map(nameOfVisitor),
  ];
  const hashes = names.map((name) => tombstones.hashOf(profileId, name));
  await saveTombstones(tx, profileId, { erasureId, erasedAt: at }, hashes);

  // Of a profile without outcomes and without a tracker, nothing was ever anywhere but in the ledger.
  const isDone = !((await hasOutcomes(tx, profileId)) || (await hasTrackingKeys(tx, profileId)));
  const cleared: Cleared = {
    ...customers,
    ...outcomes,
    ...links.cleared,
    idempotent_answers: answers,
    journey_summaries: summaries,
  };
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
