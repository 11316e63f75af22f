import type { Postgres, Tx, UnboundLedger } from '@tributary/postgres';
import { limits } from '@tributary/vocabulary';
import { type RawBuilder, sql } from 'kysely';
import { shareOf, waitAfter } from './schedule.ts';
import type { ConnectionRow, SyncRow } from './store.ts';

/** Which connection is read, by which run. */
export interface Run {
  readonly profileId: string;
  readonly connectionId: string;
  readonly number: string;
}

/** Somebody else reads the connection now, or nobody shall any more. */
export class RunReplaced extends Error {
  override readonly name = 'RunReplaced';
}

interface ScheduledSync {
  readonly profileId: string;
  /** At least now. */
  readonly dueAt: Date;
  readonly pausedUntil: Date | null;
}

/** As the role that works the queues. Undefined if no sync is scheduled. */
export async function findSync(system: Postgres, connectionId: string, now: Date): Promise<ScheduledSync | undefined> {
  const { rows } = await system.unbound.query(sql<ScheduledSync>`
    SELECT s.profile_id AS "profileId", greatest(s.due_at, ${now}::timestamptz) AS "dueAt", p.until AS "pausedUntil"
    FROM syncs s LEFT JOIN provider_pauses p ON p.channel = s.channel AND p.until > ${now}
    WHERE s.connection_id = ${connectionId} AND s.due_at < 'infinity'`);
  return rows[0];
}

const ofRun = ({ profileId, connectionId, number }: Run) =>
  sql`profile_id = ${profileId} AND connection_id = ${connectionId} AND run = ${number}`;

/** Begins a run, or goes on with one whose worker is gone: from here on, that one can write no more. */
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

/** From the first page again. A run that is under way can write no more, or it would put its own place over the beginning. */
export async function startOver(
  tx: Tx,
  { profile_id, id }: Pick<ConnectionRow, 'profile_id' | 'id'>,
  now: Date,
): Promise<void> {
  await sql`
    UPDATE syncs SET position = NULL, run = run + 1, wishes = wishes + 1, state = CASE WHEN isfinite(due_at) THEN 'queued' ELSE state END,
      due_at = CASE WHEN isfinite(due_at) THEN least(due_at, ${now}) ELSE due_at END
    WHERE profile_id = ${profile_id} AND connection_id = ${id}`.execute(tx);
}

/** The run is ours until the transaction ends, or it fails. */
export async function holdRun(tx: Tx, run: Run): Promise<void> {
  const { rows } = await sql`SELECT 1 FROM syncs WHERE ${ofRun(run)} FOR UPDATE`.execute(tx);
  if (rows.length === 0) throw new RunReplaced();
}

export interface Rejected {
  readonly externalId: string;
  readonly reason: string;
}

/** Where to go on, in the transaction that keeps what was said until there. */
export async function savePosition(
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
            ORDER BY n DESC LIMIT ${rejectedShown}) kept)`;
  await sql`
    UPDATE syncs SET position = ${JSON.stringify(position)}::jsonb, progress = ${progress ?? null}, failures = 0, failing_since = NULL ${added}
    WHERE ${ofRun(run)}`.execute(tx);
}

/** All was read. Whoever asked for another run meanwhile gets it at once. */
export async function endRun(tx: Tx, run: Run, wishes: string, now: Date, nextAt: Date): Promise<void> {
  await sql`
    UPDATE syncs SET last_success_at = ${now}, last_error = NULL, failures = 0, failing_since = NULL, progress = NULL,
      state = CASE WHEN wishes = ${wishes} THEN 'idle' ELSE 'queued' END,
      due_at = CASE WHEN wishes = ${wishes} THEN ${nextAt}::timestamptz ELSE ${now}::timestamptz END
    WHERE ${ofRun(run)}`.execute(tx);
}

/** Not all was read: it goes on at that time, from where it was. */
export async function putOff(tx: Tx, run: Run, dueAt: Date): Promise<void> {
  await sql`UPDATE syncs SET due_at = ${dueAt} WHERE ${ofRun(run)}`.execute(tx);
}

/** It failed, with the provider's own words. Null: nothing is read before a member connects again. */
export async function failRun(tx: Tx, run: Run, says: string, now: Date, dueAt: Date | null): Promise<void> {
  await sql`
    UPDATE syncs SET state = 'failed', failures = failures + 1, failing_since = coalesce(failing_since, ${now}), last_error = ${says.slice(0, limits.connections.errorCharacters)},
      due_at = ${dueAt ?? 'infinity'}::timestamptz
    WHERE ${ofRun(run)}`.execute(tx);
}

/** What a member reads of a sync that failed by an internal error. */
export const internalError =
  'Tributary could not store what the provider returned: an internal error. Nothing is lost; the sync is retried automatically. If this stays for more than a day, contact the operator of this server.';

/** As the role that works the queues: the sync failed by an internal error and is retried with exponential backoff, at least hourly. */
export async function failInternally(tx: Tx, connectionId: string, now: Date): Promise<void> {
  const { rows } = await sql<{ failures: number }>`
    SELECT failures FROM syncs WHERE connection_id = ${connectionId} FOR UPDATE`.execute(tx);
  const failures = (rows[0]?.failures ?? 0) + 1;
  const dueAt = new Date(now.getTime() + waitAfter(failures, undefined, shareOf(connectionId)));
  await sql`
    UPDATE syncs SET state = 'failed', failures = ${failures}, failing_since = coalesce(failing_since, ${now}),
      last_error = ${internalError}, due_at = ${dueAt}
    WHERE connection_id = ${connectionId}`.execute(tx);
}

/** A limit of the app was met: nobody asks this provider before then. */
export async function pauseProvider(tx: Tx, channel: string, until: Date): Promise<void> {
  await sql`
    INSERT INTO provider_pauses AS p (channel, until) VALUES (${channel}, ${until})
    ON CONFLICT (channel) DO UPDATE SET until = greatest(p.until, excluded.until)`.execute(tx);
}

/** As the role that works the queues: the sync is due again at that time. */
export async function putOffSync(system: Postgres, connectionId: string, dueAt: Date): Promise<void> {
  await system.unbound.query(sql`UPDATE syncs SET due_at = ${dueAt} WHERE connection_id = ${connectionId}`);
}

/** Profiles after `after` with a sync that has been failing since before `since`, and since when. As the system. */
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

/** Of these profiles those with a sync that fails. As the system. */
export async function findFailingSyncs(ledger: UnboundLedger, profileIds: readonly string[]): Promise<Set<string>> {
  const { rows } = await ledger.query(sql<{ id: string }>`
    SELECT DISTINCT profile_id AS id FROM syncs
    WHERE profile_id = ANY (${[...profileIds]}::uuid[]) AND failing_since IS NOT NULL`);
  return new Set(rows.map(({ id }) => id));
}

/** Connections of a profile that are read for the first time, and not all of it is there yet. */
export async function listFirstSyncs(tx: Tx, profileId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT connection_id AS id FROM syncs
    WHERE profile_id = ${profileId} AND last_success_at IS NULL AND state IN ('queued', 'running') AND isfinite(due_at)`.execute(
    tx,
  );
  return rows.map(({ id }) => id);
}
