import type { Postgres } from '@tributary/postgres';
import { nilUuid } from '@tributary/vocabulary';
import { sql } from 'kysely';
import { recordFreshness } from './freshness.ts';
import { lateSince } from './read-freshness.ts';

const profilesAtOnce = 100;

/**
 * Publishes freshness changes that no worker noticed: profiles that fell behind while a worker or ClickHouse was down, and profiles with
 * nothing left to process. Returns the number of profiles checked.
 */
export async function sweepFreshness(app: Postgres, system: Postgres, now: Date, signal: AbortSignal): Promise<number> {
  const late = await listLateAttribution(system, lateSince(now), signal);
  for (const profileId of late)
    await app.forProfile(profileId).transaction((tx) => recordFreshness(tx, profileId, 'behind', now));
  const behind = await listAllPages(
    system,
    signal,
    (after) =>
      sql<{ id: string }>`
      SELECT f.profile_id AS id FROM attribution_freshness f
      WHERE f.state = 'behind' AND f.profile_id > ${after}
        AND NOT EXISTS (SELECT FROM dirty_conversions d WHERE d.profile_id = f.profile_id)
      ORDER BY f.profile_id LIMIT ${profilesAtOnce}`,
  );
  for (const profileId of behind) {
    await app.forProfile(profileId).transaction(async (tx) => {
      const { rows } = await sql`
        SELECT FROM attribution_replays WHERE profile_id = ${profileId} AND state = 'running' LIMIT 1`.execute(tx);
      if (rows.length === 0) await recordFreshness(tx, profileId, 'current', now);
    });
  }
  return late.length + behind.length;
}

/** Profiles with a conversion that has waited for attribution since before the given moment. */
export const listLateAttribution = (system: Postgres, since: Date, signal: AbortSignal): Promise<string[]> =>
  listAllPages(
    system,
    signal,
    (after) => sql<{ id: string }>`SELECT list_waiting_attribution(${after}, ${since}, ${profilesAtOnce}) AS id`,
  );

/** Pages through a query, sorted by id. */
async function listAllPages(
  system: Postgres,
  signal: AbortSignal,
  pageQuery: (after: string) => ReturnType<typeof sql<{ id: string }>>,
): Promise<string[]> {
  const ids: string[] = [];
  for (let after: string = nilUuid; !signal.aborted; ) {
    const { rows } = await system.unbound.query(pageQuery(after));
    ids.push(...rows.map(({ id }) => id));
    const last = rows.at(-1);
    if (!last || rows.length < profilesAtOnce) break;
    after = last.id;
  }
  return ids;
}
