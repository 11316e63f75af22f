import type { ClickHouse } from '@tributary/clickhouse';
import type { Postgres, Tx } from '@tributary/postgres';
import type { GroupHandler, Item, LoadedItems } from '@tributary/work';
import { sql } from 'kysely';
import { attributeTogether } from './attribute-batch.ts';

export interface AttributionOptions {
  readonly app: Postgres;
  readonly clickhouse: ClickHouse;
  readonly now: () => Date;
}

export interface DirtyConversion extends Item {
  readonly revision: string;
}

/** Attributes dirty conversions of all waiting profiles together. */
export const attribution = ({ app, clickhouse, now }: AttributionOptions): GroupHandler<DirtyConversion> => ({
  async loadAll(tx, profileIds, limit) {
    const share = Math.max(1, Math.floor(limit / profileIds.length));
    const claimed = await claimFromEach(tx, profileIds, share);
    // Unused shares of small profiles go to profiles with more waiting conversions.
    let unused = limit - [...claimed.values()].reduce((sum, { items }) => sum + items.length, 0);
    for (const profileId of profileIds) {
      const own = claimed.get(profileId);
      if (!own?.isMore || unused <= 0) continue;
      const more = await claimFromEach(tx, [profileId], own.items.length + unused);
      unused -= (more.get(profileId)?.items.length ?? 0) - own.items.length;
      for (const [key, one] of more) claimed.set(key, one);
    }
    return claimed;
  },

  workAll: (group) => attributeTogether({ app, clickhouse }, group, now),

  async park(tx, profileId, { id, revision }) {
    await sql`
      DELETE FROM dirty_conversions WHERE profile_id = ${profileId} AND outcome_id = ${id} AND revision = ${revision}`.execute(
      tx,
    );
  },

  async unpark(tx, profileId, ids) {
    await sql`
      INSERT INTO dirty_conversions (profile_id, outcome_id, causes)
      SELECT ${profileId}::uuid, unnest(${[...ids]}::uuid[]), '{retry}'
      ON CONFLICT DO NOTHING`.execute(tx);
  },
});

async function claimFromEach(tx: Tx, profileIds: readonly string[], share: number) {
  const { rows } = await sql<{ profile_id: string; id: string; revision: string }>`
    SELECT p.profile_id, d.id, d.revision
    FROM unnest(${profileIds}::uuid[]) AS p (profile_id)
    CROSS JOIN LATERAL (
      SELECT outcome_id AS id, revision FROM dirty_conversions WHERE profile_id = p.profile_id ORDER BY revision LIMIT ${share}) d`.execute(
    tx,
  );
  const items = Map.groupBy(rows, (row) => row.profile_id);
  return new Map<string, LoadedItems<DirtyConversion>>(
    [...items].map(([profileId, found]) => [
      profileId,
      { items: found.map(({ id, revision }) => ({ id, revision })), isMore: found.length === share },
    ]),
  );
}
