import type { Postgres, Tx } from '@tributary/postgres';
import type { DifferenceKind, DifferenceState, ReconciledBook, ReconciliationState } from '@tributary/vocabulary';
import { sql } from 'kysely';
import type { BookOfDay, Finding, Unread } from './compared.ts';
import type { SourceOfDay } from './sum-sources.ts';

export interface Reconciliation {
  readonly id: string;
  readonly state: ReconciliationState;
  readonly isNightly: boolean;
  readonly dateFrom: string;
  readonly dateTo: string;
  readonly requestedAt: Date;
  readonly finishedAt: Date | null;
  readonly books: readonly ReconciledBook[];
  readonly unread: readonly Unread[];
  readonly found: {
    readonly currency: string;
    readonly books: readonly BookOfDay[];
    /** Missing in runs of earlier versions. */
    readonly sources?: readonly SourceOfDay[];
  } | null;
  readonly differences: number;
  readonly pending: number;
}

const columns = sql.raw(`id, state, is_nightly AS "isNightly", date_from::text AS "dateFrom", date_to::text AS "dateTo",
  requested_at AS "requestedAt", finished_at AS "finishedAt", books, unread, differences, pending`);

export async function insertReconciliation(
  tx: Tx,
  profileId: string,
  {
    id,
    dateFrom,
    dateTo,
    books,
    now,
  }: { id: string; dateFrom: string; dateTo: string; books: readonly ReconciledBook[]; now: Date },
): Promise<void> {
  await sql`
    INSERT INTO reconciliations (profile_id, id, state, is_nightly, date_from, date_to, books, requested_at)
    VALUES (${profileId}, ${id}, 'queued', false, ${dateFrom}, ${dateTo}, ${[...books]}::text[], ${now})`.execute(tx);
}

export async function findReconciliation(tx: Tx, profileId: string, id: string): Promise<Reconciliation | undefined> {
  const { rows } = await sql<Reconciliation>`
    SELECT ${columns}, CASE WHEN finished_at IS NOT NULL AND state = 'done' THEN days END AS found
    FROM reconciliations WHERE profile_id = ${profileId} AND id = ${id}`.execute(tx);
  return rows[0];
}

export interface Position {
  readonly at: Date;
  readonly id: string;
}

export async function listNewest(
  tx: Tx,
  profileId: string,
  before: Position | undefined,
  limit: number,
): Promise<Reconciliation[]> {
  const afterPosition = before ? sql`AND (requested_at, id) < (${before.at}::timestamptz, ${before.id}::uuid)` : sql``;
  const { rows } = await sql<Reconciliation>`
    SELECT ${columns}, NULL AS found FROM reconciliations
    WHERE profile_id = ${profileId} ${afterPosition} ORDER BY requested_at DESC, id DESC LIMIT ${limit}`.execute(tx);
  return rows;
}

export async function listQueued(tx: Tx, profileId: string, limit: number): Promise<Reconciliation[]> {
  const { rows } = await sql<Reconciliation>`
    SELECT ${columns}, NULL AS found FROM reconciliations
    WHERE profile_id = ${profileId} AND state = 'queued' ORDER BY requested_at LIMIT ${limit}`.execute(tx);
  return rows;
}

