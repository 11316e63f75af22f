import type { Postgres } from '@tributary/postgres';
import { type Channel, channels } from '@tributary/vocabulary';
import { listActive } from './store.ts';
import { restartSync } from './sync-store.ts';

/**
 * Restarts the CRM syncs of a profile after a stage was mapped to another meaning. Only a sync from the start reports
 * the deals again.
 */
export async function rereadDeals(app: Postgres, { profileId }: { profileId: string }, now: Date): Promise<void> {
  await app.forProfile(profileId).transaction(async (tx) => {
    for (const row of await listActive(tx, profileId)) {
      if (channels[row.channel as Channel].kind === 'crm') await restartSync(tx, row, now);
    }
  });
}
