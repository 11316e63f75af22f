import type { Schema, Tx } from '@tributary/postgres';
import type { Insertable, Selectable } from 'kysely';

export type SelectionRow = Selectable<Schema['pending_selections']>;

/**
 * Stores a selection and deletes the previous one of the provider with its token, because the newest consent counts.
 */
export async function parkSelection(tx: Tx, row: Insertable<Schema['pending_selections']>): Promise<void> {
  await tx
    .deleteFrom('pending_selections')
    .where('profile_id', '=', row.profile_id)
    .where('provider', '=', row.provider)
    .execute();
  await tx.insertInto('pending_selections').values(row).execute();
}

/** Limited to one app if `appId` is given. */
export function findSelection(
  tx: Tx,
  profileId: string,
  provider: string,
  appId: string | undefined,
): Promise<SelectionRow | undefined> {
  return selectOfProvider(tx, profileId, provider, appId).executeTakeFirst();
}

/** Locked, so that concurrent selections run one after the other. */
export function lockSelection(
  tx: Tx,
  profileId: string,
  provider: string,
  appId: string | undefined,
): Promise<SelectionRow | undefined> {
  return selectOfProvider(tx, profileId, provider, appId).forUpdate().executeTakeFirst();
}

function selectOfProvider(tx: Tx, profileId: string, provider: string, appId: string | undefined) {
  const rows = tx
    .selectFrom('pending_selections')
    .selectAll()
    .where('profile_id', '=', profileId)
    .where('provider', '=', provider);
  return appId ? rows.where('app_id', '=', appId) : rows;
}

/** Stores the selected account and deletes the token, which now belongs to the connection. */
export const finalizeSelection = (
  tx: Tx,
  { profile_id, id }: SelectionRow,
  chosen: { readonly candidate_id: string; readonly connection_id: string },
) =>
  tx
    .updateTable('pending_selections')
    .set({ ...chosen, parked: null, parked_until: null })
    .where('profile_id', '=', profile_id)
    .where('id', '=', id)
    .execute();
