import type { Everywhere, Postgres, Tx } from '@tributary/postgres';
import type { LogPosition } from '@tributary/stream';
import { sql } from 'kysely';

/** A tenant that is being deleted: a profile, or a workspace after its profiles. */
export interface Deletion {
  readonly tenantId: string;
  readonly workspaceId: string;
  readonly isWorkspace: boolean;
  readonly isSetAside: boolean;
  readonly phase: string;
  readonly logPosition: LogPosition | null;
  readonly lookAgainAt: Date | null;
  /** Until then its owners may restore the workspace, and nothing is removed. */
  readonly restorableUntil: Date | null;
  readonly rowsDeleted: Readonly<Record<string, number>>;
}

/** Where it stands, for the operator. */
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

/** In the transaction that archives the profile. Asked for twice, it is one. */
export async function insertDeletion(tx: Tx, profileId: string, workspaceId: string, now: Date): Promise<void> {
  await sql`
    INSERT INTO tenant_deletions (profile_id, workspace_id, requested_at, updated_at)
    VALUES (${profileId}, ${workspaceId}, ${now}, ${now}) ON CONFLICT DO NOTHING`.execute(tx);
}

/** The same for a workspace and all of its profiles. */
export async function insertDeletions(tx: Tx, workspaceId: string, now: Date): Promise<void> {
  await sql`
    INSERT INTO tenant_deletions (profile_id, workspace_id, requested_at, updated_at)
    SELECT id, workspace_id, ${now}::timestamptz, ${now}::timestamptz FROM profiles WHERE workspace_id = ${workspaceId}
    ON CONFLICT DO NOTHING`.execute(tx);
  await insertDeletion(tx, workspaceId, workspaceId, now);
  await sql`UPDATE tenant_deletions SET restorable_until = NULL WHERE profile_id = ${workspaceId}`.execute(tx);
}

/** Nothing is removed before that time, and its owners may restore the workspace. */
export async function scheduleDeletion(tx: Tx, workspaceId: string, until: Date, now: Date): Promise<void> {
  await sql`
    INSERT INTO tenant_deletions (profile_id, workspace_id, requested_at, updated_at, phase, restorable_until)
    VALUES (${workspaceId}, ${workspaceId}, ${now}, ${now}, 'restorable', ${until}) ON CONFLICT DO NOTHING`.execute(tx);
}

/** Begins what was scheduled, once the workspace cannot be restored any more. */
export async function beginDeletion(app: Postgres, workspaceId: string, now: Date): Promise<void> {
  await app.forWorkspace(workspaceId).transaction(async (tx) => {
    const { rows } = await sql`
      UPDATE tenant_deletions SET restorable_until = NULL, phase = 'waiting', updated_at = ${now}
      WHERE profile_id = ${workspaceId} AND restorable_until <= ${now} RETURNING profile_id`.execute(tx);
    if (rows.length > 0) await insertDeletions(tx, workspaceId, now);
  });
}

/** False where the time has passed, or another restored it. */
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

/** Those that the person may restore, on all servers. */
export const findDeletedWorkspaces = (everywhere: Everywhere, userId: string, now: Date): Promise<DeletedWorkspace[]> =>
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

export async function noteDeletion(
  system: Postgres,
  tenantId: string,
  what: {
    readonly logPosition?: LogPosition;
    readonly phase?: string;
    readonly atTable?: string;
    readonly rowsDeleted?: Readonly<Record<string, number>>;
    readonly isEmptied?: true;
    readonly lookAgainAt?: Date;
  },
  now: Date,
): Promise<void> {
  await system.unbound.query(sql`
    UPDATE tenant_deletions SET log_position = coalesce(log_position, ${what.logPosition ?? null}), phase = coalesce(${what.phase ?? null}, phase),
      at_table = ${what.atTable ?? null}, rows_deleted = coalesce(${what.rowsDeleted ? JSON.stringify(what.rowsDeleted) : null}::jsonb, rows_deleted),
      emptied_at = CASE WHEN ${what.isEmptied ?? false} THEN ${now}::timestamptz ELSE emptied_at END,
      look_again_at = coalesce(${what.lookAgainAt ?? null}::timestamptz, look_again_at), updated_at = ${now}
    WHERE profile_id = ${tenantId}`);
}

export async function forgetDeletion(system: Postgres, tenantId: string): Promise<void> {
  await system.unbound.query(sql`DELETE FROM tenant_deletions WHERE profile_id = ${tenantId}`);
}

/** The profiles of a workspace that still have their row. */
export async function openedProfiles(app: Postgres, workspaceId: string): Promise<number> {
  const { rows } = await app
    .forWorkspace(workspaceId)
    .transaction((tx) =>
      sql<{ n: string }>`SELECT count(*) AS n FROM profiles WHERE workspace_id = ${workspaceId}`.execute(tx),
    );
  return Number(rows[0]?.n ?? 0);
}

/** Its tables are empty by now; the few rows that refer to it otherwise go along, and those that are kept with the accounts. */
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

/** For the operator, those that were asked for last first. */
export async function listDeletionStatus(tx: Tx, limit: number, tenantId?: string): Promise<DeletionStatus[]> {
  const { rows } = await sql<DeletionStatus>`
    SELECT profile_id AS tenant_id, workspace_id, requested_at, phase, at_table,
      (SELECT coalesce(sum(value::bigint), 0)::float8 FROM jsonb_each_text(rows_deleted)) AS rows_deleted, is_set_aside, emptied_at, look_again_at, restorable_until,
      updated_at
    FROM tenant_deletions WHERE ${tenantId ? sql`profile_id = ${tenantId}` : sql`true`}
    ORDER BY requested_at DESC, profile_id LIMIT ${limit}`.execute(tx);
  return rows;
}