/** Counts requested runs only; nightly runs do not count against the limit. */
export async function countQueued(tx: Tx, profileId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM reconciliations
    WHERE profile_id = ${profileId} AND state = 'queued' AND NOT is_nightly`.execute(tx);
  return rows[0]?.count ?? 0;
}

export async function setState(tx: Tx, profileId: string, id: string, state: Reconciliation['state']): Promise<void> {
  await sql`UPDATE reconciliations SET state = ${state} WHERE profile_id = ${profileId} AND id = ${id}`.execute(tx);
}

export interface Found {
  readonly currency: string;
  readonly books: readonly BookOfDay[];
  readonly findings: readonly StatedFinding[];
  readonly unread: readonly Unread[];
  readonly sources: readonly SourceOfDay[];
}

/** A finding with its state. */
export interface StatedFinding extends Finding {
  readonly state: DifferenceState;
  readonly note?: string;
}

/** Safe to run twice: replaces earlier findings of the run. */
export async function saveFound(
  tx: Tx,
  profileId: string,
  id: string,
  { currency, books, findings, unread, sources }: Found,
  now: Date,
): Promise<void> {
  await sql`DELETE FROM reconciliation_differences WHERE profile_id = ${profileId} AND reconciliation_id = ${id}`.execute(
    tx,
  );
  await insertFindings(tx, profileId, id, findings);
  const sum = (of: 'differences' | 'pending') => books.reduce((total, day) => total + day[of], 0);
  await sql`
    UPDATE reconciliations SET state = 'done', finished_at = ${now}, days = ${JSON.stringify({ currency, books, sources })}::jsonb,
      unread = ${JSON.stringify(unread)}::jsonb, differences = ${sum('differences')}, pending = ${sum('pending')}
    WHERE profile_id = ${profileId} AND id = ${id}`.execute(tx);
}

async function insertFindings(tx: Tx, profileId: string, id: string, found: readonly StatedFinding[]): Promise<void> {
  if (found.length === 0) return;
  const numbered = found.map((one, index) => ({ number: index + 1, ...one }));
  await sql`
    INSERT INTO reconciliation_differences (profile_id, reconciliation_id, number, book, kind, state, note, subject_id, day, currency, channel,
      connection_id, external_id, level, model, at_provider, in_ledger, in_columns, in_reports)
    SELECT ${profileId}, ${id}, f.number, f.book, f.kind, f.state, f.note, f."conversionId", f.day, f.currency, f.channel,
      f."connectionId", f."externalId", f.level, f.model, f."atProvider", f."inLedger", f."inColumns", f."inReports"
    FROM jsonb_to_recordset(${JSON.stringify(numbered)}::jsonb)
      AS f (number int, book text, kind text, state text, note text, "conversionId" uuid, day date, currency text, channel text, "connectionId" uuid,
        "externalId" text, level text, model text, "atProvider" numeric, "inLedger" numeric, "inColumns" numeric, "inReports" numeric)`.execute(
    tx,
  );
}

export interface FoundDifference {
  readonly number: number;
  readonly book: ReconciledBook;
  readonly kind: DifferenceKind;
  readonly state: DifferenceState;
  readonly note: string | null;
  readonly id: string | null;
  readonly day: string;
  readonly currency: string | null;
  readonly channel: string | null;
  readonly connectionId: string | null;
  readonly externalId: string | null;
  readonly level: string | null;
  readonly model: string | null;
  readonly atProvider: string | null;
  readonly inLedger: string | null;
  readonly inColumns: string | null;
  readonly inReports: string | null;
}

const shown =
  sql.raw(`number, book, kind, state, note, subject_id AS id, day::text AS day, currency, channel, connection_id AS "connectionId",
  external_id AS "externalId", level, model, at_provider::text AS "atProvider", in_ledger::text AS "inLedger", in_columns::text AS "inColumns",
  in_reports::text AS "inReports"`);

export async function listFound(
  tx: Tx,
  profileId: string,
  id: string,
  after: number,
  limit: number,
): Promise<FoundDifference[]> {
  const { rows } = await sql<FoundDifference>`
    SELECT ${shown} FROM reconciliation_differences
    WHERE profile_id = ${profileId} AND reconciliation_id = ${id} AND number > ${after} AND state <> 'pending'
    ORDER BY number LIMIT ${limit}`.execute(tx);
  return rows;
}

/** Open differences of some kinds. */
export async function listOpen(
  tx: Tx,
  profileId: string,
  id: string,
  kinds: readonly DifferenceKind[],
): Promise<FoundDifference[]> {
  const { rows } = await sql<FoundDifference>`
    SELECT ${shown} FROM reconciliation_differences
    WHERE profile_id = ${profileId} AND reconciliation_id = ${id} AND kind = ANY (${[...kinds]}::text[]) AND state = 'open'
    ORDER BY number`.execute(tx);
  return rows;
}

/** The most recent explained differences. */
export async function listExplained(tx: Tx, profileId: string, limit: number): Promise<FoundDifference[]> {
  const { rows } = await sql<FoundDifference>`
    SELECT ${shown} FROM reconciliation_differences
    WHERE profile_id = ${profileId} AND state = 'explained' ORDER BY reconciliation_id DESC, number LIMIT ${limit}`.execute(
    tx,
  );
  return rows;
}

/** Undefined if the difference does not exist or is only pending. */
export async function saveExplained(
  tx: Tx,
  profileId: string,
  id: string,
  number: number,
  note: string,
): Promise<FoundDifference | undefined> {
  const { rows } = await sql<FoundDifference & { was: string }>`
    WITH before AS (
      SELECT state AS was FROM reconciliation_differences
      WHERE profile_id = ${profileId} AND reconciliation_id = ${id} AND number = ${number} AND state <> 'pending' FOR UPDATE)
    UPDATE reconciliation_differences SET state = 'explained', note = ${note} FROM before
    WHERE profile_id = ${profileId} AND reconciliation_id = ${id} AND number = ${number} AND state <> 'pending'
    RETURNING ${shown}, was`.execute(tx);
  const [row] = rows;
  if (row?.was === 'open')
    await sql`UPDATE reconciliations SET differences = differences - 1 WHERE profile_id = ${profileId} AND id = ${id}`.execute(
      tx,
    );
  return row;
}

/** Whether an earlier run read the same figure from the ad account. */
export async function wasReportedBefore(
  tx: Tx,
  profileId: string,
  { channel, day, currency, atProvider }: { channel: string; day: string; currency: string; atProvider: string },
  before: Date,
): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM reconciliation_differences d
    JOIN reconciliations r ON r.profile_id = d.profile_id AND r.id = d.reconciliation_id
    WHERE d.profile_id = ${profileId} AND d.book = 'ad_accounts' AND d.day = ${day} AND d.channel = ${channel} AND d.currency = ${currency}
      AND d.at_provider = ${atProvider}::numeric AND r.finished_at <= ${before} LIMIT 1`.execute(tx);
  return rows.length > 0;
}

/** Queues one run per profile unless this night has one already. Returns the number of runs. */
export async function queueAll(
  system: Postgres,
  { firstDay, lastDay, books }: { firstDay: string; lastDay: string; books: readonly ReconciledBook[] },
  now: Date,
): Promise<number> {
  const { rows } = await system.unbound.query(
    sql<{
      queued: string;
    }>`SELECT queue_reconciliations(${firstDay}, ${lastDay}, ${[...books]}::text[], ${now}) AS queued`,
  );
  return Number(rows[0]?.queued ?? 0);
}

/** Differences of the latest nightly runs by kind, for the metric. */
export async function countDifferences(system: Postgres, since: Date): Promise<Map<string, number>> {
  const { rows } = await system.unbound.query(
    sql<{ kind: string; differences: string }>`SELECT kind, differences FROM count_differences(${since})`,
  );
  return new Map(rows.map(({ kind, differences }) => [kind, Number(differences)]));
}
