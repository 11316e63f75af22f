import type { Schema, Tx } from '@tributary/postgres';
import { type Insertable, type RawBuilder, type Selectable, sql, type Updateable } from 'kysely';

export type WorkspaceRow = Selectable<Schema['workspaces']>;
export type ProfileRow = Selectable<Schema['profiles']>;

// ── Workspaces ──────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const insertWorkspace = (tx: Tx, row: Insertable<Schema['workspaces']>): Promise<WorkspaceRow> =>
  tx.insertInto('workspaces').values(row).returningAll().executeTakeFirstOrThrow();

/**
 * Locks the workspace, so that two requests cannot both use the last profile slot. Uses FOR NO KEY UPDATE, because FOR UPDATE would deadlock
 * with transactions whose audit entry references the workspace.
 */
export const lockWorkspace = (tx: Tx, workspaceId: string): Promise<WorkspaceRow | undefined> =>
  tx.selectFrom('workspaces').selectAll().where('id', '=', workspaceId).forNoKeyUpdate().executeTakeFirst();

export async function savePlan(tx: Tx, workspaceId: string, plan: string): Promise<boolean> {
  const saved = await tx
    .updateTable('workspaces')
    .set({ plan })
    .where('id', '=', workspaceId)
    .returning('id')
    .executeTakeFirst();
  return saved !== undefined;
}

/** Archives the workspace and its active profiles. Returns false when the workspace does not exist. */
export async function archiveWorkspace(tx: Tx, workspaceId: string, now: Date): Promise<boolean> {
  const archived = await tx
    .updateTable('workspaces')
    .set({ archived_at: now })
    .where('id', '=', workspaceId)
    .returning('id')
    .executeTakeFirst();
  if (!archived) return false;
  await tx
    .updateTable('profiles')
    .set({ archived_at: now })
    .where('workspace_id', '=', workspaceId)
    .where('archived_at', 'is', null)
    .execute();
  return true;
}

/** Unarchives the workspace and the profiles archived together with it, not those archived before. Resolves to its name. */
export async function unarchiveWorkspace(tx: Tx, workspaceId: string): Promise<string> {
  await sql`
    UPDATE profiles SET archived_at = NULL FROM workspaces w
    WHERE profiles.workspace_id = ${workspaceId} AND w.id = ${workspaceId} AND profiles.archived_at = w.archived_at
      AND NOT is_being_deleted(profiles.id)`.execute(tx);
  const { name } = await tx
    .updateTable('workspaces')
    .set({ archived_at: null })
    .where('id', '=', workspaceId)
    .returning('name')
    .executeTakeFirstOrThrow();
  return name;
}

export const listWorkspaces = (tx: Tx, limit: number) =>
  tx
    .selectFrom('workspaces')
    .select(['id', 'name', 'plan', 'is_healthcare_agency', 'archived_at'])
    .orderBy('id')
    .limit(limit)
    .execute();

// ── Profiles ────────────────────────────────────────────────────────────────────────────────────────────────────────────────────

export const insertProfile = (tx: Tx, row: Insertable<Schema['profiles']>): Promise<ProfileRow> =>
  tx.insertInto('profiles').values(row).returningAll().executeTakeFirstOrThrow();

/** Reads the profile and evaluates the checks for it. Raw SQL because this query is frequent and the query builder takes several times as long. */
export async function checkProfile(
  tx: Tx,
  profileId: string,
  checks: readonly RawBuilder<boolean>[],
): Promise<ProfileRow & { done: boolean[] }> {
  const { rows } = await sql<ProfileRow & { done: boolean[] }>`
    SELECT *, ARRAY[${sql.join(checks)}]::boolean[] AS done FROM profiles WHERE id = ${profileId}`.execute(tx);
  if (!rows[0]) throw new Error('The profile of the credential is gone.');
  return rows[0];
}

