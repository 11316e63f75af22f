import { findBindings, findCustomerKeys, findSurvivors } from '@tributary/domain/customers';
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
