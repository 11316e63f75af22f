import type { Schema, Tx } from '@tributary/postgres';
import type { Insertable, Selectable } from 'kysely';

export type SelectionRow = Selectable<Schema['pending_selections']>;

/** The newest consent counts: what an earlier one left to be chosen from gives way, with its token. */
export async function parkSelection(tx: Tx, row: Insertable<Schema['pending_selections']>): Promise<void> {
  await tx
    .deleteFrom('pending_selections')
    .where('profile_id', '=', row.profile_id)
    .where('provider', '=', row.provider)
    .execute();
  await tx.insertInto('pending_selections').values(row).execute();
}
