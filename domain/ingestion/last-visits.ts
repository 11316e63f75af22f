import type { UnboundLedger } from '@tributary/postgres';
import { limits } from '@tributary/vocabulary';
import { sql } from 'kysely';

/** When a profile's last visit came. */
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

/** Profiles after another of which no visit came since a moment, in the order of their ids. As the system. */
export async function listSilent(
  ledger: UnboundLedger,
  { after, since, limit }: { readonly after: string; readonly since: Date; readonly limit: number },
): Promise<LastVisit[]> {
  const { rows } = await ledger.query(sql<LastVisit>`
    SELECT profile_id AS "profileId", received_at AS at FROM last_visits
    WHERE profile_id > ${after} AND received_at <= ${since} ORDER BY profile_id LIMIT ${limit}`);
  return rows;
}

/** By profile. As the system. */
export async function readLastVisits(ledger: UnboundLedger, profileIds: readonly string[]): Promise<Map<string, Date>> {
  const { rows } = await ledger.query(sql<LastVisit>`
    SELECT profile_id AS "profileId", received_at AS at FROM last_visits WHERE profile_id = ANY (${[...profileIds]}::uuid[])`);
  return new Map(rows.map(({ profileId, at }) => [profileId, at]));
}
