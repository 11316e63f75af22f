import type { ClickHouse } from '@tributary/clickhouse';
import type { Postgres, Tx } from '@tributary/postgres';
import type { GroupHandler, Item, Taken } from '@tributary/work';
import { sql } from 'kysely';
import { attributeTogether } from './attribute-together.ts';

export interface AttributionOptions {
  readonly app: Postgres;
  readonly clickhouse: ClickHouse;
  readonly now: () => Date;
}

export interface DirtyConversion extends Item {
  readonly revision: string;
}

/** Works out what is dirty, of all profiles that wait at once. */
export const attribution = ({ app, clickhouse, now }: AttributionOptions): GroupHandler<DirtyConversion> => ({
  async takeAll(tx, profileIds, limit) {
    const share = Math.max(1, Math.floor(limit / profileIds.length));
    const taken = await takeEach(tx, profileIds, share);
    // Where the others have little, who has more takes what they leave.
    let room = limit - [...taken.values()].reduce((sum, { items }) => sum + items.length, 0);
    for (const profileId of profileIds) {
      const mine = taken.get(profileId);
      if (!mine?.isMore || room <= 0) continue;
      const more = await takeEach(tx, [profileId], mine.items.length + room);
      room -= (more.get(profileId)?.items.length ?? 0) - mine.items.length;
      for (const [key, one] of more) taken.set(key, one);
    }
    return taken;
  },

  workAll: (group) => attributeTogether({ app, clickhouse }, group, now),

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

async function takeEach(tx: Tx, profileIds: readonly string[], share: number) {
  const { rows } = await sql<{ profile_id: string; id: string; revision: string }>`
    SELECT p.profile_id, d.id, d.revision
    FROM unnest(${profileIds}::uuid[]) AS p (profile_id)
    CROSS JOIN LATERAL (
      SELECT outcome_id AS id, revision FROM dirty_conversions WHERE profile_id = p.profile_id ORDER BY revision LIMIT ${share}) d`.execute(
    tx,
  );
  const items = Map.groupBy(rows, (row) => row.profile_id);
  return new Map<string, Taken<DirtyConversion>>(
    [...items].map(([profileId, found]) => [
      profileId,
      { items: found.map(({ id, revision }) => ({ id, revision })), isMore: found.length === share },
    ]),
  );
}
