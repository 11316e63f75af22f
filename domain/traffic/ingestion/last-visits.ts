import type { UnboundLedger } from '@tributary/postgres';
import { limits } from '@tributary/vocabulary';
import { sql } from 'kysely';

/** The time of a profile's last visit. */
export interface LastVisit {
  readonly profileId: string;
  readonly at: Date;
}

export async function saveLastVisits(
  ledger: UnboundLedger,
  visits: readonly { readonly profileId: string; readonly at: string }[],
): Promise<void> {
  await ledger.query(sql`
    SELECT note_last_visits(${visits.map(({ profileId }) => profileId)}::uuid[], ${visits.map(({ at }) => at)}::timestamptz[],
      make_interval(mins => ${limits.tracking.notedEveryMinutes}))`);
}

/** No visit arrived for so long that the tracker may be broken: a day, or longer on a site with long regular pauses. */
const isSilent = (through: Date) => sql<boolean>`
  received_at + greatest(make_interval(hours => ${limits.tracking.silentAfterHours}), make_interval(secs => longest_pause_seconds * ${limits.tracking.silentAfterPauses}::float8)) <= ${through}`;

/** Lists silent profiles after an id, ordered by id. Reads across profiles, so it needs the system role. */
export async function listSilent(
  ledger: UnboundLedger,
  { after, through, limit }: { readonly after: string; readonly through: Date; readonly limit: number },
): Promise<LastVisit[]> {
  const { rows } = await ledger.query(sql<LastVisit>`
    SELECT profile_id AS "profileId", received_at AS at FROM last_visits
    WHERE profile_id > ${after} AND ${isSilent(through)} ORDER BY profile_id LIMIT ${limit}`);
  return rows;
}

/** Returns the given profiles that are not silent. Reads across profiles, so it needs the system role. */
export async function findActiveProfiles(
  ledger: UnboundLedger,
  profileIds: readonly string[],
  through: Date,
): Promise<Set<string>> {
  const { rows } = await ledger.query(sql<{ id: string }>`
    SELECT profile_id AS id FROM last_visits WHERE profile_id = ANY (${[...profileIds]}::uuid[]) AND NOT ${isSilent(through)}`);
  return new Set(rows.map(({ id }) => id));
}
