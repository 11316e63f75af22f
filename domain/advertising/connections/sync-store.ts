import type { Postgres, Tx, UnboundLedger } from '@tributary/postgres';
import { limits } from '@tributary/vocabulary';
import { type RawBuilder, sql } from 'kysely';
import { getShare, waitAfter } from './schedule.ts';
import type { ConnectionRow, SyncRow } from './store.ts';

/** A connection and the number of its current run. */
export interface Run {
  readonly profileId: string;
  readonly connectionId: string;
  readonly number: string;
}

/** The run was replaced by another one, or the sync was stopped. */
export class RunReplaced extends Error {
  override readonly name = 'RunReplaced';
}

interface ScheduledSync {
  readonly profileId: string;
  /** Not before the current time. */
  readonly dueAt: Date;
  readonly pausedUntil: Date | null;
}

/** Finds the schedule of a sync with the worker's role. Undefined if no sync is scheduled. */
export async function findSync(system: Postgres, connectionId: string, now: Date): Promise<ScheduledSync | undefined> {
  const { rows } = await system.unbound.query(sql<ScheduledSync>`
    SELECT s.profile_id AS "profileId", greatest(s.due_at, ${now}::timestamptz) AS "dueAt", p.until AS "pausedUntil"
    FROM syncs s LEFT JOIN provider_pauses p ON p.channel = s.channel AND p.until > ${now}
    WHERE s.connection_id = ${connectionId} AND s.due_at < 'infinity'`);
  return rows[0];
}

const isRun = ({ profileId, connectionId, number }: Run) =>
  sql`profile_id = ${profileId} AND connection_id = ${connectionId} AND run = ${number}`;

/** Starts a run, or takes over a run whose worker is gone, which can no longer write. */
export async function beginRun(
  tx: Tx,
  profileId: string,
  connectionId: string,
  now: Date,
): Promise<SyncRow | undefined> {
  const { rows } = await sql<SyncRow>`
    UPDATE syncs SET run = run + 1, last_run_at = ${now},
      progress = CASE WHEN state = 'running' THEN progress END,
      rejected_count = CASE WHEN state = 'running' THEN rejected_count ELSE 0 END,
      rejected = CASE WHEN state = 'running' THEN rejected ELSE '[]' END, state = 'running'
    WHERE profile_id = ${profileId} AND connection_id = ${connectionId} RETURNING *`.execute(tx);
  return rows[0];
}

/**
 * Restarts the sync from the first page. Increments the run number, because a run in progress would overwrite the
 * cleared cursor.
 */
export async function restartSync(
  tx: Tx,
  { profile_id, id }: Pick<ConnectionRow, 'profile_id' | 'id'>,
  now: Date,
): Promise<void> {
  await sql`
    UPDATE syncs SET position = NULL, run = run + 1, wishes = wishes + 1, state = CASE WHEN isfinite(due_at) THEN 'queued' ELSE state END,
      due_at = CASE WHEN isfinite(due_at) THEN least(due_at, ${now}) ELSE due_at END
    WHERE profile_id = ${profile_id} AND connection_id = ${id}`.execute(tx);
}

/** Locks the run until the transaction ends; throws if it was replaced. */
export async function lockRun(tx: Tx, run: Run): Promise<void> {
  const { rows } = await sql`SELECT 1 FROM syncs WHERE ${isRun(run)} FOR UPDATE`.execute(tx);
  if (rows.length === 0) throw new RunReplaced();
}

export interface Rejected {
  readonly externalId: string;
  readonly reason: string;
}

/** Stores the cursor, in the transaction that stores the records up to it. */
export async function saveCursor(
  tx: Tx,
  run: Run,
  position: unknown,
  progress: number | undefined,
  rejected: readonly Rejected[],
): Promise<void> {
  const { rejectedShown } = limits.connections;
  const last = rejected.slice(-rejectedShown).map(({ externalId, reason }) => ({ external_id: externalId, reason }));
  const added: RawBuilder<unknown> =
    last.length === 0
      ? sql``
      : sql`, rejected_count = rejected_count + ${rejected.length},
          rejected = (SELECT coalesce(jsonb_agg(one ORDER BY n), '[]') FROM (
            SELECT one, n FROM jsonb_array_elements(rejected || ${JSON.stringify(last)}::jsonb) WITH ORDINALITY AS e (one, n)
            ORDER BY n DESC LIMIT ${rejectedShown}) latest)`;
  await sql`
    UPDATE syncs SET position = ${JSON.stringify(position)}::jsonb, progress = ${progress ?? null}, failures = 0, failing_since = NULL ${added}
    WHERE ${isRun(run)}`.execute(tx);
}

