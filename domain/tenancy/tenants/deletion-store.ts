import type { AllShards, Postgres, Tx } from '@tributary/postgres';
import type { StreamPosition } from '@tributary/stream';
import { sql } from 'kysely';

/** A profile or workspace that is being deleted. A workspace is removed after its profiles. */
export interface Deletion {
  readonly tenantId: string;
  readonly workspaceId: string;
  readonly isWorkspace: boolean;
  readonly isSetAside: boolean;
  readonly phase: string;
  readonly logPosition: StreamPosition | null;
  readonly lookAgainAt: Date | null;
  /** Owners may restore the workspace until this time; nothing is removed before it. */
  readonly restorableUntil: Date | null;
  readonly rowsDeleted: Readonly<Record<string, number>>;
}

/** The progress of a deletion, as the operator sees it. */
export type DeletionStatus = {
  readonly tenant_id: string;
  readonly workspace_id: string;
  readonly requested_at: Date;
  readonly phase: string;
  readonly at_table: string | null;
  readonly rows_deleted: number;
  readonly is_set_aside: boolean;
  readonly emptied_at: Date | null;
  readonly look_again_at: Date | null;
  readonly restorable_until: Date | null;
  readonly updated_at: Date;
};

/** Call in the transaction that archives the profile. A repeated call changes nothing. */
export async function insertDeletion(tx: Tx, profileId: string, workspaceId: string, now: Date): Promise<void> {
  await sql`
    INSERT INTO tenant_deletions (profile_id, workspace_id, requested_at, updated_at)
    VALUES (${profileId}, ${workspaceId}, ${now}, ${now}) ON CONFLICT DO NOTHING`.execute(tx);
}

/** Inserts deletions for a workspace and all of its profiles, and ends the time in which the workspace can be restored. */
export async function insertDeletions(tx: Tx, workspaceId: string, now: Date): Promise<void> {
  await sql`
    INSERT INTO tenant_deletions (profile_id, workspace_id, requested_at, updated_at)
    SELECT id, workspace_id, ${now}::timestamptz, ${now}::timestamptz FROM profiles WHERE workspace_id = ${workspaceId}
    ON CONFLICT DO NOTHING`.execute(tx);
  await insertDeletion(tx, workspaceId, workspaceId, now);
  await sql`UPDATE tenant_deletions SET restorable_until = NULL WHERE profile_id = ${workspaceId}`.execute(tx);
}

/** Schedules a deletion: nothing is removed before `until`, and the owners may restore the workspace meanwhile. */
export async function scheduleDeletion(tx: Tx, workspaceId: string, until: Date, now: Date): Promise<void> {
  await sql`
    INSERT INTO tenant_deletions (profile_id, workspace_id, requested_at, updated_at, phase, restorable_until)
    VALUES (${workspaceId}, ${workspaceId}, ${now}, ${now}, 'restorable', ${until}) ON CONFLICT DO NOTHING`.execute(tx);
}

/** Starts a scheduled deletion whose restore period has ended. */
export async function beginDeletion(app: Postgres, workspaceId: string, now: Date): Promise<void> {
  await app.forWorkspace(workspaceId).transaction(async (tx) => {
    const { rows } = await sql`
      UPDATE tenant_deletions SET restorable_until = NULL, phase = 'waiting', updated_at = ${now}
      WHERE profile_id = ${workspaceId} AND restorable_until <= ${now} RETURNING profile_id`.execute(tx);
    if (rows.length > 0) await insertDeletions(tx, workspaceId, now);
  });
}

/** Returns false when the restore period has ended or the workspace was already restored. */
export async function cancelDeletion(tx: Tx, workspaceId: string, now: Date): Promise<boolean> {
  const { rows } = await sql`
    DELETE FROM tenant_deletions WHERE profile_id = ${workspaceId} AND restorable_until > ${now} RETURNING profile_id`.execute(
    tx,
  );
  return rows.length > 0;
}

export interface DeletedWorkspace {
  readonly id: string;
  readonly name: string;
  readonly deletedAt: Date;
  readonly restorableUntil: Date;
}

