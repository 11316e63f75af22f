import type { LiveEventName } from '@tributary/contract';
import type { Tx } from '@tributary/postgres';
import { hourMs } from '@tributary/vocabulary';
import { sql } from 'kysely';

/** The numbered events of a profile, for those who follow. */

export interface LoggedEvent {
  /** A bigint, as text. */
  readonly sequence: string;
  readonly id: string;
  readonly type: LiveEventName;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly occurredAt: Date;
}

/** A delivery within this time after an event was numbered does not prolong its life, which is counted from the end of it. */
export const promptMs = hourMs;

const columns = sql`sequence, id, type, payload, occurred_at AS "occurredAt"`;

/** A type of event, and the number after which it is wanted. */
export interface Wanted {
  readonly type: string;
  readonly after: string;
}

/** The next events of some types. Each type is read along its own index, however rare it is. */
export async function listEventsAfter(
  tx: Tx,
  profileId: string,
  wanted: readonly Wanted[],
  limit: number,
): Promise<LoggedEvent[]> {
  const { rows } = await sql<LoggedEvent>`
    SELECT e.* FROM unnest(${wanted.map(({ type }) => type)}::text[], ${wanted.map(({ after }) => after)}::bigint[]) AS w (type, after), LATERAL (
      SELECT ${columns} FROM event_log
      WHERE profile_id = ${profileId} AND type = w.type AND sequence > w.after ORDER BY sequence LIMIT ${limit}) e
    ORDER BY e.sequence LIMIT ${limit}`.execute(tx);
  return rows;
}

/** By their numbers; those that are no longer kept are missing. */
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

/** The number of the newest event of a profile; "0" before the first. */
export async function lastSequence(tx: Tx, profileId: string): Promise<string> {
  const { rows } = await sql<{ last: string }>`
    SELECT coalesce(max(sequence), 0)::text AS last FROM event_log WHERE profile_id = ${profileId}`.execute(tx);
  return rows[0]?.last ?? '0';
}

/** These were delivered: they are kept from now on, where that is later. */
export async function prolongEvents(tx: Tx, profileId: string, sequences: readonly string[], now: Date): Promise<void> {
  if (sequences.length === 0) return;
  await sql`
    UPDATE event_log SET kept_from = ${now}
    WHERE profile_id = ${profileId} AND sequence = ANY (${[...sequences]}::bigint[]) AND kept_from < ${now}`.execute(
    tx,
  );
}
