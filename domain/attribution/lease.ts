import type { Postgres } from '@tributary/postgres';
import { sql } from 'kysely';

/** One worker at a time for a profile. A lease that is not prolonged ends by itself, with whoever held it. */

/** Longer than any statement may run: a batch that works cannot lose its lease. */
export const defaultLeaseSeconds = 120;

/** The lease is somebody else's now. What was worked out stands under the lower version and harms nobody. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** The next profile after `after` that has dirty conversions and nobody at work on it. */
export async function leaseDirtyProfile(
  system: Postgres,
  holder: string,
  after: string,
  now: Date,
  leaseSeconds: number,
): Promise<string | undefined> {
  const { rows } = await system.unbound.query(
    sql<{
      profile: string | null;
    }>`SELECT claim_attribution(${holder}, ${after}, ${now}, make_interval(secs => ${leaseSeconds})) AS profile`,
  );
  return rows[0]?.profile ?? undefined;
}

/** A certain profile; false while somebody else is at work on it. */
export async function leaseProfile(
  app: Postgres,
  profileId: string,
  holder: string,
  now: Date,
  leaseSeconds = defaultLeaseSeconds,
): Promise<boolean> {
  const { numAffectedRows } = await app.forProfile(profileId).transaction((tx) =>
    sql`
      INSERT INTO attribution_leases AS l VALUES (${profileId}, ${holder}, ${now}::timestamptz + make_interval(secs => ${leaseSeconds}))
      ON CONFLICT (profile_id) DO UPDATE SET holder = excluded.holder, until = excluded.until WHERE l.until <= ${now} OR l.holder = excluded.holder
    `.execute(tx),
  );
  return numAffectedRows === 1n;
}

export async function releaseProfile(app: Postgres, profileId: string, holder: string): Promise<void> {
  await app
    .forProfile(profileId)
    .transaction((tx) =>
      tx.deleteFrom('attribution_leases').where('profile_id', '=', profileId).where('holder', '=', holder).execute(),
    );
}
