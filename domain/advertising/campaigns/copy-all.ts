import type { Postgres } from '@tributary/postgres';
import { nilUuid } from '@tributary/vocabulary';
import { sql } from 'kysely';

/** Small, because an entity has a row for each day on which it ran. */
const entitiesAtOnce = 200;

/**
 * Marks everything of a profile, with its history, to be copied to ClickHouse again. Resolves to the number of
 * entities.
 */
export async function copyAllAgain(app: Postgres, profileId: string): Promise<number> {
  const ledger = app.forProfile(profileId);
  let marked = 0;
  for (let after: string | undefined = nilUuid; after !== undefined; ) {
    const from: string = after;
    const ids = await ledger.transaction(async (tx) => {
      const { rows } = await sql<{ id: string }>`
        SELECT id FROM ad_entities WHERE profile_id = ${profileId} AND id > ${from}::uuid ORDER BY id LIMIT ${entitiesAtOnce}`.execute(
        tx,
      );
      const found = rows.map(({ id }) => id);
      // Uses revision 0, which ClickHouse never has, so that earlier revisions are copied as well.
      await sql`
        INSERT INTO dirty_entities (profile_id, entity_id, revision)
        SELECT ${profileId}::uuid, unnest(${found}::uuid[]), 0 ON CONFLICT DO NOTHING`.execute(tx);
      await sql`
        INSERT INTO dirty_delivery (profile_id, entity_id, day, revision, shown_revision)
        SELECT profile_id, entity_id, day, 0, 0 FROM ad_delivery WHERE profile_id = ${profileId} AND entity_id = ANY (${found}::uuid[])
        ON CONFLICT (profile_id, entity_id, day) DO UPDATE SET shown_revision = 0`.execute(tx);
      return found;
    });
    marked += ids.length;
    after = ids.length < entitiesAtOnce ? undefined : ids.at(-1);
  }
  return marked;
}
