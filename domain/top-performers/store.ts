import type { Postgres } from '@tributary/postgres';
import { sql } from 'kysely';

/** Every profile that something of ads was ever copied for has its turn. */
export async function listProfiles(system: Postgres): Promise<void> {
  await system.unbound.query(sql`
    INSERT INTO score_rebuilds (profile_id) SELECT profile_id FROM delivery_copies ON CONFLICT DO NOTHING`);
}

/** A profile that was last rebuilt before a moment, the one that waited longest first; nobody else gets it until `until`. */
export async function claimProfile(
  system: Postgres,
  before: Date,
  now: Date,
  until: Date,
): Promise<string | undefined> {
  const { rows } = await system.unbound.query(sql<{ profile_id: string }>`
    UPDATE score_rebuilds SET taken_until = ${until} WHERE profile_id = (
      SELECT profile_id FROM score_rebuilds WHERE rebuilt_at < ${before} AND taken_until <= ${now}
      ORDER BY rebuilt_at, profile_id LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING profile_id`);
  return rows[0]?.profile_id;
}

export async function markRebuilt(app: Postgres, profileId: string, at: Date): Promise<void> {
  await app.forProfile(profileId).transaction((tx) =>
    sql`
      INSERT INTO score_rebuilds (profile_id, rebuilt_at) VALUES (${profileId}, ${at})
      ON CONFLICT (profile_id) DO UPDATE SET rebuilt_at = greatest(score_rebuilds.rebuilt_at, excluded.rebuilt_at)`.execute(
      tx,
    ),
  );
}