export async function countActiveProfiles(tx: Tx, workspaceId: string): Promise<number> {
  const { active } = await tx
    .selectFrom('profiles')
    .select(({ fn }) => fn.countAll<string>().as('active'))
    .where('workspace_id', '=', workspaceId)
    .where('archived_at', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(active);
}

export const lockProfile = (tx: Tx, profileId: string): Promise<ProfileRow | undefined> =>
  tx.selectFrom('profiles').selectAll().where('id', '=', profileId).forNoKeyUpdate().executeTakeFirst();

export const saveProfile = (tx: Tx, profileId: string, changes: Updateable<Schema['profiles']>): Promise<ProfileRow> =>
  tx.updateTable('profiles').set(changes).where('id', '=', profileId).returningAll().executeTakeFirstOrThrow();

/** Locks the profile, so that its mode cannot change between this read and the update. */
export const lockPrivacyMode = (tx: Tx, profileId: string) =>
  tx
    .selectFrom('profiles')
    .select(['workspace_id', 'privacy_mode'])
    .where('id', '=', profileId)
    .forNoKeyUpdate()
    .executeTakeFirst();

export const setPrivacyMode = (tx: Tx, profileId: string, mode: string) =>
  tx.updateTable('profiles').set({ privacy_mode: mode }).where('id', '=', profileId).execute();

export const setEnabled = (tx: Tx, profileId: string, isEnabled: boolean): Promise<ProfileRow> =>
  tx
    .updateTable('profiles')
    .set({ is_attribution_enabled: isEnabled })
    .where('id', '=', profileId)
    .returningAll()
    .executeTakeFirstOrThrow();

/** Returns undefined when the profile does not exist or is already archived. */
export const archiveProfile = (tx: Tx, profileId: string, now: Date): Promise<ProfileRow | undefined> =>
  tx
    .updateTable('profiles')
    .set({ archived_at: now })
    .where('id', '=', profileId)
    .where('archived_at', 'is', null)
    .returningAll()
    .executeTakeFirst();

/** Finds archived profiles too, but not profiles that are being deleted. */
export const lockUndeletedProfile = (tx: Tx, workspaceId: string, profileId: string): Promise<ProfileRow | undefined> =>
  tx
    .selectFrom('profiles')
    .selectAll()
    .where('id', '=', profileId)
    .where('workspace_id', '=', workspaceId)
    .where(sql<boolean>`NOT is_being_deleted(id)`)
    .forNoKeyUpdate()
    .executeTakeFirst();

/** Lists profiles by id, including archived ones, excluding those being deleted. */
export const listUndeletedProfiles = (tx: Tx, workspaceId: string, after: string | undefined, limit: number) => {
  const profiles = tx
    .selectFrom('profiles')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where(sql<boolean>`NOT is_being_deleted(id)`)
    .orderBy('id')
    .limit(limit);
  return (after ? profiles.where('id', '>', after) : profiles).execute();
};

/** Returns the next active profile id after `after`, as zero or one element, to iterate over all active profiles. */
export async function findNextProfile(tx: Tx, after: string): Promise<string[]> {
  const found = await tx
    .selectFrom('profiles')
    .select('id')
    .where('archived_at', 'is', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(1)
    .execute();
  return found.map(({ id }) => id);
}

export const listProfiles = (tx: Tx, limit: number, workspaceId?: string) => {
  const profiles = tx
    .selectFrom('profiles')
    .select(['id', 'workspace_id', 'name', 'privacy_mode', 'time_zone', 'reporting_currency', 'archived_at'])
    .orderBy('id')
    .limit(limit);
  return (workspaceId ? profiles.where('workspace_id', '=', workspaceId) : profiles).execute();
};

// ── Access of apps ──────────────────────────────────────────────────────────────────────────────────────────────────────────────

interface AppProfileRow {
  readonly workspace_id: string;
  readonly oauth_scopes: string[] | null;
  readonly is_governing: boolean;
  readonly is_healthcare: boolean;
}

export async function findAppProfile(tx: Tx, appId: string, profileId: string): Promise<AppProfileRow | undefined> {
  const { rows } = await sql<AppProfileRow>`SELECT * FROM find_app_profile(${appId}, ${profileId})`.execute(tx);
  return rows[0];
}

export async function isWorkspaceOfApp(tx: Tx, appId: string, workspaceId: string): Promise<boolean> {
  const { rows } = await sql`SELECT * FROM find_app_workspace(${appId}, ${workspaceId})`.execute(tx);
  return rows.length > 0;
}
