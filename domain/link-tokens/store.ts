import {
  findBindings,
  findCustomerKeys,
  findShells,
  findSurvivors,
  findTombstones,
  nameOfCustomer,
  nameOfIdentifier,
  type Tombstones,
} from '@tributary/domain/customers';
import type { Tx } from '@tributary/postgres';
import { identifierKey } from '@tributary/rules';
import type { ReadRow } from './read-row.ts';

export interface FoundCustomer {
  readonly id: string;
  /** The caller's own. */
  readonly key: string | null;
}

/** Who each row is about, in a few statements however many rows; undefined where nobody is. After a merge it is the survivor. */
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
 * Which of the rows name somebody who was erased. Only our own id and the caller's own key can tell: whoever asks by an address
 * learns no more of an erased person than of nobody.
 */
export async function findErased(
  tx: Tx,
  profileId: string,
  rows: readonly ReadRow[],
  tombstones: Tombstones,
): Promise<Set<ReadRow>> {
  const asked = rows.flatMap((row) => {
    const name = nameOf(row);
    return name ? [{ row, hash: tombstones.hashOf(profileId, name) }] : [];
  });
  const found = await findTombstones(
    tx,
    profileId,
    asked.map(({ hash }) => hash),
  );
  const graves = new Set(found.map(({ hash }) => hash.toString('hex')));
  const erased = new Set(asked.filter(({ hash }) => graves.has(hash.toString('hex'))).map(({ row }) => row));
  const ids = rows.flatMap((row) => ('customerId' in row ? [row.customerId] : []));
  const shells = await findShells(tx, profileId, ids);
  for (const row of rows) if ('customerId' in row && shells.has(row.customerId)) erased.add(row);
  return erased;
}

function nameOf(row: ReadRow): string | undefined {
  if ('customerId' in row) return nameOfCustomer(row.customerId);
  const isKey = 'identifier' in row && row.identifier.kind === 'external_customer_id';
  return isKey ? nameOfIdentifier(row.identifier) : undefined;
}
