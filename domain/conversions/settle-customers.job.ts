import type { Postgres } from '@tributary/postgres';
import { sql } from 'kysely';
import { deriveFirstPayments } from './first-payments.ts';
import { markCustomersDirty, markDirty } from './store.ts';

const batchSize = 500;

/** Derives first payments again for customers whose set of payments a merge or a definition changed. Resolves to how many. */
export async function settleCustomers(app: Postgres, system: Postgres, signal: AbortSignal): Promise<number> {
  let total = 0;
  while (!signal.aborted) {
    const { rows } = await system.unbound.query(
      sql<{
        profile_id: string;
        customer_id: string;
        revision: string;
      }>`SELECT profile_id, customer_id, revision FROM dirty_customers ORDER BY revision LIMIT ${batchSize}`,
    );
    for (const row of rows) {
      await app.forProfile(row.profile_id).transaction(async (tx) => {
        // The customer's row is what writers of outcomes lock; it keeps them out while its payments are looked at.
        await sql`SELECT FROM customers WHERE id = ${row.customer_id} FOR NO KEY UPDATE`.execute(tx);
        await deriveFirstPayments(tx, row.profile_id, row.customer_id);
        await tx
          .deleteFrom('dirty_customers')
          .where('profile_id', '=', row.profile_id)
          .where('customer_id', '=', row.customer_id)
          .where('revision', '=', row.revision)
          .execute();
      });
    }
    total += rows.length;
    if (rows.length < batchSize) break;
  }
  return total;
}

/** A changed definition: exactly the outcomes of the events concerned become dirty, a batch at a time. */
export async function spreadDefinition(
  app: Postgres,
  { profileId, eventKeys }: { profileId: string; eventKeys: readonly string[] },
  signal: AbortSignal,
): Promise<number> {
  const ledger = app.forProfile(profileId);
  let total = 0;
  for (const column of ['event_key', 'event_type_key'] as const) {
    for (const eventKey of eventKeys) {
      let after = '00000000-0000-0000-0000-000000000000';
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
          await markDirty(tx, profileId, new Map(rows.map(({ id }) => [id, 'definition'])));
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
