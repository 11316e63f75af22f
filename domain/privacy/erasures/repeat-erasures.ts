import type { ClickHouse } from '@tributary/clickhouse';
import {
  findMergedInto,
  findSurvivors,
  nameOfCustomer,
  nameOfIdentifier,
  nameOfVisitor,
  saveTombstones,
  walkIdentifiers,
} from '@tributary/domain/commerce/customers';
import { findProfile } from '@tributary/domain/tenancy/tenants';
import { walkVisitors } from '@tributary/domain/traffic/ingestion';
import type { Postgres } from '@tributary/postgres';
import { isStrongKind } from '@tributary/rules';
import { type ErasureServices, eraseCustomers } from './erase-customer.ts';
import type { ErasureNote } from './erasure-note.ts';
import { findErasures } from './store.ts';

export interface ErasedAgain {
  /** Notes of erasures that the backup does not contain. */
  readonly erasures: number;
  /** Erasures for which the backup contained the customer. */
  readonly people: number;
}

export interface ErasedAgainServices extends ErasureServices {
  readonly clickhouse: ClickHouse;
}

/**
 * Repeats, under the same receipts, the erasures made after a backup was taken. The people are found by our ids and, because customers may
 * have been merged meanwhile, by every strong identifier whose hash the erasure stored. The erasures worker clears the other stores.
 */
export async function repeatErasures(
  app: Postgres,
  services: ErasedAgainServices,
  notes: readonly ErasureNote[],
): Promise<ErasedAgain> {
  let [erasures, people] = [0, 0];
  for (const [profileId, own] of Map.groupBy(notes, ({ profileId }) => profileId)) {
    const ledger = app.forProfile(profileId);
    const isThere = await ledger.transaction((tx) => findProfile(tx, profileId), { readOnly: true });
    if (!isThere) continue;
    const existing = await ledger.transaction((tx) =>
      findErasures(
        tx,
        profileId,
        own.map(({ erasureId }) => erasureId),
      ),
    );
    const pending = own.filter(({ erasureId }) => !existing.some(({ id }) => id === erasureId));
    if (pending.length === 0) continue;
    const personalDataModules = await findHolders(app, profileId, pending, services);
    const browsers = await findBrowsers(profileId, pending, services);
    for (const note of pending) {
      const candidateIds = [...new Set([...note.customerIds, ...(personalDataModules.get(note.erasureId) ?? [])])];
      const found = await ledger.transaction(async (tx) => {
        const survivors = new Set((await findSurvivors(tx, profileId, candidateIds)).values());
        const families = [];
        for (const id of survivors) families.push(...(await findMergedInto(tx, profileId, id)));
        const requestedAt = new Date(note.requestedAt);
        const { erasureId, requestRef, reason, wasStrong, wasKeyed = false } = note;
        const customerKey = note.customerKey === null ? null : Buffer.from(note.customerKey, 'base64');
        const receipt = { id: erasureId, requestRef, reason, customerKey, requestedAt };
        const unlinked = browsers.get(erasureId) ?? [];
        await eraseCustomers(tx, { profileId, customerIds: families, unlinked }, receipt, services);
        const hashes = note.tombstones.map((hash) => Buffer.from(hash, 'hex'));
        await saveTombstones(tx, profileId, { erasureId, erasedAt: requestedAt, wasStrong, wasKeyed }, hashes);
        return families.length;
      });
      erasures += 1;
      if (found > 0) people += 1;
    }
  }
  return { erasures, people };
}

/** Erasure id by tombstone hash. */
const erasuresBy = (notes: readonly ErasureNote[]): Map<string, string> =>
  new Map(notes.flatMap(({ erasureId, tombstones }) => tombstones.map((hash) => [hash, erasureId])));

/** Customers with our id or a strong identifier of an erased person, by erasure. */
async function findHolders(
  app: Postgres,
  profileId: string,
  notes: readonly ErasureNote[],
  { tombstones }: ErasureServices,
): Promise<Map<string, string[]>> {
  const erasureOf = erasuresBy(notes);
  const found: [string, string][] = [];
  for await (const { customerId, kind, value } of walkIdentifiers(app, profileId)) {
    const byCustomerId = erasureOf.get(tombstones.hashOf(profileId, nameOfCustomer(customerId)).toString('hex'));
    if (byCustomerId) found.push([byCustomerId, customerId]);
    if (!isStrongKind(kind)) continue;
    const erasureId = erasureOf.get(tombstones.hashOf(profileId, nameOfIdentifier({ kind, value })).toString('hex'));
    if (erasureId) found.push([erasureId, customerId]);
  }
  return groupPairs(found);
}

/** Visitor ids that were linked to an erased person only after the backup. */
async function findBrowsers(
  profileId: string,
  notes: readonly ErasureNote[],
  { tombstones, clickhouse }: ErasedAgainServices,
): Promise<Map<string, string[]>> {
  const erasureOf = erasuresBy(notes);
  const found: [string, string][] = [];
  for await (const visitorId of walkVisitors(clickhouse, profileId)) {
    const erasureId = erasureOf.get(tombstones.hashOf(profileId, nameOfVisitor(visitorId)).toString('hex'));
    if (erasureId) found.push([erasureId, visitorId]);
  }
  return groupPairs(found);
}

const groupPairs = (pairs: readonly (readonly [string, string])[]): Map<string, string[]> =>
  new Map([...Map.groupBy(pairs, ([first]) => first)].map(([first, own]) => [first, own.map(([, second]) => second)]));
