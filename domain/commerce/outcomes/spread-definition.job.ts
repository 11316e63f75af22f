import type { Postgres } from '@tributary/postgres';
import { nilUuid } from '@tributary/vocabulary';
import { markCustomersDirty, markDirty } from './mark-dirty.ts';

/** After a definition changed, marks exactly the outcomes of the affected events dirty, in batches. */
export async function spreadDefinition(
  app: Postgres,
  {
    profileId,
    eventKeys,
    definitionId,
  }: { profileId: string; eventKeys: readonly string[]; definitionId?: string | undefined },
  signal: AbortSignal,
): Promise<number> {
  const ledger = app.forProfile(profileId);
  let total = 0;
  for (const column of ['event_key', 'event_type_key'] as const) {
    for (const eventKey of eventKeys) {
      let after = nilUuid;
      while (!signal.aborted) {
        const ids = await ledger.transaction(async (tx) => {
          const rows = await tx
            .selectFrom('outcomes')
            .select(['id', 'customer_id'])
            .where('profile_id', '=', profileId)
            .where(column, '=', eventKey)
            .where('id', '>', after)
            .orderBy('id')
            .limit(5_000)
            .execute();
          await markDirty(tx, profileId, new Map(rows.map(({ id }) => [id, ['definition']])), definitionId);
          await markCustomersDirty(
            tx,
            profileId,
            rows.flatMap(({ customer_id }) => (customer_id ? [customer_id] : [])),
          );
          return rows.map(({ id }) => id);
        });
        total += ids.length;
        if (ids.length < 5_000) break;
        after = ids.at(-1) as string;
      }
    }
  }
  return total;
}
