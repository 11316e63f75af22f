import type { Tx } from '@tributary/postgres';
import { limits } from '@tributary/vocabulary';
import { sql } from 'kysely';

export interface ReceivedRow {
  readonly eventName: string;
  readonly eventType: string;
  readonly count: number;
  readonly lastAt: Date;
}

const { names, counted } = limits.receivedEvents;

/**
 * The event names that a profile received since `since`, with counts. Skips through the index from name to name, and caps the number of names and
 * the count of each, because names are free text and outcomes are many.
 */
export async function readReceivedEvents(tx: Tx, profileId: string, since: Date): Promise<ReceivedRow[]> {
  const { rows } = await sql<ReceivedRow>`
    WITH RECURSIVE names AS (
      SELECT 1 AS nth, (SELECT min(event_key) FROM outcomes WHERE profile_id = ${profileId}) AS event_key
      UNION ALL
      SELECT nth + 1, (SELECT min(o.event_key) FROM outcomes o WHERE o.profile_id = ${profileId} AND o.event_key > names.event_key)
      FROM names WHERE event_key IS NOT NULL AND nth < ${names}
    )
    SELECT latest.event_name AS "eventName", latest.event_type AS "eventType", latest.occurred_at AS "lastAt", received.count
    FROM names
    CROSS JOIN LATERAL (
      SELECT event_name, event_type, occurred_at FROM outcomes o
      WHERE o.profile_id = ${profileId} AND o.event_key = names.event_key AND o.occurred_at >= ${since} AND o.uncounted IS NULL
      ORDER BY occurred_at DESC, id DESC LIMIT 1) latest
    CROSS JOIN LATERAL (
      SELECT count(*)::int AS count FROM (
        SELECT FROM outcomes o
        WHERE o.profile_id = ${profileId} AND o.event_key = names.event_key AND o.occurred_at >= ${since} AND o.uncounted IS NULL
        LIMIT ${counted}) AS capped) received`.execute(tx);
  return rows;
}
