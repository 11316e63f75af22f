import type { ClickHouse } from '@tributary/clickhouse';
import {
  findMergedInto,
  findSurvivors,
  nameOfCustomer,
  nameOfIdentifier,
  nameOfVisitor,
  saveTombstones,
  walkIdentifiers,
} from '@tributary/domain/customers';
import { walkVisitors } from '@tributary/domain/ingestion';
import { findProfile } from '@tributary/domain/tenants';
import type { Postgres } from '@tributary/postgres';
import { isStrongKind } from '@tributary/rules';
import { type ErasureServices, eraseCustomers } from './erase-customer.ts';
import type { ErasureNote } from './erasure-note.ts';
import { findErasures } from './store.ts';

export interface ErasedAgain {
  /** Notes whose erasure the backup did not know. */
  readonly erasures: number;
  /** Those of whom the backup held somebody. */
  readonly people: number;
}

export interface ErasedAgainServices extends ErasureServices {
  readonly clickhouse: ClickHouse;
}

/**
 * Erases again, under the same receipts, who was erased after a backup was made. Who they were is known by our ids and, because two
 * customers may have become one since, by every strong identifier whose hash the erasure left. What other stores hold goes when the worker runs.
 */
export async function eraseAgain(
  app: Postgres,
  services: ErasedAgainServices,
  notes: readonly ErasureNote[],
): Promise<ErasedAgain> {
  let [erasures, people] = [0, 0];
  for (const [profileId, own] of Map.groupBy(notes, ({ profileId }) => profileId)) {
    const ledger = app.forProfile(profileId);
    const isThere = await ledger.transaction((tx) => findProfile(tx, profileId), { readOnly: true });
    if (!isThere) continue;
    const known = await ledger.transaction((tx) =>
      findErasures(
        tx,
        profileId,
        own.map(({ erasureId }) => erasureId),
      ),
    );
    const open = own.filter(({ erasureId }) => !known.some(({ id }) => id === erasureId));
    if (open.length === 0) continue;
    const holders = await findHolders(app, profileId, open, services);
    const browsers = await findBrowsers(profileId, open, services);
    for (const note of open) {
      const asked = [...new Set([...note.customerIds, ...(holders.get(note.erasureId) ?? [])])];
      const found = await ledger.transaction(async (tx) => {
        const survivors = new Set((await findSurvivors(tx, profileId, asked)).values());
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

/** Of which erasure a hash is. */
const erasuresBy = (notes: readonly ErasureNote[]): Map<string, string> =>
  new Map(notes.flatMap(({ erasureId, tombstones }) => tombstones.map((hash) => [hash, erasureId])));

/** Customers who hold a strong identifier of somebody who was erased, by erasure. */
async function findHolders(
  app: Postgres,
  profileId: string,
  notes: readonly ErasureNote[],
  { tombstones }: ErasureServices,
): Promise<Map<string, string[]>> {
  const erasureOf = erasuresBy(notes);
  const found: [string, string][] = [];
  for await (const { customerId, kind, value } of walkIdentifiers(app, profileId)) {
    const isTheirs = erasureOf.get(tombstones.hashOf(profileId, nameOfCustomer(customerId)).toString('hex'));
    if (isTheirs) found.push([isTheirs, customerId]);
    if (!isStrongKind(kind)) continue;
    const erasureId = erasureOf.get(tombstones.hashOf(profileId, nameOfIdentifier({ kind, value })).toString('hex'));
    if (erasureId) found.push([erasureId, customerId]);
  }
  return listed(found);
}

/** Browsers that turned out to be theirs after the backup. */
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
  return listed(found);
}

const listed = (pairs: readonly (readonly [string, string])[]): Map<string, string[]> =>
  new Map([...Map.groupBy(pairs, ([first]) => first)].map(([first, own]) => [first, own.map(([, second]) => second)]));
