import type { Postgres, Tx } from '@tributary/postgres';
import { sql } from 'kysely';
import { deriveFirstPayments } from './first-payments.ts';
import { markCustomersDirty, markDirty } from './store.ts';

/** So many at once keep writers of their outcomes waiting for some milliseconds. */
const batchSize = 200;

interface DirtyCustomer {
  readonly profileId: string;
  readonly customerId: string;
  readonly revision: string;
}

/** Derives first payments again for customers whose set of payments a merge or a definition changed. Resolves to how many. */
export async function settleCustomers(app: Postgres, system: Postgres, signal: AbortSignal): Promise<number> {
  let total = 0;
  while (!signal.aborted) {
    const { rows } = await system.unbound.query(
      sql<DirtyCustomer>`
        SELECT profile_id AS "profileId", customer_id AS "customerId", revision FROM dirty_customers ORDER BY revision LIMIT ${batchSize}`,
    );
    for (const [profileId, customers] of Map.groupBy(rows, (row) => row.profileId)) {
      await app.forProfile(profileId).transaction((tx) => settle(tx, profileId, customers));
    }
    total += rows.length;
    if (rows.length < batchSize) break;
  }
  return total;
}

async function settle(tx: Tx, profileId: string, customers: readonly DirtyCustomer[]): Promise<void> {
  const ids = customers.map(({ customerId }) => customerId);
  // The customer's row is what writers of outcomes lock, in the same order; it keeps them out while its payments are looked at.
  await sql`SELECT FROM customers WHERE id = ANY (${ids}::uuid[]) ORDER BY id FOR NO KEY UPDATE`.execute(tx);
  await deriveFirstPayments(tx, profileId, ids);
  // Whoever was made dirty once more in the meantime stays so.
  await sql`
    DELETE FROM dirty_customers d
    USING unnest(${ids}::uuid[], ${customers.map(({ revision }) => revision)}::bigint[]) AS settled (customer_id, revision)
    WHERE d.profile_id = ${profileId} AND d.customer_id = settled.customer_id AND d.revision = settled.revision`.execute(
    tx,
  );
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
