import { randomBytes } from 'node:crypto';
import { isUuidInAnyCase } from '@tributary/vocabulary';
import type pg from 'pg';

/** One profile of a walk. The statement gets the ids as `$1`. */
export interface WalkItem {
  readonly profileId: string;
  readonly ids: readonly string[];
}

/**
 * Runs one statement for many profiles in a single round trip, each time in the scope of one profile; two profiles are never visible
 * together. All runs see the same state of the data, and writes are rejected. The statement uses `current_profile()` for the profile. It is
 * planned once, because planning it per profile would dominate the cost. Resolves to each profile's rows.
 */
export async function walkProfiles<Row>(
  pool: pg.Pool,
  statement: string,
  stops: readonly WalkItem[],
  isShard = false,
): Promise<Map<string, Row[]>> {
  if (stops.length === 0) return new Map();
  // A unique name: behind a connection pooler, another client may get a connection on which a failed walk left its statement prepared.
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
    // The connection is in the middle of a transaction and has an unknown prepared statement, so it is discarded.
    client.release(error as Error);
    throw error;
  }
}

function uuid(text: string): string {
  if (!isUuidInAnyCase(text)) throw new TypeError('A walk is of UUIDs and nothing else.');
  return text;
}
