import {
  findBindings,
  findCustomerKeys,
  findShells,
  findSurvivors,
  findTombstones,
  nameOfCustomer,
  nameOfIdentifier,
  type Tombstones,
} from '@tributary/domain/commerce/customers';
import type { Tx } from '@tributary/postgres';
import { identifierKey } from '@tributary/rules';
import type { ReadRow } from './read-row.ts';

export interface FoundCustomer {
  readonly id: string;
  /** The caller's own key. */
  readonly key: string | null;
}

/** The customer of each row, or undefined; after a merge the survivor. Uses a fixed number of statements. */
export async function findNamed(
  tx: Tx,
  profileId: string,
  rows: readonly ReadRow[],
): Promise<(FoundCustomer | undefined)[]> {
  const identifiers = rows.flatMap((row) => ('identifier' in row ? [row.identifier] : []));
  const bindings = await findBindings(tx, profileId, identifiers);
  const holders = new Map(bindings.map((binding) => [identifierKey(binding), binding.customerId]));
  const survivors = await findSurvivors(
    tx,
    profileId,
    rows.flatMap((row) => ('customerId' in row ? [row.customerId] : [])),
  );
  const ids = rows.map((row) => {
    if ('customerId' in row) return survivors.get(row.customerId);
    return 'identifier' in row ? holders.get(identifierKey(row.identifier)) : undefined;
  });
  const keys = await findCustomerKeys(tx, profileId, [...new Set(ids.filter((id) => id !== undefined))]);
  return ids.map((id) => (id === undefined ? undefined : { id, key: keys.get(id) ?? null }));
}

/**
 * The rows that name an erased customer by customer id or by the caller's key. Rows with an email or phone are excluded, so that a caller
 * cannot find out whether the holder of an address was erased.
 */
export async function findErased(
  tx: Tx,
  profileId: string,
  rows: readonly ReadRow[],
  tombstones: Tombstones,
): Promise<Set<ReadRow>> {
  const hashed = rows.flatMap((row) => {
    const name = getHashedName(row);
    return name ? [{ row, hash: tombstones.hashOf(profileId, name) }] : [];
  });
  const found = await findTombstones(
    tx,
    profileId,
    hashed.map(({ hash }) => hash),
  );
  const erasedHashes = new Set(found.map(({ hash }) => hash.toString('hex')));
  const erased = new Set(hashed.filter(({ hash }) => erasedHashes.has(hash.toString('hex'))).map(({ row }) => row));
  const ids = rows.flatMap((row) => ('customerId' in row ? [row.customerId] : []));
  const shells = await findShells(tx, profileId, ids);
  for (const row of rows) if ('customerId' in row && shells.has(row.customerId)) erased.add(row);
  return erased;
}

function getHashedName(row: ReadRow): string | undefined {
  if ('customerId' in row) return nameOfCustomer(row.customerId);
  const isKey = 'identifier' in row && row.identifier.kind === 'external_customer_id';
  return isKey ? nameOfIdentifier(row.identifier) : undefined;
}
