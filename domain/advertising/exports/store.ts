import type { Schema, Tx } from '@tributary/postgres';
import type { ExportEventStatus, ExportRunStatus } from '@tributary/vocabulary';
import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';

export type TargetRow = Selectable<Schema['export_targets']>;

export const listTargets = (tx: Tx, profileId: string): Promise<TargetRow[]> =>
  tx.selectFrom('export_targets').selectAll().where('profile_id', '=', profileId).orderBy('id').execute();

export const findTarget = (tx: Tx, profileId: string, id: string): Promise<TargetRow | undefined> =>
  tx
    .selectFrom('export_targets')
    .selectAll()
    .where('profile_id', '=', profileId)
    .where('id', '=', id)
    .executeTakeFirst();

/** A target is identified by its connection; saving does not change which of its datasets is used. */
export async function saveTarget(tx: Tx, row: Insertable<Schema['export_targets']>): Promise<void> {
  const { profile_id, id, connection_id, created_at, ...changes } = row;
  await tx
    .insertInto('export_targets')
    .values(row)
    .onConflict((conflict) => conflict.columns(['profile_id', 'connection_id']).doUpdateSet(changes))
    .execute();
}

export async function updateTarget(
  tx: Tx,
  { profile_id, id }: TargetRow,
  changes: Updateable<Schema['export_targets']>,
): Promise<void> {
  await tx
    .updateTable('export_targets')
    .set(changes)
    .where('profile_id', '=', profile_id)
    .where('id', '=', id)
    .execute();
}

/** Deletes their waiting events as well. */
export async function deleteTargets(tx: Tx, profileId: string, ids: readonly string[]): Promise<void> {
  if (ids.length > 0)
    await tx
      .deleteFrom('export_targets')
      .where('profile_id', '=', profileId)
      .where('id', 'in', [...ids])
      .execute();
}

/** An outcome to export to a target. */
export interface WaitingEvent {
  readonly targetId: string;
  readonly outcomeId: string;
  readonly scheduledAt: Date;
  readonly status: 'waiting' | 'processing';
  readonly firstSentAt: Date | null;
  readonly ticket: string | null;
  /** With a ticket: the number of events sent together. Otherwise the maximum to send together, after a larger batch was rejected. */
  readonly mostTogether: number | null;
}

const columns =
  sql.raw(`target_id AS "targetId", outcome_id AS "outcomeId", scheduled_at AS "scheduledAt", status, first_sent_at AS "firstSentAt", ticket,
  most_together AS "mostTogether"`);

/** Due events of the target that has waited longest. */
export async function listDue(tx: Tx, profileId: string, limit: number): Promise<WaitingEvent[]> {
  const { rows } = await sql<WaitingEvent>`
    WITH first AS (
      SELECT target_id FROM export_events
      WHERE profile_id = ${profileId} AND status IN ('waiting', 'processing') AND due_at <= now() ORDER BY due_at LIMIT 1)
    SELECT ${columns} FROM export_events
    WHERE profile_id = ${profileId} AND target_id = (SELECT target_id FROM first) AND status IN ('waiting', 'processing') AND due_at <= now()
    ORDER BY due_at, outcome_id LIMIT ${limit}`.execute(tx);
  return rows;
}

/** All waiting events of a target, due or not. */
export async function listWaiting(tx: Tx, profileId: string, targetId: string, limit: number): Promise<WaitingEvent[]> {
  const { rows } = await sql<WaitingEvent>`
    SELECT ${columns} FROM export_events
    WHERE profile_id = ${profileId} AND target_id = ${targetId} AND status = 'waiting' ORDER BY due_at, outcome_id LIMIT ${limit}`.execute(
    tx,
  );
  return rows;
}

/** The result of an event in a batch; a waiting event is due again after `waitSeconds`. */
export interface ExportResult {
  readonly outcomeId: string;
  readonly status: ExportEventStatus;
  readonly reason?: string | undefined;
  readonly ticket?: string | undefined;
  readonly waitSeconds?: number | undefined;
  readonly mostTogether?: number | undefined;
  /** Nothing was sent, so the platform cannot have received it. */
  readonly isUnsent?: boolean | undefined;
}

export async function saveResults(
  tx: Tx,
  profileId: string,
  targetId: string,
  results: readonly ExportResult[],
): Promise<void> {
  if (results.length === 0) return;
  await sql`
    UPDATE export_events e SET status = s.status, reason = s.reason, ticket = s.ticket, most_together = coalesce(s."mostTogether", e.most_together),
      due_at = CASE WHEN s."waitSeconds" IS NULL THEN e.due_at ELSE now() + make_interval(secs => s."waitSeconds") END,
      first_sent_at = CASE WHEN s."isUnsent" THEN NULL ELSE e.first_sent_at END
    FROM jsonb_to_recordset(${JSON.stringify(results)}::jsonb) AS s ("outcomeId" uuid, status text, reason text, ticket text, "waitSeconds" float,
      "mostTogether" int, "isUnsent" boolean)
    WHERE e.profile_id = ${profileId} AND e.target_id = ${targetId} AND e.outcome_id = s."outcomeId"`.execute(tx);
}

/** The export status of an outcome for a target. */
export interface ExportedRecord {
  readonly outcomeId: string;
  readonly status: ExportEventStatus;
  readonly reason: string | null;
  readonly firstSentAt: Date | null;
}

