import type { Freshness } from '@tributary/contract';
import { announce } from '@tributary/domain/tenancy/events';
import type { Tx } from '@tributary/postgres';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';

/** Stores the freshness of a profile's figures and publishes an event when it changed. */
export async function recordFreshness(tx: Tx, profileId: string, state: Freshness, now: Date): Promise<void> {
  // A profile that was never behind has no row and needs none.
  const { rows } =
    state === 'behind'
      ? await sql`
          INSERT INTO attribution_freshness AS f VALUES (${profileId}, 'behind', ${now})
          ON CONFLICT (profile_id) DO UPDATE SET state = 'behind', since = ${now} WHERE f.state <> 'behind' RETURNING 1`.execute(
          tx,
        )
      : await sql`
          UPDATE attribution_freshness SET state = 'current', since = ${now}
          WHERE profile_id = ${profileId} AND state = 'behind' RETURNING 1`.execute(tx);
  if (rows.length === 0) return;
  await announce(tx, [
    {
      id: uuid(),
      type: 'profile.freshness.changed',
      data: { profile_id: profileId, freshness: state, since: now.toISOString() },
      occurredAt: now,
    },
  ]);
}
