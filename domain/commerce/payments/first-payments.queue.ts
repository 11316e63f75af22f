import { blockCustomerWrites } from '@tributary/domain/commerce/customers';
import type { Postgres } from '@tributary/postgres';
import type { Item, QueueHandler } from '@tributary/work';
import { sql } from 'kysely';
import { deriveFirstPayments } from './first-payments.ts';

interface DirtyCustomer extends Item {
  readonly revision: string;
}

/** Recomputes the first payments of customers whose set of payments was changed by a merge or a definition. */
export const firstPayments = (app: Postgres): QueueHandler<DirtyCustomer> => ({
  async load(profileId, limit) {
    const { rows } = await app.forProfile(profileId).transaction((tx) =>
      sql<DirtyCustomer>`
        SELECT customer_id AS id, revision FROM dirty_customers WHERE profile_id = ${profileId} ORDER BY revision LIMIT ${limit}`.execute(
        tx,
      ),
    );
    return { items: rows, isMore: rows.length === limit };
  },

  async work({ key: profileId, items }) {
    const ids = items.map(({ id }) => id);
    await app.forProfile(profileId).transaction(async (tx) => {
      await blockCustomerWrites(tx, profileId, ids);
      await deriveFirstPayments(tx, profileId, ids);
      // Keeps customers that were marked again meanwhile: their revision is newer.
      await sql`
        DELETE FROM dirty_customers d
        USING unnest(${ids}::uuid[], ${items.map(({ revision }) => revision)}::bigint[]) AS settled (customer_id, revision)
        WHERE d.profile_id = ${profileId} AND d.customer_id = settled.customer_id AND d.revision = settled.revision`.execute(
        tx,
      );
    });
  },

  async park(tx, profileId, { id, revision }) {
    await sql`
      DELETE FROM dirty_customers WHERE profile_id = ${profileId} AND customer_id = ${id} AND revision = ${revision}`.execute(
      tx,
    );
  },

  async unpark(tx, profileId, ids) {
    await sql`
      INSERT INTO dirty_customers (profile_id, customer_id) SELECT ${profileId}::uuid, unnest(${[...ids]}::uuid[])
      ON CONFLICT DO NOTHING`.execute(tx);
  },
});
