import type { Tx } from '@tributary/postgres';
import type { SharedPage } from '@tributary/vocabulary';
import { sql } from 'kysely';

export interface ViewRow {
  readonly id: string;
  readonly name: string;
  readonly page: SharedPage;
  readonly search: string;
  readonly from: string;
  readonly to: string;
  readonly madeBy: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

/** A live link, looked up by its secret. */
export interface FoundView {
  readonly id: string;
  readonly profileId: string;
  readonly workspaceId: string;
  readonly page: SharedPage;
  readonly from: string;
  readonly to: string;
}

export const findViewByHash = (hash: Buffer, now: Date) => sql<FoundView>`
  SELECT id, profile_id AS "profileId", workspace_id AS "workspaceId", page, date_from AS "from", date_to AS "to"
  FROM find_shared_view(${hash}, ${now})`;

const columns = sql`id, name, page, search, date_from::text AS "from", date_to::text AS "to", made_by AS "madeBy", created_at AS "createdAt",
  expires_at AS "expiresAt"`;

export async function insertView(tx: Tx, profileId: string, view: ViewRow, hash: Buffer): Promise<void> {
  const { id, name, page, search, from, to, madeBy, createdAt, expiresAt } = view;
  await sql`
    INSERT INTO shared_views (profile_id, id, hash, name, page, search, date_from, date_to, made_by, created_at, expires_at)
    VALUES (${profileId}, ${id}, ${hash}, ${name}, ${page}, ${search}, ${from}, ${to}, ${madeBy}, ${createdAt}, ${expiresAt})`.execute(
    tx,
  );
}

const live = (now: Date) => sql`revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})`;

export async function countLiveViews(tx: Tx, profileId: string, now: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM shared_views WHERE profile_id = ${profileId} AND ${live(now)}`.execute(tx);
  return rows[0]?.count ?? 0;
}

export async function listLiveViews(
  tx: Tx,
  profileId: string,
  { before, limit, now }: { readonly before: string | undefined; readonly limit: number; readonly now: Date },
): Promise<ViewRow[]> {
  const older = before ? sql`AND id < ${before}` : sql``;
  const { rows } = await sql<ViewRow>`
    SELECT ${columns} FROM shared_views WHERE profile_id = ${profileId} AND ${live(now)} ${older}
    ORDER BY id DESC LIMIT ${limit}`.execute(tx);
  return rows;
}

export async function findView(tx: Tx, profileId: string, id: string): Promise<ViewRow | undefined> {
  const { rows } = await sql<ViewRow>`
    SELECT ${columns} FROM shared_views WHERE profile_id = ${profileId} AND id = ${id}`.execute(tx);
  return rows[0];
}

/** Returns false when there is no such live link. */
export async function revokeView(tx: Tx, profileId: string, id: string, now: Date): Promise<boolean> {
  const { rows } = await sql`
    UPDATE shared_views SET revoked_at = ${now} WHERE profile_id = ${profileId} AND id = ${id} AND ${live(now)} RETURNING id`.execute(
    tx,
  );
  return rows.length > 0;
}
