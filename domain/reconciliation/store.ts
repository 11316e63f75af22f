import type { ComparedDay, Comparison, Difference } from '@tributary/domain/attribution';
import type { Postgres, Tx } from '@tributary/postgres';
import type { DifferenceKind } from '@tributary/vocabulary';
import { sql } from 'kysely';

export interface Reconciliation {
  readonly id: string;
  readonly state: 'queued' | 'done' | 'failed';
  readonly isNightly: boolean;
  readonly dateFrom: string;
  readonly dateTo: string;
  readonly requestedAt: Date;
  readonly finishedAt: Date | null;
  readonly found: { readonly currency: string; readonly days: readonly ComparedDay[] } | null;
  readonly differences: number;
  readonly pending: number;
}

const columns = sql.raw(`id, state, is_nightly AS "isNightly", date_from::text AS "dateFrom", date_to::text AS "dateTo",
  requested_at AS "requestedAt", finished_at AS "finishedAt", differences, pending`);

export async function insertReconciliation(
  tx: Tx,
  profileId: string,
  { id, dateFrom, dateTo, now }: { id: string; dateFrom: string; dateTo: string; now: Date },
): Promise<void> {
  await sql`
    INSERT INTO reconciliations (profile_id, id, state, is_nightly, date_from, date_to, requested_at)
    VALUES (${profileId}, ${id}, 'queued', false, ${dateFrom}, ${dateTo}, ${now})`.execute(tx);
}

export async function findReconciliation(tx: Tx, profileId: string, id: string): Promise<Reconciliation | undefined> {
  const { rows } = await sql<Reconciliation>`
    SELECT ${columns}, CASE WHEN finished_at IS NOT NULL AND state = 'done' THEN days END AS found
    FROM reconciliations WHERE profile_id = ${profileId} AND id = ${id}`.execute(tx);
  return rows[0];
}

export interface Place {
  readonly at: Date;
  readonly id: string;
}

export async function listNewest(
  tx: Tx,
  profileId: string,
  before: Place | undefined,
  limit: number,
): Promise<Reconciliation[]> {
  const place = before ? sql`AND (requested_at, id) < (${before.at}::timestamptz, ${before.id}::uuid)` : sql``;
  const { rows } = await sql<Reconciliation>`
    SELECT ${columns}, NULL AS found FROM reconciliations
    WHERE profile_id = ${profileId} ${place} ORDER BY requested_at DESC, id DESC LIMIT ${limit}`.execute(tx);
  return rows;
}

export async function listQueued(tx: Tx, profileId: string, limit: number): Promise<Reconciliation[]> {
  const { rows } = await sql<Reconciliation>`
    SELECT ${columns}, NULL AS found FROM reconciliations
    WHERE profile_id = ${profileId} AND state = 'queued' ORDER BY requested_at LIMIT ${limit}`.execute(tx);
  return rows;
}

export async function setState(tx: Tx, profileId: string, id: string, state: Reconciliation['state']): Promise<void> {
  await sql`UPDATE reconciliations SET state = ${state} WHERE profile_id = ${profileId} AND id = ${id}`.execute(tx);
}

/** Safe to run twice: what was found before is replaced. */
export async function saveComparison(
  tx: Tx,
  profileId: string,
  id: string,
  { currency, days, differences, pending }: Comparison,
  now: Date,
): Promise<void> {
  await sql`DELETE FROM reconciliation_differences WHERE profile_id = ${profileId} AND reconciliation_id = ${id}`.execute(
    tx,
  );
  await insertDifferences(tx, profileId, id, differences);
  const total = days.reduce((sum, day) => sum + day.differences, 0);
  await sql`
    UPDATE reconciliations SET state = 'done', finished_at = ${now}, days = ${JSON.stringify({ currency, days })}::jsonb,
      differences = ${total}, pending = ${pending}
    WHERE profile_id = ${profileId} AND id = ${id}`.execute(tx);
}

async function insertDifferences(tx: Tx, profileId: string, id: string, found: readonly Difference[]): Promise<void> {
  if (found.length === 0) return;
  await sql`
    INSERT INTO reconciliation_differences (profile_id, reconciliation_id, number, kind, subject_id, day, in_ledger, in_columns)
    SELECT ${profileId}, ${id}, f.number, f.kind, f.id, f.day, f."inLedger", f."inColumns"
    FROM jsonb_to_recordset(${JSON.stringify(found.map((one, index) => ({ number: index + 1, ...one })))}::jsonb)
      AS f (number int, kind text, id uuid, day date, "inLedger" numeric, "inColumns" numeric)`.execute(tx);
}

export interface FoundDifference extends Difference {
  readonly number: number;
}

export async function listFound(
  tx: Tx,
  profileId: string,
  id: string,
  after: number,
  limit: number,
): Promise<FoundDifference[]> {
  const { rows } = await sql<FoundDifference>`
    SELECT number, kind, subject_id AS id, day::text AS day, in_ledger::text AS "inLedger", in_columns::text AS "inColumns"
    FROM reconciliation_differences
    WHERE profile_id = ${profileId} AND reconciliation_id = ${id} AND number > ${after} ORDER BY number LIMIT ${limit}`.execute(
    tx,
  );
  return rows;
}

export async function listSubjects(
  tx: Tx,
  profileId: string,
  id: string,
  kinds: readonly DifferenceKind[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT subject_id AS id FROM reconciliation_differences
    WHERE profile_id = ${profileId} AND reconciliation_id = ${id} AND kind = ANY (${[...kinds]}::text[])`.execute(tx);
  return rows.map((row) => row.id);
}

/** One for each profile, unless this night has one already. Resolves to how many. */
export async function queueAll(system: Postgres, firstDay: string, lastDay: string, now: Date): Promise<number> {
  const { rows } = await system.unbound.query(
    sql<{ queued: string }>`SELECT queue_reconciliations(${firstDay}, ${lastDay}, ${now}) AS queued`,
  );
  return Number(rows[0]?.queued ?? 0);
}
