import { announce, type Tx } from '@tributary/postgres';
import { sql } from 'kysely';
import { v7 as uuid } from 'uuid';

/** Current: all that is known is in the reports, but for what came within the last seconds. Behind: more waits than one batch holds, or a replay runs. */
export type Freshness = 'current' | 'behind';

/** Notes how a profile's figures stand, and tells whoever subscribed when that is news. */
export async function noteFreshness(tx: Tx, profileId: string, state: Freshness, now: Date): Promise<void> {
  // A profile that was never behind has no row, and needs none.
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
      profileId,
      type: 'profile.freshness.changed',
      payload: { freshness: state, since: now.toISOString() },
      occurredAt: now,
    },
  ]);
}
