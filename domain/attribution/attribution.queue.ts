import type { ClickHouse } from '@tributary/clickhouse';
import type { Postgres } from '@tributary/postgres';
import type { Item, QueueHandler } from '@tributary/work';
import { sql } from 'kysely';
import { attributeBatch } from './attribute-batch.ts';

export interface AttributionOptions {
  readonly app: Postgres;
  readonly clickhouse: ClickHouse;
  readonly now: () => Date;
}

export interface DirtyConversion extends Item {
  readonly revision: string;
}

/** Works out what is dirty. */
export const attribution = ({ app, clickhouse, now }: AttributionOptions): QueueHandler<DirtyConversion> => ({
  async take(profileId, limit) {
    const { rows } = await app.forProfile(profileId).transaction((tx) =>
      sql<DirtyConversion>`
        SELECT outcome_id AS id, revision FROM dirty_conversions WHERE profile_id = ${profileId} ORDER BY revision LIMIT ${limit}`.execute(
        tx,
      ),
    );
    return { items: rows, isMore: rows.length === limit };
  },

  work: (batch) => attributeBatch({ app, clickhouse }, batch, now),

  async setAside(tx, profileId, { id, revision }) {
    await sql`
      DELETE FROM dirty_conversions WHERE profile_id = ${profileId} AND outcome_id = ${id} AND revision = ${revision}`.execute(
      tx,
    );
  },

  async putBack(tx, profileId, ids) {
    await sql`
      INSERT INTO dirty_conversions (profile_id, outcome_id, causes)
      SELECT ${profileId}::uuid, unnest(${[...ids]}::uuid[]), '{retry}'
      ON CONFLICT DO NOTHING`.execute(tx);
  },
});
