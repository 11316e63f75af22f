import { holdCustomers } from '@tributary/domain/customers';
import type { Postgres, Tx } from '@tributary/postgres';
import { sql } from 'kysely';
import { deriveFirstPayments } from './first-payments.ts';

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
  await holdCustomers(tx, ids);
  await deriveFirstPayments(tx, profileId, ids);
  // Whoever was made dirty once more in the meantime stays so.
  await sql`
    DELETE FROM dirty_customers d
    USING unnest(${ids}::uuid[], ${customers.map(({ revision }) => revision)}::bigint[]) AS settled (customer_id, revision)
    WHERE d.profile_id = ${profileId} AND d.customer_id = settled.customer_id AND d.revision = settled.revision`.execute(
    tx,
  );
}
