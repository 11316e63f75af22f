import type { Tx } from '@tributary/postgres';
import { limits, type SavedPage } from '@tributary/vocabulary';
import { sql } from 'kysely';

export interface SavedView {
  readonly id: string;
  readonly name: string;
  readonly page: SavedPage;
  readonly search: string;
  readonly savedBy: string;
  readonly savedAt: Date;
}

const columns = sql`id, name, page, search, saved_by AS "savedBy", saved_at AS "savedAt"`;

/** Serialises saves per profile, so that concurrent requests cannot exceed the limit. */
export async function lockViews(tx: Tx, profileId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${profileId}, 9190))`.execute(tx);
}

/** Sorted by name. */
export async function listViews(tx: Tx, profileId: string): Promise<SavedView[]> {
  const { rows } = await sql<SavedView>`
    SELECT ${columns} FROM saved_views WHERE profile_id = ${profileId} ORDER BY name LIMIT ${limits.savedViews.most}`.execute(
    tx,
  );
  return rows;
}

/** Replaces a view of the same name and keeps its id. */
export async function upsertView(tx: Tx, profileId: string, view: SavedView): Promise<SavedView> {
  const { rows } = await sql<SavedView>`
    INSERT INTO saved_views (profile_id, id, name, page, search, saved_by, saved_at)
    VALUES (${profileId}, ${view.id}, ${view.name}, ${view.page}, ${view.search}, ${view.savedBy}, ${view.savedAt})
    ON CONFLICT (profile_id, name) DO UPDATE
      SET page = excluded.page, search = excluded.search, saved_by = excluded.saved_by, saved_at = excluded.saved_at
    RETURNING ${columns}`.execute(tx);
  return rows[0] as SavedView;
}

/** Returns false if the view does not exist. */
export async function removeView(tx: Tx, profileId: string, id: string): Promise<boolean> {
  const { rows } = await sql`
    DELETE FROM saved_views WHERE profile_id = ${profileId} AND id = ${id} RETURNING id`.execute(tx);
  return rows.length > 0;
}

export const toViewResponse = ({ id, name, page, search, savedBy, savedAt }: SavedView) => ({
  id,
  name,
  page,
  search,
  saved_by: savedBy,
  saved_at: savedAt.toISOString(),
});