/** Ends a run that read everything. If another run was requested meanwhile, it starts at once. */
export async function endRun(tx: Tx, run: Run, wishes: string, now: Date, nextAt: Date): Promise<void> {
  await sql`
    UPDATE syncs SET last_success_at = ${now}, last_error = NULL, failures = 0, failing_since = NULL, progress = NULL,
      state = CASE WHEN wishes = ${wishes} THEN 'idle' ELSE 'queued' END,
      due_at = CASE WHEN wishes = ${wishes} THEN ${nextAt}::timestamptz ELSE ${now}::timestamptz END
    WHERE ${isRun(run)}`.execute(tx);
}

/** Postpones the rest of a run, which continues at its cursor. */
export async function postponeRun(tx: Tx, run: Run, dueAt: Date): Promise<void> {
  await sql`UPDATE syncs SET due_at = ${dueAt} WHERE ${isRun(run)}`.execute(tx);
}

/** Marks the run as failed with the provider's message. Null: no retry before a member reconnects. */
export async function failRun(tx: Tx, run: Run, says: string, now: Date, dueAt: Date | null): Promise<void> {
  await sql`
    UPDATE syncs SET state = 'failed', failures = failures + 1, failing_since = coalesce(failing_since, ${now}), last_error = ${says.slice(0, limits.connections.errorCharacters)},
      due_at = ${dueAt ?? 'infinity'}::timestamptz
    WHERE ${isRun(run)}`.execute(tx);
}

/** The error that members see if a sync fails by an internal error. */
export const internalError =
  'Tributary could not store what the provider returned: an internal error. Nothing is lost; the sync is retried automatically. If this stays for more than a day, contact the operator of this server.';

/**
 * Marks a sync as failed by an internal error, with the worker's role, and schedules a retry with exponential backoff,
 * at least hourly.
 */
export async function failInternally(tx: Tx, connectionId: string, now: Date): Promise<void> {
  const { rows } = await sql<{ failures: number }>`
    SELECT failures FROM syncs WHERE connection_id = ${connectionId} FOR UPDATE`.execute(tx);
  const failures = (rows[0]?.failures ?? 0) + 1;
  const dueAt = new Date(now.getTime() + waitAfter(failures, undefined, getShare(connectionId)));
  await sql`
    UPDATE syncs SET state = 'failed', failures = ${failures}, failing_since = coalesce(failing_since, ${now}),
      last_error = ${internalError}, due_at = ${dueAt}
    WHERE connection_id = ${connectionId}`.execute(tx);
}

/** Pauses all calls to a provider until a time, after an app-wide rate limit. */
export async function pauseProvider(tx: Tx, channel: string, until: Date): Promise<void> {
  await sql`
    INSERT INTO provider_pauses AS p (channel, until) VALUES (${channel}, ${until})
    ON CONFLICT (channel) DO UPDATE SET until = greatest(p.until, excluded.until)`.execute(tx);
}

/** Reschedules a sync with the worker's role. */
export async function postponeSync(system: Postgres, connectionId: string, dueAt: Date): Promise<void> {
  await system.unbound.query(sql`UPDATE syncs SET due_at = ${dueAt} WHERE connection_id = ${connectionId}`);
}

/**
 * Lists profiles after `after` with a sync that has been failing since before `since`. Reads across profiles, so it
 * needs the system role.
 */
export async function listFailingSyncs(
  ledger: UnboundLedger,
  { after, since, limit }: { readonly after: string; readonly since: Date; readonly limit: number },
): Promise<{ readonly profileId: string; readonly since: Date }[]> {
  const { rows } = await ledger.query(sql<{ profileId: string; since: Date }>`
    SELECT profile_id AS "profileId", min(failing_since) AS since FROM syncs
    WHERE failing_since <= ${since} AND profile_id > ${after}
    GROUP BY profile_id ORDER BY profile_id LIMIT ${limit}`);
  return rows;
}

/** Returns the given profiles with a failing sync. Reads across profiles, so it needs the system role. */
export async function findFailingSyncs(ledger: UnboundLedger, profileIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await ledger.query(sql<{ id: string }>`
    SELECT DISTINCT profile_id AS id FROM syncs
    WHERE profile_id = ANY (${[...profileIds]}::uuid[]) AND failing_since IS NOT NULL`);
  return new Set(rows.map(({ id }) => id));
}

/** Lists the connections of a profile whose first sync has not finished. */
export async function listFirstSyncs(tx: Tx, profileId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT connection_id AS id FROM syncs
    WHERE profile_id = ${profileId} AND last_success_at IS NULL AND state IN ('queued', 'running') AND isfinite(due_at)`.execute(
    tx,
  );
  return rows.map(({ id }) => id);
}
