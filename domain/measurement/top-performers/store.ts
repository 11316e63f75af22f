import type { ScoreWindow } from '@tributary/contract';
import type { Exclusion } from '@tributary/domain/measurement/reports';
import type { Postgres, Tx } from '@tributary/postgres';
import { queues } from '@tributary/work';
import { sql } from 'kysely';

/** Marks every profile with ads that was last scored before the given moment. Returns their number. */
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

/** The days and currency of a window's scores. */
export interface RebuiltWindow {
  readonly firstDay: string;
  readonly lastDay: string;
  /** The currency of all amounts. */
  readonly currency: string;
  readonly exclusions: readonly Exclusion[];
}

/** The last rebuild of a window, if any. Its window is null if it was stored by an earlier version. */
export async function findRebuild(
  tx: Tx,
  profileId: string,
  window: ScoreWindow,
): Promise<{ readonly at: Date; readonly window: RebuiltWindow | null } | undefined> {
  const { rows } = await sql<{ at: Date; window: RebuiltWindow | null }>`
    SELECT rebuilt_at AS at, windows -> ${window}::text AS window FROM score_rebuilds
    WHERE profile_id = ${profileId} AND rebuilt_at IS NOT NULL`.execute(tx);
  return rows[0];
}

export async function markRebuilt(
  app: Postgres,
  profileId: string,
  at: Date,
  windows: Readonly<Record<string, RebuiltWindow>>,
): Promise<void> {
  await app.forProfile(profileId).transaction((tx) =>
    sql`
      INSERT INTO score_rebuilds AS s (profile_id, rebuilt_at, windows) VALUES (${profileId}, ${at}, ${JSON.stringify(windows)}::jsonb)
      ON CONFLICT (profile_id) DO UPDATE SET
        rebuilt_at = greatest(s.rebuilt_at, excluded.rebuilt_at),
        windows = CASE WHEN s.rebuilt_at > excluded.rebuilt_at THEN s.windows ELSE excluded.windows END,
        is_due = false`.execute(tx),
  );
}
