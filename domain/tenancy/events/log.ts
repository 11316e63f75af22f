import type { LiveEventName } from '@tributary/contract';
import type { Tx } from '@tributary/postgres';
import { hourMs } from '@tributary/vocabulary';
import { sql } from 'kysely';

export interface LoggedEvent {
  /** A bigint, as text. */
  readonly sequence: string;
  readonly id: string;
  readonly type: LiveEventName;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly occurredAt: Date;
}

/** Retention is counted from this long after an event was numbered, so that prompt deliveries do not have to extend it. */
export const promptMs = hourMs;

const columns = sql`sequence, id, type, payload, occurred_at AS "occurredAt"`;

/** An event type, and the sequence number after which to read it. */
export interface EventPosition {
  readonly type: string;
  readonly after: string;
}

/** The next events of the given types. Reads each type by index range, so that rare types need no scan. */
export async function listEventsAfter(
  tx: Tx,
  profileId: string,
  positions: readonly EventPosition[],
  limit: number,
): Promise<LoggedEvent[]> {
  const { rows } = await sql<LoggedEvent>`
    SELECT e.* FROM unnest(${positions.map(({ type }) => type)}::text[], ${positions.map(({ after }) => after)}::bigint[]) AS w (type, after), LATERAL (
      SELECT ${columns} FROM event_log
      WHERE profile_id = ${profileId} AND type = w.type AND sequence > w.after ORDER BY sequence LIMIT ${limit}) e
    ORDER BY e.sequence LIMIT ${limit}`.execute(tx);
  return rows;
}

/** Finds events by sequence number. Expired events are missing from the result. */
export async function findEvents(
  tx: Tx,
  profileId: string,
  sequences: readonly string[],
): Promise<Map<string, LoggedEvent>> {
  if (sequences.length === 0) return new Map();
  const { rows } = await sql<LoggedEvent>`
    SELECT ${columns} FROM event_log WHERE profile_id = ${profileId} AND sequence = ANY (${[...sequences]}::bigint[])`.execute(
    tx,
  );
  return new Map(rows.map((row) => [row.sequence, row]));
}

/** The sequence number of the profile's newest event; "0" if it has none. */
export async function lastSequence(tx: Tx, profileId: string): Promise<string> {
  const { rows } = await sql<{ last: string }>`
    SELECT coalesce(max(sequence), 0)::text AS last FROM event_log WHERE profile_id = ${profileId}`.execute(tx);
  return rows[0]?.last ?? '0';
}

/** Restarts the retention of delivered events at `now`, unless it already starts later. */
export async function prolongEvents(tx: Tx, profileId: string, sequences: readonly string[], now: Date): Promise<void> {
  if (sequences.length === 0) return;
  await sql`
    UPDATE event_log SET kept_from = ${now}
    WHERE profile_id = ${profileId} AND sequence = ANY (${[...sequences]}::bigint[]) AND kept_from < ${now}`.execute(
    tx,
  );
}
