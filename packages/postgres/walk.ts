import { randomBytes } from 'node:crypto';
import { isUuidInAnyCase } from '@tributary/vocabulary';
import type pg from 'pg';

/** One profile of a walk, with ids that the statement gets as `$1`. */
export interface Stop {
  readonly profileId: string;
  readonly ids: readonly string[];
}

/**
 * One statement for many profiles, behind the wall of each in turn: at no moment are two profiles to be seen. All see the same state of the
 * data, nothing can be written, and it is one round trip. The statement says `current_profile()` where it means the profile; it is planned
 * once, because planning it for each would cost more than all else. Resolves to each profile's rows.
 */
export async function walkProfiles<Row>(
  pool: pg.Pool,
  statement: string,
  stops: readonly Stop[],
  isShard = false,
): Promise<Map<string, Row[]>> {
  if (stops.length === 0) return new Map();
  // With a name of its own: behind a pooler of connections, one that failed half-way may be somebody else's next.
  const name = `walk_${randomBytes(6).toString('hex')}`;
  const visits = stops.map(
    ({ profileId, ids }) =>
      `SET LOCAL app.profile_id = '${uuid(profileId)}'; ${isShard ? `CALL refuse_moved('${profileId}'); ` : ''}EXECUTE ${name} ('{${ids.map(uuid).join()}}');`,
  );
  const client = await pool.connect();
  try {
    const results = (await client.query(
      `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL plan_cache_mode = force_generic_plan;
      PREPARE ${name} (uuid[]) AS ${statement};
      ${visits.join('\n')}
      DEALLOCATE ${name}; COMMIT`,
    )) as unknown as pg.QueryResult[];
    client.release();
    const rows = results.filter(({ command }) => command === 'SELECT').map((result) => result.rows as Row[]);
    return new Map(stops.map(({ profileId }, index) => [profileId, rows[index] ?? []]));
  } catch (error) {
    // Half-way through a transaction, and with a statement that nobody knows of.
    client.release(error as Error);
    throw error;
  }
}

function uuid(text: string): string {
  if (!isUuidInAnyCase(text)) throw new TypeError('A walk is of UUIDs and nothing else.');
  return text;
}