export async function findEvents(
  tx: Tx,
  profileId: string,
  targetId: string,
  ids: readonly string[],
): Promise<ExportedRecord[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<ExportedRecord>`
    SELECT outcome_id AS "outcomeId", status, reason, first_sent_at AS "firstSentAt" FROM export_events
    WHERE profile_id = ${profileId} AND target_id = ${targetId} AND outcome_id = ANY (${[...ids]}::uuid[])`.execute(tx);
  return rows;
}

/** Reopens events of records whose sale changed: they waited for their sale to be matched, or another record was sent instead. */
export async function reopenEvents(tx: Tx, profileId: string, outcomeIds: readonly string[]): Promise<void> {
  if (outcomeIds.length === 0) return;
  await sql`
    UPDATE export_events e SET status = 'waiting', reason = NULL, due_at = n.tick,
      scheduled_at = CASE WHEN e.status = 'withheld' THEN n.tick ELSE e.scheduled_at END
    FROM export_targets t
    CROSS JOIN LATERAL (SELECT date_bin(make_interval(mins => t.every_minutes), now(), 'epoch') + make_interval(mins => t.every_minutes) AS tick) n
    WHERE t.profile_id = ${profileId} AND t.is_enabled AND e.profile_id = t.profile_id AND e.target_id = t.id
      AND e.outcome_id = ANY (${[...outcomeIds]}::uuid[])
      AND ((e.status = 'withheld' AND e.reason IN ('duplicate', 'excluded')) OR (e.status = 'waiting' AND e.reason = 'pending'))`.execute(
    tx,
  );
}

/** From now on the platform may have received them. */
export async function markSending(
  tx: Tx,
  profileId: string,
  targetId: string,
  ids: readonly string[],
  now: Date,
): Promise<void> {
  await sql`
    UPDATE export_events SET first_sent_at = ${now}
    WHERE profile_id = ${profileId} AND target_id = ${targetId} AND outcome_id = ANY (${[...ids]}::uuid[]) AND first_sent_at IS NULL`.execute(
    tx,
  );
}

export interface RunRow {
  readonly id: string;
  readonly connectionId: string;
  readonly channel: string;
  readonly status: ExportRunStatus;
  readonly scheduledAt: Date;
  readonly settledAt: Date | null;
  readonly conversions: number;
  readonly sent: number;
  readonly refused: number;
  readonly withheld: number;
  readonly unknown: number;
}

const runColumns =
  sql.raw(`id, connection_id AS "connectionId", channel, status, scheduled_at AS "scheduledAt", settled_at AS "settledAt", conversions, sent,
  refused, withheld, unknown`);

/** Recounts a run. A run is settled once, when no event of it is open; only then it is returned with settledAt. */
export async function countRun(
  tx: Tx,
  profileId: string,
  run: {
    readonly id: string;
    readonly targetId: string;
    readonly connectionId: string;
    readonly channel: string;
    readonly scheduledAt: Date;
  },
  now: Date,
): Promise<RunRow | undefined> {
  const { rows } = await sql<RunRow>`
    INSERT INTO export_runs AS r (profile_id, id, target_id, connection_id, channel, scheduled_at, status, conversions, sent, refused, withheld, unknown, settled_at)
    SELECT ${profileId}, ${run.id}, ${run.targetId}, ${run.connectionId}, ${run.channel}, ${run.scheduledAt},
      CASE WHEN open > 0 THEN 'running' WHEN refused + unknown > 0 AND sent = 0 THEN 'failed' ELSE 'completed' END,
      total - withheld, sent, refused, withheld, unknown, CASE WHEN open = 0 THEN ${now}::timestamptz END
    FROM (
      SELECT count(*) AS total, count(*) FILTER (WHERE status IN ('waiting', 'processing')) AS open, count(*) FILTER (WHERE status = 'sent') AS sent,
        count(*) FILTER (WHERE status = 'refused') AS refused, count(*) FILTER (WHERE status = 'withheld') AS withheld,
        count(*) FILTER (WHERE status = 'unknown') AS unknown
      FROM export_events WHERE profile_id = ${profileId} AND target_id = ${run.targetId} AND scheduled_at = ${run.scheduledAt}) c
    WHERE total > withheld
    ON CONFLICT (profile_id, target_id, scheduled_at) DO UPDATE SET status = excluded.status, conversions = excluded.conversions, sent = excluded.sent,
      refused = excluded.refused, withheld = excluded.withheld, unknown = excluded.unknown, settled_at = excluded.settled_at
    WHERE r.settled_at IS NULL
    RETURNING ${runColumns}`.execute(tx);
  return rows[0];
}

export async function listRuns(
  tx: Tx,
  profileId: string,
  {
    before,
    status,
    limit,
  }: { readonly before: string | undefined; readonly status: string | undefined; readonly limit: number },
): Promise<(RunRow & { readonly reasons: Record<string, number> })[]> {
  const { rows } = await sql<RunRow & { reasons: Record<string, number> | null }>`
    SELECT ${runColumns}, (
      SELECT jsonb_object_agg(reason, n) FROM (
        SELECT reason, count(*) AS n FROM export_events e
        WHERE e.profile_id = r.profile_id AND e.target_id = r.target_id AND e.scheduled_at = r.scheduled_at AND reason IS NOT NULL GROUP BY reason LIMIT 20) why
    ) AS reasons
    FROM export_runs r
    WHERE profile_id = ${profileId} AND (${before ?? null}::uuid IS NULL OR id < ${before ?? null}::uuid) AND (${status ?? null}::text IS NULL OR status = ${status ?? null})
    ORDER BY id DESC LIMIT ${limit}`.execute(tx);
  return rows.map((row) => ({ ...row, reasons: row.reasons ?? {} }));
}