/** The deleted workspaces that the user may restore, from all database servers. */
export const findDeletedWorkspaces = (everywhere: AllShards, userId: string, now: Date): Promise<DeletedWorkspace[]> =>
  everywhere.transaction(
    async (tx) => {
      const { rows } = await sql<DeletedWorkspace>`
        SELECT id, name, deleted_at AS "deletedAt", restorable_until AS "restorableUntil"
        FROM find_deleted_workspaces(${userId}, ${now})`.execute(tx);
      return rows;
    },
    { readOnly: true },
  );

export async function findDeletion(system: Postgres, tenantId: string): Promise<Deletion | undefined> {
  const { rows } = await system.unbound.query(sql<Deletion>`
    SELECT profile_id AS "tenantId", workspace_id AS "workspaceId", profile_id = workspace_id AS "isWorkspace",
      is_set_aside AS "isSetAside", phase, log_position AS "logPosition", look_again_at AS "lookAgainAt", restorable_until AS "restorableUntil",
      rows_deleted AS "rowsDeleted"
    FROM tenant_deletions WHERE profile_id = ${tenantId}`);
  return rows[0];
}

export async function saveProgress(
  system: Postgres,
  tenantId: string,
  progress: {
    readonly logPosition?: StreamPosition;
    readonly phase?: string;
    readonly atTable?: string;
    readonly rowsDeleted?: Readonly<Record<string, number>>;
    readonly isEmptied?: true;
    readonly lookAgainAt?: Date;
  },
  now: Date,
): Promise<void> {
  await system.unbound.query(sql`
    UPDATE tenant_deletions SET log_position = coalesce(log_position, ${progress.logPosition ?? null}), phase = coalesce(${progress.phase ?? null}, phase),
      at_table = ${progress.atTable ?? null}, rows_deleted = coalesce(${progress.rowsDeleted ? JSON.stringify(progress.rowsDeleted) : null}::jsonb, rows_deleted),
      emptied_at = CASE WHEN ${progress.isEmptied ?? false} THEN ${now}::timestamptz ELSE emptied_at END,
      look_again_at = coalesce(${progress.lookAgainAt ?? null}::timestamptz, look_again_at), updated_at = ${now}
    WHERE profile_id = ${tenantId}`);
}

export async function removeDeletion(system: Postgres, tenantId: string): Promise<void> {
  await system.unbound.query(sql`DELETE FROM tenant_deletions WHERE profile_id = ${tenantId}`);
}

/** Counts the profiles of a workspace whose row still exists. */
export async function countRemainingProfiles(app: Postgres, workspaceId: string): Promise<number> {
  const { rows } = await app
    .forWorkspace(workspaceId)
    .transaction((tx) =>
      sql<{ n: string }>`SELECT count(*) AS n FROM profiles WHERE workspace_id = ${workspaceId}`.execute(tx),
    );
  return Number(rows[0]?.n ?? 0);
}

/** Deletes the profile's row and its assistants on the home server. Its tables are empty by now; foreign keys cascade to the few rows left. */
export async function removeProfile(app: Postgres, { tenantId, workspaceId }: Deletion): Promise<void> {
  await app.home.unbound.lookUp('SELECT forget_assistants_of($1)', [tenantId]);
  await app
    .forWorkspace(workspaceId)
    .transaction((tx) =>
      tx.deleteFrom('profiles').where('id', '=', tenantId).where('archived_at', 'is not', null).execute(),
    );
}

export async function removeWorkspace(app: Postgres, workspaceId: string): Promise<void> {
  await app
    .forWorkspace(workspaceId)
    .transaction((tx) =>
      tx.deleteFrom('workspaces').where('id', '=', workspaceId).where('archived_at', 'is not', null).execute(),
    );
}

/** Lists deletions for the operator, most recently requested first. */
export async function listDeletionStatus(tx: Tx, limit: number, tenantId?: string): Promise<DeletionStatus[]> {
  const { rows } = await sql<DeletionStatus>`
    SELECT profile_id AS tenant_id, workspace_id, requested_at, phase, at_table,
      (SELECT coalesce(sum(value::bigint), 0)::float8 FROM jsonb_each_text(rows_deleted)) AS rows_deleted, is_set_aside, emptied_at, look_again_at, restorable_until,
      updated_at
    FROM tenant_deletions WHERE ${tenantId ? sql`profile_id = ${tenantId}` : sql`true`}
    ORDER BY requested_at DESC, profile_id LIMIT ${limit}`.execute(tx);
  return rows;
}
