import type { Postgres, Tx } from '@tributary/postgres';
import { queues } from '@tributary/work';
import { sql } from 'kysely';

/** Every profile whose ads were ever recorded, and that was last scored before a moment, has its turn. Resolves to how many. */
export function markDue(system: Postgres, before: Date): Promise<number> {
  return system.unbound.transaction(async (tx) => {
    const { rows } = await sql<{ profile_id: string }>`
      INSERT INTO score_rebuilds AS s (profile_id, is_due) SELECT profile_id, true FROM profiles_with_ads
      ON CONFLICT (profile_id) DO UPDATE SET is_due = true WHERE s.rebuilt_at < ${before}
      RETURNING profile_id`.execute(tx);
    const ids = rows.map(({ profile_id }) => profile_id);
    await sql`SELECT announce_work(${queues.scores.name}, ${ids}::uuid[])`.execute(tx);
    return ids.length;
  });
}

export async function isDue(tx: Tx, profileId: string): Promise<boolean> {
  const { rows } = await sql`SELECT FROM score_rebuilds WHERE profile_id = ${profileId} AND is_due`.execute(tx);
  return rows.length > 0;
}

export async function setDue(tx: Tx, profileId: string, due: boolean): Promise<void> {
  await sql`UPDATE score_rebuilds SET is_due = ${due} WHERE profile_id = ${profileId}`.execute(tx);
}

export async function markRebuilt(app: Postgres, profileId: string, at: Date): Promise<void> {
  await app.forProfile(profileId).transaction((tx) =>
    sql`
      INSERT INTO score_rebuilds AS s (profile_id, rebuilt_at) VALUES (${profileId}, ${at})
      ON CONFLICT (profile_id) DO UPDATE SET rebuilt_at = greatest(s.rebuilt_at, excluded.rebuilt_at), is_due = false`.execute(
      tx,
    ),
  );
}
