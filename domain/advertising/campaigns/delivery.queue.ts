import type { QueueHandler } from '@tributary/work';
import { sql } from 'kysely';
import { claimDirty, copyItems, type DirtyItem, type Engines } from './copy-delivery.ts';

/** Copies recorded ads and delivery to ClickHouse. */
export const delivery = (engines: Engines): QueueHandler<DirtyItem> => ({
  load: (profileId, limit) => claimDirty(engines.app, profileId, limit),

  work: ({ key, items }) => copyItems(engines, key, items),

  async park(tx, profileId, { entityId, day, revision }) {
    if (day === undefined)
      await sql`
        DELETE FROM dirty_entities WHERE profile_id = ${profileId} AND entity_id = ${entityId} AND revision = ${revision}`.execute(
        tx,
      );
    else
      await sql`
        DELETE FROM dirty_delivery
        WHERE profile_id = ${profileId} AND entity_id = ${entityId} AND day = ${day} AND revision = ${revision}`.execute(
        tx,
      );
  },

  /** Uses revision 0, which ClickHouse never has, so that earlier revisions are copied as well. */
  async unpark(tx, profileId, ids) {
    const days = ids.map((id) => id.split(' ')).filter(([, day]) => day !== undefined);
    await sql`
      INSERT INTO dirty_entities (profile_id, entity_id, revision)
      SELECT ${profileId}::uuid, unnest(${ids.filter((id) => !id.includes(' '))}::uuid[]), 0
      ON CONFLICT DO NOTHING`.execute(tx);
    await sql`
      INSERT INTO dirty_delivery (profile_id, entity_id, day, revision, shown_revision)
      SELECT ${profileId}::uuid, d.*, 0, 0 FROM unnest(${days.map(([id]) => id)}::uuid[], ${days.map(([, day]) => day)}::date[]) AS d (entity_id, day)
      ON CONFLICT DO NOTHING`.execute(tx);
  },
});
